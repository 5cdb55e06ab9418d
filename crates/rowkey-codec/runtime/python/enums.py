"""Enums: a byte, the tag of the variant, and the variant's fields."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from .encoding import Encoding, T, taken

E = TypeVar("E", bound=Enum)


class Plain(Encoding[E]):
    """An enum none of whose variants has fields: their values are the tags."""

    __slots__ = ("_of",)

    def __init__(self, of: type[E]) -> None:
        self._of = of

    def encode(self, value: E) -> bytes:
        if not isinstance(value, self._of):
            raise TypeError
        return bytes([value.value])

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[E, int]:
        return self._of(taken(key, at, 1)[0]), at + 1


def _tag(value: Any) -> int:
    tag: int = value.TAG
    return tag


class Tagged(Encoding[T]):
    """An enum whose variants are classes, each with its tag as `TAG`."""

    __slots__ = ("_variants",)

    def __init__(self, variants: Mapping[int, Encoding[Any]]) -> None:
        self._variants = dict(variants)

    def encode(self, value: T) -> bytes:
        tag = _tag(value)
        return bytes([tag]) + self._variants[tag].encode(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        tag = taken(key, at, 1)[0]
        if tag not in self._variants:
            raise ValueError(f"{tag} is the tag of no variant")
        value: tuple[T, int] = self._variants[tag].decode(key, other, at + 1)
        return value
