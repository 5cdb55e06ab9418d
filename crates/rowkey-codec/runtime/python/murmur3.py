"""MurmurHash3 of 32 bits for x86, seed 0, by Austin Appleby's https://github.com/aappleby/smhasher."""

from __future__ import annotations

_ALL = (1 << 32) - 1


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 32 - bits) & _ALL


def _mixed(block: int) -> int:
    return _rotated(block * 0xCC9E2D51 & _ALL, 15) * 0x1B873593 & _ALL


def murmur3(data: bytes) -> int:
    """The hash of bytes."""
    hash_ = 0
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        hash_ = _rotated(hash_ ^ _mixed(int.from_bytes(data[at : at + 4], "little")), 13) * 5 + 0xE6546B64 & _ALL
    if whole < len(data):
        hash_ ^= _mixed(int.from_bytes(data[whole:], "little"))
    hash_ ^= len(data)
    hash_ = (hash_ ^ hash_ >> 16) * 0x85EBCA6B & _ALL
    hash_ = (hash_ ^ hash_ >> 13) * 0xC2B2AE35 & _ALL
    return hash_ ^ hash_ >> 16
