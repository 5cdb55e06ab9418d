"""Instants as dates and times in UTC, by a pattern.

    yyyyMMdd            20210228
    yyyyDDD             2021059
    yyyy-MM-dd'T'HH     2021-02-28T00

A pattern is the sequence of its parts: the letters of a number, or a character that stands for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from .errors import shown
from .instants import Instant

_DAY = 86_400
_EPOCH = 719_468
"""The days from 0000-03-01 to 1970-01-01."""


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day since 1970, in the years 0 to 9999: the method of Howard Hinnant."""
    era, of_era = divmod(days + _EPOCH, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year += era * 400 + (month <= 2)
    if not 0 <= year <= 9999:
        raise ValueError(f"the year {year} has not four digits")
    return year, month, day


def _days(year: int, month: int, day: int) -> int:
    """The days since 1970 of a day. Raises ValueError if there is no such day."""
    if year == 0:
        # `date` begins with the year 1; 400 years later the calendar is the same.
        return date(400, month, day).toordinal() - 146_097 - date(1970, 1, 1).toordinal()
    return date(year, month, day).toordinal() - date(1970, 1, 1).toordinal()


_UNITS = {"HH": 3600, "mm": 60, "ss": 1}


class Pattern:
    """A pattern of dates."""

    __slots__ = ("_parts", "_unit")

    def __init__(self, parts: Sequence[str]) -> None:
        self._parts = tuple(parts)
        units = [_UNITS[part] for part in parts if part in _UNITS]
        self._unit = 0 if any(part.startswith("S") and len(part) > 1 for part in parts) else min(units, default=_DAY)

    def text(self, instant: Instant) -> str:
        """The text of an instant. Raises ValueError if it has none that says exactly this instant."""
        days, of_day = divmod(instant.seconds, _DAY)
        year, month, day = _civil(days)
        numbers = {
            "yyyy": year,
            "MM": month,
            "dd": day,
            "DDD": days - _days(year, 1, 1) + 1,
            "HH": of_day // 3600,
            "mm": of_day // 60 % 60,
            "ss": of_day % 60,
            "SSS": instant.nanos // 1_000_000,
            "SSSSSS": instant.nanos // 1000,
            "SSSSSSSSS": instant.nanos,
        }
        text = "".join(f"{numbers[part]:0{len(part)}}" if part in numbers else part for part in self._parts)
        if self.instant(text) != instant:
            raise ValueError(f"the pattern has no text for {shown(instant)}")
        return text

    def instant(self, text: str) -> Instant:
        """The instant of a text."""
        numbers = {"MM": 1, "dd": 1}
        at = 0
        for part in self._parts:
            found = text[at : at + len(part)]
            at += len(part)
            if len(part) == 1:
                if found != part:
                    raise ValueError(f"{shown(text)} is no date of the pattern")
            elif len(found) < len(part) or not (found.isascii() and found.isdigit()):
                raise ValueError(f"{shown(text)} is no date of the pattern")
            else:
                numbers[part] = int(found)
        hour, minute, second = (numbers.get(part, 0) for part in ("HH", "mm", "ss"))
        if at != len(text) or hour > 23 or minute > 59 or second > 59:
            raise ValueError(f"{shown(text)} is no date of the pattern")
        if "DDD" in numbers:
            days = _days(numbers["yyyy"], 1, 1) + numbers["DDD"] - 1
            if numbers["DDD"] < 1 or _civil(days)[0] != numbers["yyyy"]:
                raise ValueError(f"{shown(text)} is no date of the pattern")
        else:
            days = _days(numbers["yyyy"], numbers["MM"], numbers["dd"])
        fraction = next((part for part in numbers if part.startswith("SSS")), None)
        nanos = numbers[fraction] * 10 ** (9 - len(fraction)) if fraction else 0
        return Instant(days * _DAY + hour * 3600 + minute * 60 + second, nanos)
