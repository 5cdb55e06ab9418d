"""Text: UTF-8, escaped and terminated as bytes are.

"a"      61 00
"a\\0"   61 01 01 00
"""

from __future__ import annotations

from .byte_strings import escape, unescape
from .encoding import Encoding
from .errors import Refusal


def encode_text(value: str) -> bytes:
    """The bytes of a text."""
    content = value.encode()
    if b"\x00" in content or b"\x01" in content:
        content = escape(content)
    return content + b"\x00"


def decode_text(key: bytes, at: int) -> tuple[str, int]:
    """The text that begins at a byte, and the byte after it."""
    end = key.find(b"\x00", at)
    if end < 0:
        raise Refusal("there is no terminator", len(key))
    content = key[at:end]
    if b"\x01" in content:
        return unescape(content, at).decode(), end + 1
    try:
        return content.decode(), end + 1
    except UnicodeDecodeError as error:
        raise not_utf8(error, at) from error


def not_utf8(error: UnicodeDecodeError, at: int) -> Refusal:
    """The refusal of text that begins at a byte."""
    return Refusal("the text is not UTF-8", at + error.start, inverted_at=at)


def decode_raw_text(key: bytes, at: int) -> str:
    """The text from a byte to the key's end."""
    try:
        return key[at:].decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error, at) from error


class Text(Encoding[str]):
    """Text, escaped and terminated."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        return encode_text(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        return decode_text(key, at)

    def starting(self, start: str) -> bytes:
        return escape(start.encode())


class RawText(Encoding[str]):
    """Text up to the key's end."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        return value.encode()

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        return decode_raw_text(key, at), len(key)

    def starting(self, start: str) -> bytes:
        return start.encode()
