"""Fields of a key that Google's OrderedCode joins.

    ("A", "", "C")      41 | 00 01 | 00 00 | 00 01 | 43
    ("A", "", "")       41
    ("a\\0b", 5)        61 00 ff 62 | 00 01 | 85

Between fields is 00 01. In a field 00 is 00 ff, and an empty field is 00 00. Empty fields at the end are left out.
"""

from __future__ import annotations

import re

from .byte_strings import bytes_of
from .encoding import Encoding, T
from .errors import shown
from .instants import Instant

SEPARATOR = b"\x00\x01"
EMPTY = b"\x00\x00"
LONGER = b"\x00\x02"
"""More than all bytes with which another field may come after a value, and less than those with which it goes on."""

_CONTENT = re.compile(rb"(?:[^\x00]|\x00\xff)+", re.DOTALL)
_MICROS = 1_000_000


def without_empty_ends(key: bytes) -> bytes:
    """A key, or the beginning of one, without the empty fields at its end."""
    key = key.removesuffix(SEPARATOR)
    while key.endswith(SEPARATOR + EMPTY):
        key = key[:-4]
    return key


class Joined(Encoding[T]):
    """A field: the first one, or one with a separator before it."""

    __slots__ = ("_first",)

    def __init__(self, first: bool) -> None:
        self._first = first

    def content(self, value: T) -> bytes:
        """The bytes of a value before 00 is escaped."""
        raise NotImplementedError

    def value(self, content: bytes) -> T:
        """The value of these."""
        raise NotImplementedError

    def starting(self, start: T) -> bytes:
        return (b"" if self._first else SEPARATOR) + self.content(start).replace(b"\x00", b"\x00\xff")

    def encode(self, value: T) -> bytes:
        return self.starting(value) + (b"" if self.content(value) else EMPTY)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        if not self._first:
            if at == len(key):
                return self.value(b""), at
            if not key.startswith(SEPARATOR, at):
                raise ValueError("00 01 is not between two fields")
            at += 2
        match = _CONTENT.match(key, at)
        end = match.end() if match else at + 2
        if match is None and not key.startswith(EMPTY, at):
            raise ValueError("an empty field is 00 00")
        if match is None and not self._first and end == len(key):
            raise ValueError("an empty field at the end of the key is there")
        if end < len(key) and not key.startswith(SEPARATOR, end):
            raise ValueError("00 is neither an escape nor between two fields")
        content = match.group().replace(b"\x00\xff", b"\x00") if match else b""
        return self.value(content), end


class JoinedText(Joined[str]):
    """Text."""

    __slots__ = ()

    def content(self, value: str) -> bytes:
        return value.encode()

    def value(self, content: bytes) -> str:
        return content.decode()


class JoinedBytes(Joined[bytes]):
    """Bytes."""

    __slots__ = ()

    def content(self, value: bytes) -> bytes:
        return bytes_of(value)

    def value(self, content: bytes) -> bytes:
        return content


def _header(width: int) -> int:
    return (1 << width) - 1 << 7 * width


def encode_int(value: int) -> bytes:
    """An i64 in 1 to 10 bytes: of n, the first n bits are inverted."""
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"{shown(value)} is no i64")
    width = (~value if value < 0 else value).bit_length() // 7 + 1
    return (value & (1 << 8 * width) - 1 ^ _header(width)).to_bytes(width, "big")


def decode_int(content: bytes) -> int:
    """The number of these."""
    width = len(content)
    value = int.from_bytes(content, "big") ^ _header(width)
    if width and value >> 8 * width - 1:
        value -= 1 << 8 * width
    if encode_int(value) != content:
        raise ValueError(f"{shown(content)} is no number in its one form")
    return value


class JoinedInt(Joined[int]):
    """A number in as few bytes as it needs."""

    __slots__ = ()

    def content(self, value: int) -> bytes:
        return encode_int(value)

    def value(self, content: bytes) -> int:
        return decode_int(content)


class JoinedBigEndian(Joined[int]):
    """A number in eight bytes, in two's complement."""

    __slots__ = ()

    def content(self, value: int) -> bytes:
        return value.to_bytes(8, "big", signed=True)

    def value(self, content: bytes) -> int:
        if len(content) != 8:
            raise ValueError("a big-endian number has eight bytes")
        return int.from_bytes(content, "big", signed=True)


class JoinedMicros(Joined[Instant]):
    """An instant, by the number of its microseconds."""

    __slots__ = ("_number",)

    def __init__(self, first: bool, number: Joined[int]) -> None:
        super().__init__(first)
        self._number = number

    def content(self, value: Instant) -> bytes:
        if value.nanos % 1000 or not 0 <= value.nanos < 1_000_000_000:
            raise ValueError(f"{shown(value)} is no whole number of microseconds")
        return self._number.content(value.seconds * _MICROS + value.nanos // 1000)

    def value(self, content: bytes) -> Instant:
        seconds, micros = divmod(self._number.value(content), _MICROS)
        return Instant(seconds, micros * 1000)
