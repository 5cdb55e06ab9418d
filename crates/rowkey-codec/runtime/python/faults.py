"""Which field of a key an error is in. Codecs look for it once there is one: they read and write several at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .byte_strings import is_bytes
from .encoding import INVERTED
from .errors import REFUSED, UNFIT, DecodeError, EncodeError, placed, shown, unfit
from .fields import Field
from .spans import Layout

_MOST = 16
"""The most bytes of a key that an error shows."""


def not_encoded(layout: Layout, fields: Sequence[Field[Any]], values: Sequence[Any], error: Exception) -> EncodeError:
    """The error of values that are no key's."""
    for field, value in zip(fields, values, strict=True):
        try:
            field.bytes(value)
        except UNFIT as found:
            return not_a_value(layout, field, value, found)
    return EncodeError(layout.name, "", unfit(error, values).reason)


def not_a_value(layout: Layout, field: Field[Any], value: object, error: Exception) -> EncodeError:
    """The error of a value that is none of its field's."""
    refusal = unfit(error, value, field.name)
    return EncodeError(layout.name, refusal.path, refusal.reason)


def key_bytes(layout: Layout, key: Any) -> bytes:
    """The bytes of a key that are in another type's value."""
    if is_bytes(key):
        return bytes(key)
    raise DecodeError(layout.name, "", 0, f"{shown(key)} is no bytes")


def not_decoded(layout: Layout, fields: Sequence[Field[Any]], key: bytes, error: Exception) -> DecodeError:
    """The error of bytes that are no key."""
    inverted = key.translate(INVERTED)
    at = layout.lead.width if layout.lead else 0
    if at > len(key):
        return DecodeError(layout.name, "", len(key), "the key ends too early")
    for field in fields:
        key_, other = (inverted, key) if field.desc else (key, inverted)
        try:
            _, at = field.encoding.decode(key_, other, at)
        except REFUSED as found:
            refusal = placed(found, at, field.name)
            if field.desc:
                refusal = refusal.inverted()
            found_bytes = key[refusal.at : refusal.at + _MOST].hex() or "the end"
            return DecodeError(layout.name, refusal.path, refusal.at, f"{refusal.reason}; found {found_bytes}")
    if at < len(key):
        return DecodeError(layout.name, "", at, f"{len(key) - at} bytes are left after the last field")
    return DecodeError(layout.name, "", 0, str(error))
