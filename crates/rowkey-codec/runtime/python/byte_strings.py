r"""Bytes of any length: 00 is written 01 01, and 01 is written 01 02; then comes the terminator 00.

00 ff 01    01 01 ff 01 02 00
"""

from __future__ import annotations

import re

from .encoding import Encoding

_ESCAPED = re.compile(rb"(?:[^\x01]|\x01[\x01\x02])*", re.DOTALL)
_ESCAPE = re.compile(rb"\x01[\x01\x02]")


def escape(content: bytes) -> bytes:
    """The content with its escapes, without its terminator."""
    if b"\x00" in content or b"\x01" in content:
        return content.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
    return content


def unescape(escaped: bytes) -> bytes:
    """The content of escaped bytes that have no terminator."""
    if b"\x01" not in escaped:
        return escaped
    if _ESCAPED.fullmatch(escaped) is None:
        raise ValueError("01 is not before 01 or 02")
    return _ESCAPE.sub(lambda match: b"\x00" if match.group() == b"\x01\x01" else b"\x01", escaped)


def until_terminator(key: bytes, at: int) -> tuple[bytes, int]:
    """The bytes before the next 00, and the byte after it."""
    end = key.find(b"\x00", at)
    if end < 0:
        raise ValueError("there is no terminator")
    return key[at:end], end + 1


class Bytes(Encoding[bytes]):
    """Bytes, escaped and terminated."""

    __slots__ = ()

    def encode(self, value: bytes) -> bytes:
        return escape(bytes(value)) + b"\x00"

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        escaped, at = until_terminator(key, at)
        return unescape(escaped), at

    def starting(self, start: bytes) -> bytes:
        return escape(start)


class RawBytes(Encoding[bytes]):
    """Bytes up to the key's end."""

    __slots__ = ()

    def encode(self, value: bytes) -> bytes:
        return bytes(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[bytes, int]:
        return key[at:], len(key)

    def starting(self, start: bytes) -> bytes:
        return start
