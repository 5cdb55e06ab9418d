"""Lists: 01 and an element, as often as there is one, then 00. Raw ones are the elements alone, up to the key's end."""

from __future__ import annotations

from typing import Any

from .encoding import Encoding, T, taken
from .errors import REFUSED, UNFIT, Refusal, placed, unfit


def _check(value: Any) -> None:
    """Refuses what is no tuple or list, as a text of which each character is one."""
    if not isinstance(value, (tuple, list)):
        raise unfit(TypeError(), value)


def _unfit(of: Encoding[Any], value: Any, error: Exception) -> Refusal:
    """The refusal of the first element that is no value of an encoding."""
    for at, element in enumerate(value):
        try:
            of.encode(element)
        except UNFIT as found:
            return unfit(found, element, f"[{at}]")
    return unfit(error, value)


class List(Encoding[tuple[T, ...]]):
    """Elements with marks."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: tuple[T, ...]) -> bytes:
        _check(value)
        encode = self._of.encode
        try:
            return b"".join([b"\x01" + encode(element) for element in value]) + b"\x00"
        except UNFIT as error:
            raise _unfit(self._of, value, error) from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[tuple[T, ...], int]:
        elements: list[T] = []
        while True:
            mark = taken(key, at, 1)
            at += 1
            if mark == b"\x00":
                return tuple(elements), at
            if mark != b"\x01":
                raise Refusal(f"{mark.hex()} is not before an element", at - 1)
            try:
                element, at = self._of.decode(key, other, at)
            except REFUSED as error:
                raise placed(error, at, f"[{len(elements)}]") from error
            elements.append(element)


class RawList(Encoding[tuple[T, ...]]):
    """Elements of one width, up to the key's end."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: tuple[T, ...]) -> bytes:
        _check(value)
        try:
            return b"".join(map(self._of.encode, value))
        except UNFIT as error:
            raise _unfit(self._of, value, error) from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[tuple[T, ...], int]:
        elements: list[T] = []
        while at < len(key):
            try:
                element, at = self._of.decode(key, other, at)
            except REFUSED as error:
                raise placed(error, at, f"[{len(elements)}]") from error
            elements.append(element)
        return tuple(elements), at
