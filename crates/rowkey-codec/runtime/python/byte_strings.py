r"""Bytes of any length: 00 is written 01 01, and 01 is written 01 02; then comes the terminator 00.

00 ff 01    01 01 ff 01 02 00
"""

from __future__ import annotations

import re
from typing import Any

from .encoding import Encoding
from .errors import Refusal

_ESCAPED = re.compile(rb"(?:[^\x01]|\x01[\x01\x02])*", re.DOTALL)
_ESCAPE = re.compile(rb"\x01[\x01\x02]")


def is_bytes(value: Any) -> bool:
    """Whether it is bytes of any of the types that hold them: of a memoryview, one whose items are single bytes."""
    if isinstance(value, memoryview):
        return value.itemsize == 1 and value.ndim == 1
    return isinstance(value, (bytes, bytearray))


def bytes_of(value: bytes) -> bytes:
    """The bytes that a value holds."""
    if not is_bytes(value):
        raise TypeError
    return bytes(value)


def escape(content: bytes) -> bytes:
    """The content with its escapes, without its terminator."""
    if b"\x00" in content or b"\x01" in content:
        return content.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
    return content


def unescape(escaped: bytes, at: int = 0) -> bytes:
    """The content of escaped bytes, which begin at a byte of the key and have no terminator."""
    if b"\x01" not in escaped:
        return escaped
    valid = _ESCAPED.match(escaped)
    end = valid.end() if valid else 0
    if end < len(escaped):
        raise Refusal("01 is before another byte than 01 and 02", at + end + 1)
    return _ESCAPE.sub(lambda match: b"\x00" if match.group() == b"\x01\x01" else b"\x01", escaped)


def until_terminator(key: bytes, at: int) -> tuple[bytes, int]:
    """The bytes before the next 00, and the byte after it."""
    end = key.find(b"\x00", at)
    if end < 0:
        raise Refusal("there is no terminator", len(key))
    return key[at:end], end + 1


class Bytes(Encoding[bytes]):
    """Bytes, escaped and terminated."""

    __slots__ = ()

    def encode(self, value: bytes) -> bytes:
        return escape(bytes_of(value)) + b"\x00"

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        escaped, end = until_terminator(key, at)
        return unescape(escaped, at), end

    def starting(self, start: bytes) -> bytes:
        return escape(bytes_of(start))


class RawBytes(Encoding[bytes]):
    """Bytes up to the key's end."""

    __slots__ = ()

    def encode(self, value: bytes) -> bytes:
        return bytes_of(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        return key[at:], len(key)

    def starting(self, start: bytes) -> bytes:
        return bytes_of(start)
