"""A value in a descending field: every byte inverted."""

from __future__ import annotations

from .encoding import INVERTED, Encoding, T
from .errors import REFUSED, placed


class Descending(Encoding[T]):
    """The bytes of another encoding, inverted."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: T) -> bytes:
        return self._of.encode(value).translate(INVERTED)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        try:
            return self._of.decode(other, key, at)
        except REFUSED as error:
            raise placed(error, at).inverted() from error
