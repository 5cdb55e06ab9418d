"""`bool`: 00 or 01."""

from __future__ import annotations

from .encoding import Encoding, taken


class Bool(Encoding[bool]):
    """A truth value."""

    __slots__ = ()

    def encode(self, value: bool) -> bytes:
        if value is True or value is False:
            return b"\x01" if value else b"\x00"
        raise TypeError

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bool, int]:
        byte = taken(key, at, 1)[0]
        if byte > 1:
            raise ValueError(f"{byte:02x} is no bool")
        return byte == 1, at + 1
