"""Tuples and nested keys: the bytes of their fields, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .encoding import Encoding, T
from .errors import REFUSED, UNFIT, Refusal, placed, unfit


class Record(Encoding[T]):
    """A class of fields: of each its member, its path in the design, its encoding. One without a member is a constant."""

    __slots__ = ("_fields", "_of", "_type")

    def __init__(self, of: Callable[..., T], fields: Sequence[tuple[str, str, Encoding[Any]]]) -> None:
        self._of = of
        self._type: type = of if isinstance(of, type) else object
        self._fields = tuple(fields)

    def encode(self, value: T) -> bytes:
        if not isinstance(value, self._type):
            raise unfit(TypeError(), value)
        try:
            return b"".join(
                [field.encode(getattr(value, member) if member else ()) for member, _, field in self._fields]
            )
        except UNFIT as error:
            raise self._unfit(value, error) from error

    def _unfit(self, value: T, error: Exception) -> Refusal:
        """The refusal of the first part that is no value of its field."""
        for member, name, field in self._fields:
            part: Any = getattr(value, member) if member else ()
            try:
                field.encode(part)
            except UNFIT as found:
                return unfit(found, part, name)
        return unfit(error, value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        values = []
        for member, name, field in self._fields:
            try:
                value, at = field.decode(key, other, at)
            except REFUSED as error:
                raise placed(error, at, name) from error
            if member:
                values.append(value)
        return self._of(*values), at
