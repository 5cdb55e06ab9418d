"""Text that is padded to a width: printable ASCII with blanks, or text without zero bytes with these.

char[5]          "ab"    61 62 20 20 20
char[5 zeros]    "ab"    61 62 00 00 00
"""

from __future__ import annotations

import re

from .encoding import Encoding, Interval, taken
from .errors import shown

_PRINTABLE = re.compile(r"[ -~]*", re.ASCII)


def _successor(start: bytes) -> bytes:
    return start[:-1] + bytes([start[-1] + 1])


class BlankPadded(Encoding[str]):
    """Printable ASCII without blanks at its end."""

    __slots__ = ("_width",)

    def __init__(self, width: int) -> None:
        self._width = width

    def encode(self, value: str) -> bytes:
        if len(value) > self._width or not _PRINTABLE.fullmatch(value) or value.endswith(" "):
            raise ValueError(
                f"{shown(value)} is no printable ASCII of at most {self._width} bytes without blanks behind it"
            )
        return value.ljust(self._width).encode()

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        value = taken(key, at, self._width).decode("ascii").rstrip(" ")
        self.encode(value)
        return value, at + self._width

    def starting(self, start: str) -> bytes | list[Interval]:
        text = start.rstrip(" ")
        if len(start) > self._width:
            raise ValueError(f"{shown(start)} is longer than the field")
        shorter = self.encode(text)
        # Blanks may be those behind a shorter text, which does not begin so.
        return start.encode() if text == start else [(_successor(shorter), _successor(start.encode()))]


class ZeroPadded(Encoding[str]):
    """Text without zero bytes."""

    __slots__ = ("_width",)

    def __init__(self, width: int) -> None:
        self._width = width

    def encode(self, value: str) -> bytes:
        content = value.encode()
        if len(content) > self._width or b"\x00" in content:
            raise ValueError(f"{shown(value)} is no text of at most {self._width} bytes without a zero byte")
        return content.ljust(self._width, b"\x00")

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        value = taken(key, at, self._width).rstrip(b"\x00").decode()
        self.encode(value)
        return value, at + self._width

    def starting(self, start: str) -> bytes:
        self.encode(start)
        return start.encode()
