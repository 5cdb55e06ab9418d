package rowkey

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
)

// Hash is a hash of salts and digests.
type Hash uint8

// The hashes, by their names in a key's shape.
const (
	// HashXXH3 is `xxh3`.
	HashXXH3 Hash = iota
	// HashXXH64 is `xxh64`.
	HashXXH64
	// HashMD5 is `md5`; as a number its first eight bytes.
	HashMD5
	// HashJava is `java`: that of Apache Phoenix.
	HashJava
	// HashJava31 is `java[31]`: that of Pinpoint.
	HashJava31
	// HashCode is `hash_code`; of a salt, `hash_code[java]`, its absolute value.
	HashCode
	// HashMurmur3 is `murmur3`; of a salt `murmur3[32]`.
	HashMurmur3
	// HashCRC32 is `crc32`; of a salt `crc32[ieee]`.
	HashCRC32
	// HashSHA1 is `sha1`.
	HashSHA1
	// HashSHA256 is `sha256`.
	HashSHA256
)

// number is the hash as the number from which a salt's bucket is taken.
func (h Hash) number(m []byte) uint64 {
	switch h {
	case HashXXH3:
		return XXH3(m)
	case HashXXH64:
		return XXH64(m)
	case HashJava:
		return absolute(ArrayHashCode(m))
	case HashJava31:
		return uint64(uint32(ArrayHashCode(m)) & 0x7fffffff)
	case HashCode:
		return absolute(StringHashCode(m))
	case HashMurmur3:
		return uint64(Murmur3(m))
	case HashCRC32:
		return uint64(crc32.ChecksumIEEE(m))
	default:
		sum := md5.Sum(m)
		return binary.BigEndian.Uint64(sum[:])
	}
}

// digest is the hash as bytes: their array, and how many of it are the hash's.
func (h Hash) digest(m []byte) (sum [sha256.Size]byte, size int) {
	switch h {
	case HashMD5:
		md5 := md5.Sum(m)
		return sum, copy(sum[:], md5[:])
	case HashSHA1:
		sha1 := sha1.Sum(m)
		return sum, copy(sum[:], sha1[:])
	case HashSHA256:
		return sha256.Sum256(m), sha256.Size
	case HashMurmur3:
		binary.BigEndian.PutUint32(sum[:], Murmur3(m))
		return sum, 4
	case HashCRC32:
		binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE(m))
		return sum, 4
	case HashCode:
		binary.BigEndian.PutUint32(sum[:], uint32(StringHashCode(m)))
		return sum, 4
	default:
		binary.BigEndian.PutUint64(sum[:], h.number(m))
		return sum, 8
	}
}
