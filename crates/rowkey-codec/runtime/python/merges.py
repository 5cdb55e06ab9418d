"""Rows of several buckets in one order: that of the keys after their salt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from typing import TypeVar

V = TypeVar("V")


def merged_rows(width: int, sources: Iterable[Iterable[tuple[bytes, V]]]) -> Iterator[tuple[bytes, V]]:
    """Sorted rows out of several sources, each sorted, by their keys after so many bytes."""
    return merge(*sources, key=lambda row: row[0][width:])
