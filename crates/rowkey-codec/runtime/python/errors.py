"""What is raised to users of a codec, and what encodings raise.

An encoding raises a `ValueError` with its reason, or a `Refusal` that has the place too. What is around it adds the path
to it: the names of fields with dots between, items of lists as `[n]`.
"""

from __future__ import annotations

import struct

REFUSED = (struct.error, ValueError, OverflowError)
"""What encodings raise for bytes that are no value's."""

UNFIT = (*REFUSED, ArithmeticError, AttributeError, LookupError, TypeError)
"""What encodings raise for values that have no bytes, which can be of any type."""

_SHOWN = 60


class RowKeyError(ValueError):
    """Bytes or values that are no key, or a table of other keys."""


class EncodeError(RowKeyError):
    """Values that are no key's."""

    def __init__(self, key: str, field: str, reason: str) -> None:
        super().__init__(key, field, reason)
        self.key = key
        """The name of the key's type."""
        self.field = field
        """The path to the field."""
        self.reason = reason

    def __str__(self) -> str:
        return f"{_joined(self.key, self.field)}: {self.reason}"


class DecodeError(RowKeyError):
    """Bytes that are no key."""

    def __init__(self, key: str, field: str, offset: int, reason: str) -> None:
        super().__init__(key, field, offset, reason)
        self.key = key
        """The name of the key's type."""
        self.field = field
        """The path to the field; empty for the key as a whole."""
        self.offset = offset
        """The byte of the key, from 0 on, at which the error is."""
        self.reason = reason

    def __str__(self) -> str:
        return f"{_joined(self.key, self.field)} at byte {self.offset}: {self.reason}"


class LayoutMismatch(RowKeyError):
    """A table with keys of another layout."""


class Refusal(ValueError):
    """What an encoding refuses, and where in the key and in its field that is."""

    def __init__(self, reason: str, at: int, path: str = "", inverted_at: int | None = None) -> None:
        super().__init__(reason, at, path, inverted_at)
        self.reason = reason
        self.at = at
        self.path = path
        self.inverted_at = at if inverted_at is None else inverted_at
        """Where it is if the bytes that were read are the inverted ones of the key."""

    def inverted(self) -> Refusal:
        """The same of a field whose bytes are inverted."""
        return Refusal(self.reason, self.inverted_at, self.path, self.at)


def placed(error: Exception, at: int, name: str = "") -> Refusal:
    """The refusal of bytes, within a part of this name that begins at a byte."""
    if isinstance(error, Refusal):
        return Refusal(error.reason, error.at, _joined(name, error.path), error.inverted_at)
    return Refusal("the text is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error), at, name)


def unfit(error: Exception, value: object, name: str = "") -> Refusal:
    """The refusal of a value, within a part of this name."""
    if isinstance(error, Refusal):
        return Refusal(error.reason, error.at, _joined(name, error.path))
    if isinstance(error, UnicodeEncodeError):
        return Refusal(f"a surrogate stands alone at character {error.start}", 0, name)
    if isinstance(error, ValueError):
        return Refusal(str(error), 0, name)
    return Refusal(f"{shown(value)} is no value of its type", 0, name)


def shown(value: object) -> str:
    """A value for people, of which only the beginning is there if it is long."""
    try:
        text = value.hex() if isinstance(value, bytes) else repr(value)
    except ValueError:
        return "a number of many digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if outer and inner and not inner.startswith("[") else outer + inner
