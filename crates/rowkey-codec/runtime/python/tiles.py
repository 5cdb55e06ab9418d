"""Tiles of any zoom: a zero bit, 58 bits with two for each digit and then ones, 31 less the zoom in five bits.

    "0123"    0d ff ff ff ff ff ff fb

A tile sorts right after all the tiles that lie in it.
"""

from __future__ import annotations

from .encoding import Encoding, taken
from .errors import shown
from .quadkeys import digits_of, number_of

DEEPEST = 29


class Tile(Encoding[str]):
    """The digits of a tile."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        zoom = len(value)
        if zoom > DEEPEST:
            raise ValueError(f"{shown(value)} has a zoom above {DEEPEST}")
        padding = 2 * (DEEPEST - zoom)
        padded = (number_of(value) + 1 << padding) - 1
        return (padded << 5 | 31 - zoom).to_bytes(8, "big")

    def within(self, area: str) -> tuple[bytes, bytes]:
        last = self.encode(area)
        return (number_of(area) << 2 * (DEEPEST - len(area)) + 5).to_bytes(8, "big"), last

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        found = taken(key, at, 8)
        number = int.from_bytes(found, "big")
        zoom = 31 - (number & 31)
        if zoom <= DEEPEST:
            value = digits_of(number >> 5 + 2 * (DEEPEST - zoom), zoom)
            if self.encode(value) == found:
                return value, at + 8
        raise ValueError(f"{found.hex()} is no tile")
