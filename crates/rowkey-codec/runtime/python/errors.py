"""What is raised to users of a codec."""

from __future__ import annotations

import struct

REFUSED = (struct.error, ValueError, OverflowError)
"""What encodings raise."""


class RowKeyError(ValueError):
    """Bytes or values that are no key."""


class EncodeError(RowKeyError):
    """Values that are no key's."""


class DecodeError(RowKeyError):
    """Bytes that are no key."""


class LayoutMismatch(ValueError):
    """A table with keys of another layout."""


def not_encoded(name: str, error: Exception) -> EncodeError:
    """The error of values that are no key's."""
    return EncodeError(f"{name}: {error}")


def not_decoded(name: str, key: bytes, error: Exception) -> DecodeError:
    """The error of bytes that are no key."""
    return DecodeError(f"{name}: {error} ({key.hex()})")


def leftover(key: bytes, at: int) -> ValueError:
    """The error of bytes after the last field."""
    return ValueError(f"{len(key) - at} bytes are left over")
