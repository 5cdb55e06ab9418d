package rowkey

import (
	"encoding/hex"
	"testing"
)

// sanityBuffer is the input of the vectors of xxHash's own tests (tests/sanity_test.c and xxhsum's self test).
func sanityBuffer(n int) []byte {
	buffer, generator := make([]byte, n), uint64(prime32x1)
	for i := range buffer {
		buffer[i] = byte(generator >> 56)
		generator *= 11400714785074694797
	}
	return buffer
}

func TestXXH3HasTheVectorsOfXxHash(t *testing.T) {
	for n, due := range map[int]uint64{
		0: 0x2D06800538D394C2, 1: 0xC44BDFF4074EECDB, 6: 0x27B56A84CD2D7325, 12: 0xA713DAF0DFBB77E7,
		24: 0xA3FE70BF9D3510EB, 48: 0x397DA259ECBA1F11, 80: 0xBCDEFBBB2C47C90A, 195: 0xCD94217EE362EC3A,
		403: 0xCDEB804D65C6DEA4, 512: 0x617E49599013CB6B, 2048: 0xDD59E2C3A5F038E0, 2240: 0x6E73A90539CF2948,
		2367: 0xCB37AEB9E5D361ED,
	} {
		if found := XXH3(sanityBuffer(n)); found != due {
			t.Errorf("of %d bytes: %016x, due %016x", n, found, due)
		}
	}
}

func TestXXH64HasTheVectorsOfXxHash(t *testing.T) {
	for n, due := range map[int]uint64{
		0: 0xEF46DB3751D8E999, 1: 0xE934A84ADB052768, 4: 0x9136A0DCA57457EE, 14: 0x8282DCC4994E35C8,
		222: 0xB641AE8CB691C174,
	} {
		if found := XXH64(sanityBuffer(n)); found != due {
			t.Errorf("of %d bytes: %016x, due %016x", n, found, due)
		}
	}
}

// Vectors of RFC 1321, FIPS 180-4, zlib, the reference of MurmurHash3, and the documentation of String.hashCode.
func TestHashesAreThoseOfTheirDefinitions(t *testing.T) {
	for _, vector := range []struct {
		hash      Hash
		text, due string
	}{
		{HashMD5, "", "d41d8cd98f00b204e9800998ecf8427e"},
		{HashMD5, "abc", "900150983cd24fb0d6963f7d28e17f72"},
		{HashSHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{HashSHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{HashCRC32, "123456789", "cbf43926"},
		{HashMurmur3, "", "00000000"},
		{HashMurmur3, "\x00\x00\x00\x00", "2362f9de"},
		{HashMurmur3, "!Ce\x87", "f55b516b"},
		{HashMurmur3, "!Ce", "7e4a8634"},
		{HashMurmur3, "!C", "a0f7b07a"},
		{HashMurmur3, "!", "72661cf4"},
		{HashMurmur3, "abc", "b3dd93fa"},
		{HashCode, "", "00000000"},
		{HashCode, "hello", "05e918d2"},
	} {
		sum, size := vector.hash.digest([]byte(vector.text))
		if found := hex.EncodeToString(sum[:size]); found != vector.due {
			t.Errorf("hash %d of %q: %s, due %s", vector.hash, vector.text, found, vector.due)
		}
	}
}

// Sums of Java: Arrays.hashCode(new byte[]{1, 2, 3}) is 30817, of {-1} 30; String.hashCode runs over UTF-16.
func TestHashesOfJava(t *testing.T) {
	if found := ArrayHashCode([]byte{1, 2, 3}); found != 30817 {
		t.Error(found)
	}
	if found := ArrayHashCode([]byte{0xff}); found != 30 {
		t.Error(found)
	}
	if found := absolute(-1 << 31); found != 1<<31 {
		t.Error(found)
	}
	if found := StringHashCode([]byte("é😀")); found != (0xe9*31+0xd83d)*31+0xde00 {
		t.Error(found)
	}
	if found := StringHashCode([]byte{0xff, 1}); found != 0xff*31+1 {
		t.Error(found)
	}
}
