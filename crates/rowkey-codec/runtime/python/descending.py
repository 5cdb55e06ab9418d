"""A value in a descending field: every byte inverted."""

from __future__ import annotations

from .encoding import INVERTED, Encoding, T


class Descending(Encoding[T]):
    """The bytes of another encoding, inverted."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: T) -> bytes:
        return self._of.encode(value).translate(INVERTED)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        return self._of.decode(other, key, at)
