"""Quadkeys: tiles of one zoom, two bits a digit, then zeros to the end of the byte.

"012"    18
"""

from __future__ import annotations

from .encoding import Encoding, taken
from .errors import Refusal, shown


def number_of(digits: str) -> int:
    """The number of digits 0 to 3."""
    if digits.strip("0123"):
        raise ValueError(f"{shown(digits)} is not of the digits 0 to 3")
    return int(digits or "0", 4)


def digits_of(number: int, zoom: int) -> str:
    """So many digits of a number."""
    return "".join("0123"[number >> 2 * at & 3] for at in reversed(range(zoom)))


class Quadkey(Encoding[str]):
    """The digits of a tile of one zoom."""

    __slots__ = ("_padding", "_width", "_zoom")

    def __init__(self, zoom: int) -> None:
        self._zoom = zoom
        self._width = (zoom + 3) // 4
        self._padding = 8 * self._width - 2 * zoom

    def encode(self, value: str) -> bytes:
        if len(value) != self._zoom:
            raise ValueError(f"{shown(value)} is no tile of zoom {self._zoom}")
        return (number_of(value) << self._padding).to_bytes(self._width, "big")

    def within(self, area: str) -> tuple[bytes, bytes] | None:
        number_of(area)
        down = self._zoom - len(area)
        return (self.encode(area + "0" * down), self.encode(area + "3" * down)) if down >= 0 else None

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        number = int.from_bytes(taken(key, at, self._width), "big")
        if number & (1 << self._padding) - 1:
            raise Refusal("bits after the digits of a quadkey are not zeros", at + self._width - 1)
        return digits_of(number >> self._padding, self._zoom), at + self._width
