"""What every encoding of a value has."""

from __future__ import annotations

from typing import Generic, TypeVar

from .errors import Refusal, shown

T = TypeVar("T")

Interval = tuple[bytes, bytes | None]
"""The bytes from some, included, to others, excluded; None: to the end."""

INVERTED = bytes(255 - byte for byte in range(256))
"""A table for `bytes.translate`: every byte inverted."""


class Encoding(Generic[T]):
    """The bytes of the values of one type."""

    __slots__ = ()

    def encode(self, value: T) -> bytes:
        """The bytes of a value. Raises one of `UNFIT` if it has none."""
        raise NotImplementedError

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        """The value that begins at a byte, and the byte after it. `other` is `key` with every byte inverted.

        Raises one of `REFUSED` for bytes that are no value's.
        """
        raise NotImplementedError

    def starting(self, start: T) -> bytes | list[Interval]:
        """The bytes that all values begin with which begin so; or the intervals of bytes that they are in."""
        raise ValueError(f"{shown(start)} is not the beginning of a value")

    def within(self, area: str) -> tuple[bytes, bytes] | None:
        """The first and the last bytes of the values in a tile; None if there are none."""
        raise ValueError(f"no value is in {shown(area)}")


def taken(key: bytes, at: int, width: int) -> bytes:
    """So many bytes of a key."""
    end = at + width
    if end > len(key):
        raise Refusal("the key ends too early", len(key))
    return key[at:end]
