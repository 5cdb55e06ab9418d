"""Integers.

u32     1    00 00 00 01    big-endian
i16    -2    7f fe          two's complement, the highest bit flipped: -1 sorts before 0
be[i16] -2   ff fe          two's complement
le[u32] 258  02 01 00 00    little-endian
"""

from __future__ import annotations

from .encoding import Encoding, taken
from .errors import shown


def _outside(value: int, least: int, width: int) -> ValueError:
    return ValueError(f"{shown(value)} is not from {least} to {least + (1 << 8 * width) - 1}")


def whole(value: int) -> int:
    """An integer, which a float is not; True is 1, as everywhere in Python."""
    if isinstance(value, int):
        return int(value)
    raise TypeError


class Sorted(Encoding[int]):
    """An integer of a width in bytes, whose bytes sort as the numbers do."""

    __slots__ = ("_least", "_width")

    def __init__(self, width: int, signed: bool) -> None:
        self._width = width
        self._least = -(1 << 8 * width - 1) if signed else 0

    def encode(self, value: int) -> bytes:
        try:
            return (value - self._least).to_bytes(self._width, "big")
        except OverflowError as error:
            raise _outside(value, self._least, self._width) from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[int, int]:
        return int.from_bytes(taken(key, at, self._width), "big") + self._least, at + self._width


class Native(Encoding[int]):
    """An integer in two's complement, as other programs write it."""

    __slots__ = ("_little", "_signed", "_width")

    def __init__(self, width: int, signed: bool, little: bool) -> None:
        self._width = width
        self._signed = signed
        self._little = little

    def encode(self, value: int) -> bytes:
        try:
            return value.to_bytes(self._width, "little" if self._little else "big", signed=self._signed)
        except OverflowError as error:
            raise _outside(value, -(1 << 8 * self._width - 1) if self._signed else 0, self._width) from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[int, int]:
        found = taken(key, at, self._width)
        value = int.from_bytes(found, "little" if self._little else "big", signed=self._signed)
        return value, at + self._width
