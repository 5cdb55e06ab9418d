package rowkey

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime32x1 = 0x9E3779B1
	prime32x2 = 0x85EBCA77
	prime32x3 = 0xC2B2AE3D
	prime64x1 = 0x9E3779B185EBCA87
	prime64x2 = 0xC2B2AE3D27D4EB4F
	prime64x3 = 0x165667B19E3779F9
	prime64x4 = 0x85EBCA77C2B2AE63
	prime64x5 = 0x27D4EB2F165667C5
)

var xxh3Secret = [192]byte{
	0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
	0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
	0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
	0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
	0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
	0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
	0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
	0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
	0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
	0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
	0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
	0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
}

// XXH3 is the hash XXH3 of 64 bits with the seed 0.
func XXH3(data []byte) uint64 {
	switch n := len(data); {
	case n <= 16:
		return xxh3Short(data)
	case n <= 128:
		return xxh3To128(data)
	case n <= 240:
		return xxh3To240(data)
	default:
		return xxh3Long(data)
	}
}

func xxh3Short(data []byte) uint64 {
	n := uint64(len(data))
	switch {
	case n > 8:
		lo := secret64(24) ^ secret64(32) ^ le64(data, 0)
		hi := secret64(40) ^ secret64(48) ^ le64(data, len(data)-8)
		return xxh3Avalanche(n + bits.ReverseBytes64(lo) + hi + fold(lo, hi))
	case n >= 4:
		first, last := uint64(le32(data, 0)), uint64(le32(data, len(data)-4))
		h := last + first<<32 ^ secret64(8) ^ secret64(16)
		h ^= bits.RotateLeft64(h, 49) ^ bits.RotateLeft64(h, 24)
		h *= 0x9FB21C651E98DF25
		h ^= h>>35 + n
		h *= 0x9FB21C651E98DF25
		return h ^ h>>28
	case n > 0:
		combined := uint32(data[0])<<16 | uint32(data[n>>1])<<24 | uint32(data[n-1]) | uint32(n)<<8
		key := binary.LittleEndian.Uint32(xxh3Secret[0:]) ^ binary.LittleEndian.Uint32(xxh3Secret[4:])
		return xxh64Avalanche(uint64(combined ^ key))
	default:
		return xxh64Avalanche(secret64(56) ^ secret64(64))
	}
}

func xxh3To128(data []byte) uint64 {
	n := len(data)
	h := uint64(n) * prime64x1
	for i := (n - 1) / 32; i >= 0; i-- {
		h += mix16(data, 16*i, 32*i)
		h += mix16(data, n-16*(i+1), 32*i+16)
	}
	return xxh3Avalanche(h)
}

func xxh3To240(data []byte) uint64 {
	n := len(data)
	h := uint64(n) * prime64x1
	for i := range 8 {
		h += mix16(data, 16*i, 16*i)
	}
	h = xxh3Avalanche(h)
	for i := 8; i < n/16; i++ {
		h += mix16(data, 16*i, 16*(i-8)+3)
	}
	h += mix16(data, n-16, 136-17)
	return xxh3Avalanche(h)
}

func xxh3Long(data []byte) uint64 {
	const stripe, perBlock = 64, (len(xxh3Secret) - 64) / 8
	acc := [8]uint64{
		prime32x3, prime64x1, prime64x2, prime64x3, prime64x4, prime32x2, prime64x5, prime32x1,
	}
	n := len(data)
	stripes := (n - 1) / stripe
	for i := range stripes {
		accumulate(&acc, data[i*stripe:], i%perBlock*8)
		if i%perBlock == perBlock-1 {
			scramble(&acc)
		}
	}
	accumulate(&acc, data[n-stripe:], len(xxh3Secret)-stripe-7)
	h := uint64(n) * prime64x1
	for i := range 4 {
		h += fold(acc[2*i]^secret64(11+16*i), acc[2*i+1]^secret64(19+16*i))
	}
	return xxh3Avalanche(h)
}

func accumulate(acc *[8]uint64, stripe []byte, secret int) {
	for i := range acc {
		value := le64(stripe, 8*i)
		key := value ^ secret64(secret+8*i)
		acc[i^1] += value
		acc[i] += key & 0xffffffff * (key >> 32)
	}
}

func scramble(acc *[8]uint64) {
	for i := range acc {
		acc[i] = (acc[i] ^ acc[i]>>47 ^ secret64(len(xxh3Secret)-64+8*i)) * prime32x1
	}
}

func mix16(data []byte, at, secret int) uint64 {
	return fold(le64(data, at)^secret64(secret), le64(data, at+8)^secret64(secret+8))
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func xxh3Avalanche(h uint64) uint64 {
	h ^= h >> 37
	h *= 0x165667919E3779F9
	return h ^ h>>32
}

func secret64(at int) uint64          { return binary.LittleEndian.Uint64(xxh3Secret[at:]) }
func le64(data []byte, at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
func le32(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
