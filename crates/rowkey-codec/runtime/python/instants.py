"""Instants: the seconds since 1970 as an i64, rounded down, and the nanoseconds after them.

one nanosecond before 1970    7f ff ff ff ff ff ff ff | 3b 9a c9 ff
"""

from __future__ import annotations

import struct
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from .encoding import Encoding, taken
from .errors import Refusal, shown

_LEAST = -(1 << 63)
_SECONDS_NANOS = struct.Struct(">QI")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Instant(NamedTuple):
    """A point in time, to the nanosecond."""

    seconds: int
    """Seconds since 1970-01-01T00:00:00Z, rounded down."""
    nanos: int = 0
    """Nanoseconds after that second, below 10⁹."""

    @classmethod
    def of(cls, time: datetime) -> Instant:
        """The instant of a time, which has a time zone."""
        if time.tzinfo is None:
            raise ValueError("a time without a time zone is no instant")
        since = time - _EPOCH
        return cls(since.days * 86_400 + since.seconds, since.microseconds * 1000)

    def datetime(self) -> datetime:
        """The time in UTC, rounded down to a microsecond. Raises OverflowError outside the years 1 to 9999."""
        return _EPOCH + timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)


def checked_nanos(nanos: int) -> int:
    """Nanoseconds, which are less than a second."""
    if not 0 <= nanos < 1_000_000_000:
        raise ValueError(f"{shown(nanos)} nanoseconds are not from 0 to below a second")
    return nanos


def read_nanos(nanos: int, at: int) -> int:
    """Nanoseconds that are the four bytes from a place of a key on."""
    try:
        return checked_nanos(nanos)
    except ValueError as error:
        raise Refusal(str(error), at) from error


class InstantNanos(Encoding[Instant]):
    """An instant."""

    __slots__ = ()

    def encode(self, value: Instant) -> bytes:
        nanos = checked_nanos(value.nanos)
        try:
            return _SECONDS_NANOS.pack(value.seconds - _LEAST, nanos)
        except struct.error as error:
            raise ValueError(f"{shown(value.seconds)} seconds are not from {_LEAST} to {-_LEAST - 1}") from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[Instant, int]:
        seconds, nanos = _SECONDS_NANOS.unpack(taken(key, at, 12))
        return Instant(seconds + _LEAST, read_nanos(nanos, at + 8)), at + 12
