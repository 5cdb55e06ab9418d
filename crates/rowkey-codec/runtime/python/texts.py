"""Text: UTF-8, escaped and terminated as bytes are.

"a"      61 00
"a\\0"   61 01 01 00
"""

from __future__ import annotations

from .byte_strings import escape, unescape
from .encoding import Encoding


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
        raise ValueError("there is no terminator")
    content = key[at:end]
    if b"\x01" in content:
        content = unescape(content)
    return content.decode(), end + 1


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
        return key[at:].decode(), len(key)

    def starting(self, start: str) -> bytes:
        return start.encode()
