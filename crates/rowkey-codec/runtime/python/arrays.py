"""Arrays of bytes: as they are."""

from __future__ import annotations

from .encoding import Encoding, taken


class Array(Encoding[bytes]):
    """So many bytes."""

    __slots__ = ("_width",)

    def __init__(self, width: int) -> None:
        self._width = width

    def encode(self, value: bytes) -> bytes:
        if len(value) != self._width:
            raise ValueError(f"{len(value)} bytes are not {self._width}")
        return bytes(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        return taken(key, at, self._width), at + self._width
