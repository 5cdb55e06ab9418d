"""The hashes of salts, as numbers, and of digests, as bytes."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable

from .java_hashes import absolute, array_hash_code, hash_code
from .murmur3 import murmur3
from .xxh3 import xxh3
from .xxh64 import xxh64


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _big_endian(function: Callable[[bytes], int]) -> Callable[[bytes], bytes]:
    return lambda data: function(data).to_bytes(4, "big")


SALTS: dict[str, Callable[[bytes], int]] = {
    "xxh3": xxh3,
    "xxh64": xxh64,
    "md5": lambda data: int.from_bytes(_md5(data)[:8], "big"),
    "java": lambda data: absolute(array_hash_code(data)),
    "java[31]": lambda data: array_hash_code(data) & 0x7FFFFFFF,
    "hash_code[java]": lambda data: absolute(hash_code(data)),
    "murmur3[32]": murmur3,
    "crc32[ieee]": zlib.crc32,
}
"""The hash of a salt, by its word in a shape."""

DIGESTS: dict[str, Callable[[bytes], bytes]] = {
    "md5": _md5,
    "sha1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
    "sha256": lambda data: hashlib.sha256(data).digest(),
    "murmur3": _big_endian(murmur3),
    "crc32": _big_endian(zlib.crc32),
    "hash_code": _big_endian(hash_code),
}
"""The hash of a digest, by its word in a shape."""
