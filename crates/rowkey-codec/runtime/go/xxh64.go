package rowkey

import "math/bits"

// XXH64 is the hash XXH64 with the seed 0.
func XXH64(data []byte) uint64 {
	n := uint64(len(data))
	h := uint64(prime64x5)
	if n >= 32 {
		lanes := [4]uint64{0, prime64x2, 0, 0}
		lanes[0] = lanes[1] + prime64x1
		lanes[3] -= prime64x1
		for ; len(data) >= 32; data = data[32:] {
			for i := range lanes {
				lanes[i] = xxh64Round(lanes[i], le64(data, 8*i))
			}
		}
		h = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) +
			bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			h = (h^xxh64Round(0, lane))*prime64x1 + prime64x4
		}
	}
	h += n
	for ; len(data) >= 8; data = data[8:] {
		h = bits.RotateLeft64(h^xxh64Round(0, le64(data, 0)), 27)*prime64x1 + prime64x4
	}
	if len(data) >= 4 {
		h = bits.RotateLeft64(h^uint64(le32(data, 0))*prime64x1, 23)*prime64x2 + prime64x3
		data = data[4:]
	}
	for _, b := range data {
		h = bits.RotateLeft64(h^uint64(b)*prime64x5, 11) * prime64x1
	}
	return xxh64Avalanche(h)
}

func xxh64Round(lane, input uint64) uint64 {
	return bits.RotateLeft64(lane+input*prime64x2, 31) * prime64x1
}

func xxh64Avalanche(h uint64) uint64 {
	h ^= h >> 33
	h *= prime64x2
	h ^= h >> 29
	h *= prime64x3
	return h ^ h>>32
}
