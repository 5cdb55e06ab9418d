"""Floats, in IEEE's total order: of a negative number all bits are inverted, of others the sign bit.

    1.0    bf f0 00 00 00 00 00 00
    -1.0   40 0f ff ff ff ff ff ff

All bits are kept, those of a NaN too.
"""

from __future__ import annotations

import struct
from math import isnan

from .encoding import Encoding, taken

_F64 = struct.Struct(">d")
_F32 = struct.Struct(">f")
_U64 = struct.Struct(">Q")
_U32 = struct.Struct(">I")
_SIGN_64, _ALL_64 = 1 << 63, (1 << 64) - 1
_SIGN_32, _ALL_32 = 1 << 31, (1 << 32) - 1


def f64_bits(value: float) -> int:
    """The number of 64 bits that sorts as a float does."""
    (bits,) = _U64.unpack(_F64.pack(value))
    number: int = bits
    return number ^ _ALL_64 if number & _SIGN_64 else number | _SIGN_64


def f64_of(bits: int) -> float:
    """The float of such a number."""
    (value,) = _F64.unpack(_U64.pack(bits ^ _SIGN_64 if bits & _SIGN_64 else bits ^ _ALL_64))
    number: float = value
    return number


def f32_bits(value: float) -> int:
    """The number of 32 bits that sorts as a float does, which is rounded to the nearest of 32 bits."""
    if isnan(value):
        # A conversion would set a bit of some NaNs.
        (wide,) = _U64.unpack(_F64.pack(value))
        number = (wide >> 32 & _SIGN_32) | 0x7F800000 | (wide >> 29 & 0x7FFFFF)
    else:
        try:
            (number,) = _U32.unpack(_F32.pack(value))
        except OverflowError as error:
            raise ValueError(f"{value} is no float of 32 bits") from error
    bits: int = number ^ _ALL_32 if number & _SIGN_32 else number | _SIGN_32
    return bits


def f32_of(bits: int) -> float:
    """The float of such a number."""
    number = bits ^ _SIGN_32 if bits & _SIGN_32 else bits ^ _ALL_32
    if number & 0x7F800000 == 0x7F800000 and number & 0x7FFFFF:
        wide = (number & _SIGN_32) << 32 | 0x7FF0000000000000 | (number & 0x7FFFFF) << 29
        (value,) = _F64.unpack(_U64.pack(wide))
    else:
        (value,) = _F32.unpack(_U32.pack(number))
    found: float = value
    return found


class F64(Encoding[float]):
    """A float of 64 bits."""

    __slots__ = ()

    def encode(self, value: float) -> bytes:
        return _U64.pack(f64_bits(value))

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[float, int]:
        (bits,) = _U64.unpack(taken(key, at, 8))
        return f64_of(bits), at + 8


class F32(Encoding[float]):
    """A float of 32 bits."""

    __slots__ = ()

    def encode(self, value: float) -> bytes:
        return _U32.pack(f32_bits(value))

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[float, int]:
        (bits,) = _U32.unpack(taken(key, at, 4))
        return f32_of(bits), at + 4
