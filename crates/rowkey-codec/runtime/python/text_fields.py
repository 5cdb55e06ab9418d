"""Fields of text keys: what they hold, in characters, and where they end.

text['#']     "ada"    61 64 61 23
dec[10]       42       30 30 … 34 32
minus[99 2]   42       35 37
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic
from uuid import UUID

from .byte_strings import bytes_of
from .dates import Pattern
from .encoding import Encoding, Interval, T, taken
from .errors import REFUSED, Refusal, placed, shown
from .instants import Instant
from .integers import whole
from .key_ranges import successor

_DECIMAL = re.compile(r"[0-9]+", re.ASCII)
_SIGNED = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
_MOST = (1 << 128) - 1


class Form(Generic[T]):
    """The content of a field: its text, and the value of a text. Both raise ValueError."""

    __slots__ = ("text", "value")

    def __init__(self, text: Callable[[T], str], value: Callable[[str], T]) -> None:
        self.text = text
        self.value = value


def _same(text: str) -> str:
    return text


def _reversed(text: str) -> str:
    return text[::-1]


PLAIN = Form(_same, _same)
REVERSED = Form(_reversed, _reversed)


def _in_range(value: int, most: int) -> int:
    value = whole(value)
    if not 0 <= value <= most:
        raise ValueError(f"{shown(value)} is not from 0 to {most}")
    return value


def _number(text: str, padded: bool, most: int = _MOST) -> int:
    if not _DECIMAL.fullmatch(text) or (not padded and text.startswith("0") and text != "0") or len(text) > 39:
        raise ValueError(f"{shown(text)} is no number in its one form")
    return _in_range(int(text), most)


def decimal(width: int = 0) -> Form[int]:
    """A number from 0 on, with zeros before it up to a width."""
    return Form(lambda value: f"{_in_range(value, _MOST):0{width}}", lambda text: _number(text, width > 0))


def _signed(value: int) -> str:
    value = whole(value)
    if not -(1 << 127) <= value < 1 << 127:
        raise ValueError(f"{shown(value)} has more than 128 bits")
    return str(value)


def _signed_of(text: str) -> int:
    if not _SIGNED.fullmatch(text) or len(text) > 40:
        raise ValueError(f"{shown(text)} is no number in its one form")
    _signed(int(text))
    return int(text)


SIGNED = Form(_signed, _signed_of)


def minus(most: int, width: int = 0) -> Form[int]:
    """The rest of a number to another one."""
    return Form(
        lambda value: f"{most - _in_range(value, most):0{width}}",
        lambda text: most - _number(text, width > 0, most),
    )


def hexadecimal(width: int = 0, upper: bool = False) -> Form[int]:
    """A number from 0 on, in hex digits of one case."""
    letter = "X" if upper else "x"

    def text_of(value: int) -> str:
        return f"{_in_range(value, _MOST):0{width}{letter}}"

    def value_of(text: str) -> int:
        value = int(text, 16) if text.isalnum() and text.isascii() else -1
        if value < 0 or text_of(value) != text:
            raise ValueError(f"{shown(text)} is no number in hex in its one form")
        return value

    return Form(text_of, value_of)


def hex_bytes(upper: bool = False) -> Form[bytes]:
    """Bytes in hex digits of one case."""

    def text_of(value: bytes) -> str:
        digits = bytes_of(value).hex()
        return digits.upper() if upper else digits

    def value_of(text: str) -> bytes:
        value = bytes.fromhex(text)
        if text_of(value) != text:
            raise ValueError(f"{shown(text)} is no bytes in hex in their one form")
        return value

    return Form(text_of, value_of)


def _uuid_of(text: str) -> UUID:
    if not _UUID.fullmatch(text):
        raise ValueError(f"{shown(text)} is no UUID in lower case")
    return UUID(text)


def _text_of(value: UUID) -> str:
    if not isinstance(value, UUID):
        raise TypeError
    return str(value)


UUID_TEXT = Form(_text_of, _uuid_of)


def dates(*parts: str) -> Form[Instant]:
    """Instants, by the parts of a pattern."""
    pattern = Pattern(parts)
    return Form(pattern.text, pattern.instant)


class Fixed(Encoding[T]):
    """A field of a width in bytes, then perhaps a delimiter."""

    __slots__ = ("_delimiter", "_form", "_width")

    def __init__(self, form: Form[T], width: int, delimiter: bytes = b"") -> None:
        self._form = form
        self._width = width
        self._delimiter = delimiter

    def encode(self, value: T) -> bytes:
        content = self._form.text(value).encode()
        if len(content) != self._width:
            raise ValueError(f"{shown(value)} has not the width of the field, {self._width}")
        return content + self._delimiter

    def starting(self, start: T) -> bytes:
        content = self._form.text(start).encode()
        if len(content) > self._width:
            raise ValueError(f"{shown(start)} is longer than the field")
        return content

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        content = taken(key, at, self._width)
        at += self._width
        if not key.startswith(self._delimiter, at):
            taken(key, at, len(self._delimiter))
            raise Refusal("the delimiter is not after the field's width", at)
        return self._form.value(content.decode()), at + len(self._delimiter)


class Before(Encoding[T]):
    """A field that ends before a delimiter, which its content does not have."""

    __slots__ = ("_delimiter", "_form")

    def __init__(self, form: Form[T], delimiter: bytes) -> None:
        self._form = form
        self._delimiter = delimiter

    def encode(self, value: T) -> bytes:
        content = self._form.text(value).encode()
        if (content + self._delimiter).find(self._delimiter) != len(content):
            raise ValueError(f"{shown(value)} has the delimiter in it")
        return content + self._delimiter

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        end = key.find(self._delimiter, at)
        if end < 0:
            raise ValueError("there is no delimiter")
        return self._form.value(key[at:end].decode()), end + len(self._delimiter)

    def starting(self, start: T) -> bytes | list[Interval]:
        content = self._form.text(start).encode()
        if self._delimiter in content:
            raise ValueError(f"{shown(start)} has the delimiter in it")
        intervals: list[Interval] = []
        low: bytes | None = content
        for other in _shorter(content, self._delimiter):
            if low is None:
                return intervals
            intervals.append((low, other))
            low = successor(other)
        if not intervals:
            return content
        return intervals if low is None else [*intervals, (low, successor(content))]


def _shorter(start: bytes, delimiter: bytes) -> list[bytes]:
    """Shorter texts, each with its delimiter, that begin so: as "a" and "::" do with "a:"."""
    sizes = range(1, len(delimiter))
    found: list[bytes] = []
    for text in sorted(start + delimiter[size:] for size in sizes if start.endswith(delimiter[:size])):
        if not found or not text.startswith(found[-1]):
            found.append(text)
    return found


class Until(Before[T]):
    """A field that ends before the delimiter of an optional one, or with the key."""

    __slots__ = ()

    def encode(self, value: T) -> bytes:
        return super().encode(value)[: -len(self._delimiter)]

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        end = key.find(self._delimiter, at)
        value = self._form.value(key[at : len(key) if end < 0 else end].decode())
        self.encode(value)
        return value, len(key) if end < 0 else end


class Last(Encoding[T]):
    """A field that ends with the key, or so many bytes before its end."""

    __slots__ = ("_form", "_rest")

    def __init__(self, form: Form[T], rest: int = 0) -> None:
        self._form = form
        self._rest = rest

    def encode(self, value: T) -> bytes:
        return self._form.text(value).encode()

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T, int]:
        end = len(key) - self._rest
        if end < at:
            raise Refusal("the key ends too early", len(key))
        return self._form.value(key[at:end].decode()), end

    def starting(self, start: T) -> bytes:
        return self.encode(start)


class After(Encoding[T | None]):
    """Nothing, or a delimiter and a field, at the end of the key."""

    __slots__ = ("_delimiter", "_of")

    def __init__(self, of: Encoding[T], delimiter: bytes) -> None:
        self._of = of
        self._delimiter = delimiter

    def encode(self, value: T | None) -> bytes:
        return b"" if value is None else self._delimiter + self._of.encode(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[T | None, int]:
        if at == len(key):
            return None, at
        if not key.startswith(self._delimiter, at):
            taken(key, at, len(self._delimiter))
            raise ValueError("the field's delimiter is not before it")
        at += len(self._delimiter)
        try:
            return self._of.decode(key, other, at)
        except REFUSED as error:
            raise placed(error, at) from error
