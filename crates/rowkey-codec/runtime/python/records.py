"""Tuples and nested keys: the bytes of their fields, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .encoding import Encoding, T


class Record(Encoding[T]):
    """A class of fields, each with its encoding. A field without a name is a constant."""

    __slots__ = ("_fields", "_of")

    def __init__(self, of: Callable[..., T], fields: Sequence[tuple[str, Encoding[Any]]]) -> None:
        self._of = of
        self._fields = tuple(fields)

    def encode(self, value: T) -> bytes:
        return b"".join([field.encode(getattr(value, name) if name else ()) for name, field in self._fields])

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        values = []
        for name, field in self._fields:
            value, at = field.decode(key, other, at)
            if name:
                values.append(value)
        return self._of(*values), at
