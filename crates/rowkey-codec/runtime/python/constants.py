"""Bytes that are the same in every key. The value is the empty tuple."""

from __future__ import annotations

from .encoding import Encoding, taken


class Constant(Encoding["tuple[()]"]):
    """These bytes."""

    __slots__ = ("_bytes",)

    def __init__(self, content: bytes) -> None:
        self._bytes = content

    def encode(self, value: tuple[()] = ()) -> bytes:
        return self._bytes

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[tuple[()], int]:
        if not key.startswith(self._bytes, at):
            taken(key, at, len(self._bytes))
            raise ValueError(f"{self._bytes.hex()} is not there")
        return (), at + len(self._bytes)
