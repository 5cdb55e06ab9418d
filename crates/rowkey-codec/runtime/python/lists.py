"""Lists: 01 and an element, as often as there is one, then 00. Raw ones are the elements alone, up to the key's end."""

from __future__ import annotations

from .encoding import Encoding, T, taken


class List(Encoding[tuple[T, ...]]):
    """Elements with marks."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: tuple[T, ...]) -> bytes:
        encode = self._of.encode
        return b"".join([b"\x01" + encode(element) for element in value]) + b"\x00"

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[tuple[T, ...], int]:
        elements: list[T] = []
        while True:
            mark = taken(key, at, 1)
            at += 1
            if mark == b"\x00":
                return tuple(elements), at
            if mark != b"\x01":
                raise ValueError(f"{mark.hex()} is not before an element")
            element, at = self._of.decode(key, other, at)
            elements.append(element)


class RawList(Encoding[tuple[T, ...]]):
    """Elements of one width, up to the key's end."""

    __slots__ = ("_of",)

    def __init__(self, of: Encoding[T]) -> None:
        self._of = of

    def encode(self, value: tuple[T, ...]) -> bytes:
        return b"".join(map(self._of.encode, value))

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[tuple[T, ...], int]:
        elements: list[T] = []
        while at < len(key):
            element, at = self._of.decode(key, other, at)
            elements.append(element)
        return tuple(elements), at
