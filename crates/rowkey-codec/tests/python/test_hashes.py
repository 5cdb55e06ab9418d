"""The hashes of salts and digests, by the vectors that their authors published."""

import unittest

from rowkeys.runtime.hashes import DIGESTS, SALTS
from rowkeys.runtime.java_hashes import array_hash_code, hash_code
from rowkeys.runtime.murmur3 import murmur3
from rowkeys.runtime.xxh3 import xxh3
from rowkeys.runtime.xxh64 import xxh64


def bytes_of_xxhash(size: int) -> bytes:
    """The input of xxHash's own tests: `cli/xsum_sanity_check.c`."""
    state, out = 2654435761, bytearray()
    for _ in range(size):
        out.append(state >> 56)
        state = state * 11400714785074694797 & (1 << 64) - 1
    return bytes(out)


# (size, hash) of seed 0, from xxHash's `cli/xsum_sanity_check.c`.
XXH64 = [
    (0, 0xEF46DB3751D8E999),
    (1, 0xE934A84ADB052768),
    (4, 0x9136A0DCA57457EE),
    (14, 0x8282DCC4994E35C8),
    (222, 0xB641AE8CB691C174),
]
XXH3 = [
    (0, 0x2D06800538D394C2),
    (1, 0xC44BDFF4074EECDB),
    (6, 0x27B56A84CD2D7325),
    (12, 0xA713DAF0DFBB77E7),
    (24, 0xA3FE70BF9D3510EB),
    (48, 0x397DA259ECBA1F11),
    (80, 0xBCDEFBBB2C47C90A),
    (195, 0xCD94217EE362EC3A),
    (403, 0xCDEB804D65C6DEA4),
    (512, 0x617E49599013CB6B),
    (2048, 0xDD59E2C3A5F038E0),
    (2099, 0xC6B9D9B3FC9AC765),
    (2240, 0x6E73A90539CF2948),
    (2367, 0xCB37AEB9E5D361ED),
]


class Hashes(unittest.TestCase):
    def test_xxhash(self) -> None:
        for size, due in XXH64:
            self.assertEqual(xxh64(bytes_of_xxhash(size)), due, size)
        for size, due in XXH3:
            self.assertEqual(xxh3(bytes_of_xxhash(size)), due, size)

    def test_murmur3_is_that_of_its_verification(self) -> None:
        # SMHasher's VerificationTest of MurmurHash3_x86_32 is of seeds; those of seed 0 are of Wikipedia's table.
        for text, due in [("", 0), ("test", 0xBA6BD213), ("Hello, world!", 0xC0363E43)]:
            self.assertEqual(murmur3(text.encode()), due)
        self.assertEqual(murmur3(b"The quick brown fox jumps over the lazy dog"), 0x2E4FF723)

    def test_digests_of_standards(self) -> None:
        # RFC 1321, FIPS 180-4's examples, and the check value of CRC-32.
        self.assertEqual(DIGESTS["md5"](b"abc").hex(), "900150983cd24fb0d6963f7d28e17f72")
        self.assertEqual(DIGESTS["sha1"](b"abc").hex(), "a9993e364706816aba3e25717850c26c9cd0d89d")
        due = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        self.assertEqual(DIGESTS["sha256"](b"abc").hex(), due)
        self.assertEqual(DIGESTS["crc32"](b"123456789").hex(), "cbf43926")

    def test_java(self) -> None:
        # "".hashCode(), "hello".hashCode(), and a string whose hash is Integer.MIN_VALUE; Arrays.hashCode of none.
        self.assertEqual((hash_code(b""), hash_code(b"hello")), (0, 99162322))
        self.assertEqual(hash_code(b"polygenelubricants"), 1 << 31)
        self.assertEqual(SALTS["hash_code[java]"](b"polygenelubricants"), 1 << 31)
        self.assertEqual(array_hash_code(b""), 1)


if __name__ == "__main__":
    unittest.main()
