package rowkey

import "math/bits"

// Murmur3 is MurmurHash3 of 32 bits for x86, with the seed 0.
func Murmur3(data []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	n, h := uint32(len(data)), uint32(0)
	for ; len(data) >= 4; data = data[4:] {
		h ^= bits.RotateLeft32(le32(data, 0)*c1, 15) * c2
		h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
	}
	tail := uint32(0)
	for i, b := range data {
		tail |= uint32(b) << (8 * i)
	}
	h ^= bits.RotateLeft32(tail*c1, 15) * c2
	h ^= n
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
