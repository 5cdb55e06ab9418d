"""Arrays of bytes: as they are."""

from __future__ import annotations

from .byte_strings import bytes_of
from .encoding import Encoding, taken


def exact(value: bytes, width: int) -> bytes:
    """Bytes, which are so many."""
    if type(value) is not bytes:
        value = bytes_of(value)
    if len(value) != width:
        raise ValueError(f"{len(value)} bytes are not {width}")
    return value


class Array(Encoding[bytes]):
    """So many bytes."""

    __slots__ = ("_width",)

    def __init__(self, width: int) -> None:
        self._width = width

    def encode(self, value: bytes) -> bytes:
        return exact(value, self._width)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        return taken(key, at, self._width), at + self._width
