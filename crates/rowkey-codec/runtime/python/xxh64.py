"""XXH64, seed 0, by the specification of https://github.com/Cyan4973/xxHash."""

from __future__ import annotations

from .xxh3 import avalanche_64

_ALL = (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _rotated(number: int, bits: int) -> int:
    number &= _ALL
    return (number << bits | number >> 64 - bits) & _ALL


def _round(acc: int, value: int) -> int:
    return _rotated(acc + value * _P2, 31) * _P1 & _ALL


def xxh64(data: bytes) -> int:
    """The hash of bytes."""
    size, at = len(data), 0
    if size >= 32:
        lanes = [_P1 + _P2 & _ALL, _P2, 0, -_P1 & _ALL]
        while at + 32 <= size:
            for i in range(4):
                lanes[i] = _round(lanes[i], int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little"))
            at += 32
        hash_ = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & _ALL
        for lane in lanes:
            hash_ = (hash_ ^ _round(0, lane)) * _P1 + _P4 & _ALL
    else:
        hash_ = _P5
    hash_ = hash_ + size & _ALL
    while at + 8 <= size:
        hash_ = _rotated(hash_ ^ _round(0, int.from_bytes(data[at : at + 8], "little")), 27) * _P1 + _P4 & _ALL
        at += 8
    if at + 4 <= size:
        hash_ = _rotated(hash_ ^ int.from_bytes(data[at : at + 4], "little") * _P1 & _ALL, 23) * _P2 + _P3 & _ALL
        at += 4
    for byte in data[at:]:
        hash_ = _rotated(hash_ ^ byte * _P5 & _ALL, 11) * _P1 & _ALL
    return avalanche_64(hash_)
