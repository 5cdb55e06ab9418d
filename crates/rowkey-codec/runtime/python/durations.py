"""Durations: the seconds as a u64, and the nanoseconds after them."""

from __future__ import annotations

import struct
from datetime import timedelta
from typing import NamedTuple

from .encoding import Encoding, taken
from .errors import shown
from .instants import checked_nanos, read_nanos

_SECONDS_NANOS = struct.Struct(">QI")


class Duration(NamedTuple):
    """A length of time, to the nanosecond."""

    seconds: int
    """Whole seconds, from 0 on."""
    nanos: int = 0
    """Nanoseconds beside them, below 10⁹."""

    @classmethod
    def of(cls, length: timedelta) -> Duration:
        """The duration of a length of time."""
        return cls(length.days * 86_400 + length.seconds, length.microseconds * 1000)

    def timedelta(self) -> timedelta:
        """The length of time, rounded down to a microsecond. Raises OverflowError above 10⁹ days."""
        return timedelta(seconds=self.seconds, microseconds=self.nanos // 1000)


class DurationNanos(Encoding[Duration]):
    """A duration."""

    __slots__ = ()

    def encode(self, value: Duration) -> bytes:
        nanos = checked_nanos(value.nanos)
        try:
            return _SECONDS_NANOS.pack(value.seconds, nanos)
        except struct.error as error:
            raise ValueError(f"{shown(value.seconds)} seconds are not from 0 to {(1 << 64) - 1}") from error

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[Duration, int]:
        seconds, nanos = _SECONDS_NANOS.unpack(taken(key, at, 12))
        return Duration(seconds, read_nanos(nanos, at + 8)), at + 12
