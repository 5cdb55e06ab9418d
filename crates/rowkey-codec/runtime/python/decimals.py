"""Decimal numbers, in digits of base 100: 0, or ± d.ddd… * 100^e, whose first and last digits are not 0.

    0        80 00
    12.5     c1 0d 33 00       the byte c1 + e, each digit + 1, the terminator
    -12.5    3e 59 33 66 00    the byte 3e - e, 101 - each digit, 66, the terminator

e is from -64 to 61. A number has one form: 1.0 and 1.00 are one key, and so are 0 and -0.
"""

from __future__ import annotations

from decimal import Decimal

from .byte_strings import until_terminator
from .encoding import Encoding
from .errors import Refusal, shown


def encode_decimal(value: Decimal) -> bytes:
    """The bytes without a terminator."""
    if not isinstance(value, Decimal):
        raise TypeError
    if not value.is_finite():
        raise ValueError(f"{shown(value)} is no number")
    negative, tens, power = value.as_tuple()
    exponent = int(power)
    text = "".join(map(str, tens)).lstrip("0")
    if not text:
        return b"\x80"
    # An even number of digits after the point, and before it.
    if exponent % 2:
        text, exponent = text + "0", exponent - 1
    if len(text) % 2:
        text = "0" + text
    exponent = (exponent + len(text)) // 2 - 1
    digits = [int(text[i : i + 2]) for i in range(0, len(text), 2)]
    while digits[-1] == 0:
        digits.pop()
    if not -64 <= exponent <= 61:
        raise ValueError(f"{shown(value)} is not from 10^-128 to below 10^124 in size")
    if negative:
        return bytes([0x3E - exponent, *(101 - digit for digit in digits), 0x66])
    return bytes([0xC1 + exponent, *(digit + 1 for digit in digits)])


def decode_decimal(found: bytes, at: int) -> Decimal:
    """The number of bytes without a terminator, which begin at a byte of the key."""
    if found == b"\x80":
        return Decimal(0)
    first = found[0] if found else 0
    if first == 0x80:
        raise Refusal(f"something follows the 80 of a decimal 0: {shown(found)}", at + 1)
    if 0x01 <= first <= 0x7E:
        if found[-1] != 0x66:
            raise Refusal(f"66 is not at the end of a negative decimal: {shown(found)}", at + len(found))
        negative, exponent, digits = 1, 0x3E - first, [101 - byte for byte in found[1:-1]]
    elif 0x81 <= first <= 0xFE:
        negative, exponent, digits = 0, first - 0xC1, [byte - 1 for byte in found[1:]]
    else:
        raise Refusal(f"{shown(found)} is no decimal", at)
    wrong = next((place for place, digit in enumerate(digits) if not 0 <= digit <= 99), None)
    if wrong is not None:
        raise Refusal(f"a digit of base 100 is not from 0 to 99: {shown(found)}", at + 1 + wrong)
    if not digits or digits[0] == 0 or digits[-1] == 0:
        raise Refusal(f"{shown(found)} is no decimal in its one form", at + 1)
    tens = [ten for digit in digits for ten in divmod(digit, 10)]
    last = 2 * (exponent + 1 - len(digits))
    if tens[-1] == 0 and last < 0:
        tens, last = tens[:-1], last + 1
    return Decimal((negative, tuple(tens), last))


class DecimalNumber(Encoding[Decimal]):
    """A decimal, terminated."""

    __slots__ = ()

    def encode(self, value: Decimal) -> bytes:
        return encode_decimal(value) + b"\x00"

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[Decimal, int]:
        found, end = until_terminator(key, at)
        return decode_decimal(found, at), end


class RawDecimal(Encoding[Decimal]):
    """A decimal up to the key's end."""

    __slots__ = ()

    def encode(self, value: Decimal) -> bytes:
        return encode_decimal(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[Decimal, int]:
        return decode_decimal(key[at:], at), len(key)
