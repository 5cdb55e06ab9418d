"""Hashes of Java: `Arrays.hashCode(byte[])`, and `String.hashCode`, in 32 bits, unsigned here."""

from __future__ import annotations

_ALL = (1 << 32) - 1


def array_hash_code(data: bytes) -> int:
    """h = 1, then for each byte h = 31·h + the byte as a signed number."""
    hash_ = 1
    for byte in data:
        hash_ = 31 * hash_ + (byte - 256 if byte > 127 else byte) & _ALL
    return hash_


def hash_code(data: bytes) -> int:
    """h = 0, then for each unit of UTF-16 h = 31·h + the unit. Of what is not UTF-8, for each byte."""
    try:
        units = data.decode().encode("utf-16-be")
    except UnicodeDecodeError:
        units = b"".join(bytes((0, byte)) for byte in data)
    hash_ = 0
    for at in range(0, len(units), 2):
        hash_ = 31 * hash_ + (units[at] << 8 | units[at + 1]) & _ALL
    return hash_


def absolute(hash_: int) -> int:
    """The absolute value of a signed number of 32 bits; that of -2³¹ is 2³¹."""
    return (1 << 32) - hash_ if hash_ >> 31 else hash_
