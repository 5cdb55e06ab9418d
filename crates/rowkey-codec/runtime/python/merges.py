"""Rows of several buckets in one order: that of the keys after their salt."""

from __future__ import annotations

from heapq import merge
from typing import Iterable, Iterator, Tuple, TypeVar

V = TypeVar("V")


def merged_rows(width: int, sources: Iterable[Iterable[Tuple[bytes, V]]]) -> Iterator[Tuple[bytes, V]]:
    """Sorted rows out of several sources, each sorted, by their keys after so many bytes."""
    return merge(*sources, key=lambda row: row[0][width:])
