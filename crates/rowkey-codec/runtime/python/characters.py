"""`char`: a Unicode scalar value, in four bytes."""

from __future__ import annotations

from .encoding import Encoding, taken
from .errors import shown


class Char(Encoding[str]):
    """A text of one character."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        number = ord(value) if isinstance(value, str) and len(value) == 1 else 0xD800
        if 0xD800 <= number < 0xE000:
            raise ValueError(f"{shown(value)} is not one character")
        return number.to_bytes(4, "big")

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        number = int.from_bytes(taken(key, at, 4), "big")
        if 0xD800 <= number < 0xE000 or number > 0x10FFFF:
            raise ValueError(f"{number:08x} is no character")
        return chr(number), at + 4
