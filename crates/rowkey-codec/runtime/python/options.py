"""Options: 00 for None, or 01 and the value. Where None sorts last, its tag is 02."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

from .encoding import Encoding, T, taken
from .errors import REFUSED, placed


@dataclass(frozen=True)
class Some(Generic[T]):
    """A value that is there, of an option whose values can be None themselves."""

    value: T


def _tag(key: bytes, at: int, none: bytes) -> bool:
    tag = taken(key, at, 1)
    if tag == b"\x01":
        return True
    if tag != none:
        raise ValueError(f"{tag.hex()} is not the tag of an option")
    return False


def _value(of: Encoding[Any], key: bytes, other: bytes, at: int) -> tuple[Any, int]:
    try:
        return of.decode(key, other, at)
    except REFUSED as error:
        raise placed(error, at) from error


class Option(Encoding[T | None]):
    """None or a value."""

    __slots__ = ("_none", "_of")

    def __init__(self, of: Encoding[T], none: int = 0) -> None:
        self._of = of
        self._none = bytes([none])

    def encode(self, value: T | None) -> bytes:
        return self._none if value is None else b"\x01" + self._of.encode(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T | None, int]:
        return _value(self._of, key, other, at + 1) if _tag(key, at, self._none) else (None, at + 1)


class NestedOption(Encoding[Some[T] | None]):
    """None, or a value that can be None itself."""

    __slots__ = ("_none", "_of")

    def __init__(self, of: Encoding[T], none: int = 0) -> None:
        self._of = of
        self._none = bytes([none])

    def encode(self, value: Some[T] | None) -> bytes:
        if value is None:
            return self._none
        if not isinstance(value, Some):
            raise TypeError
        return b"\x01" + self._of.encode(value.value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[Some[T] | None, int]:
        if not _tag(key, at, self._none):
            return None, at + 1
        value, at = _value(self._of, key, other, at + 1)
        return Some(value), at
