"""Ranges of key bytes: what the scan of a store takes.

The end of a prefix is not the prefix and ff, which longer keys pass, but the prefix up to its last byte below ff, with
that byte one higher; a prefix of ff alone has no end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class KeyRange(NamedTuple):
    """The keys from one, included, to another, excluded. It is never empty."""

    start: bytes
    end: bytes | None = None
    """None: to the end of the table."""

    def contains(self, key: bytes) -> bool:
        """Whether a key is in the range."""
        return self.start <= key and (self.end is None or key < self.end)


def successor(prefix: bytes) -> bytes | None:
    """The first bytes after all that begin with a prefix; None if there are none."""
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else None


def between(start: bytes | None, end: bytes | None) -> list[KeyRange]:
    """The range from a key to another, if it is not empty. No start is after all keys."""
    if start is None or (end is not None and end <= start):
        return []
    return [KeyRange(start, end)]


def merged(ranges: Iterable[KeyRange]) -> list[KeyRange]:
    """The same keys in sorted ranges that neither overlap nor touch."""
    found: list[KeyRange] = []
    for range_ in sorted(ranges, key=lambda range_: range_.start):
        last = found[-1] if found else None
        if last is None or (last.end is not None and range_.start > last.end):
            found.append(range_)
        elif last.end is not None and (range_.end is None or range_.end > last.end):
            found[-1] = KeyRange(last.start, range_.end)
    return found
