"""From the bytes of fields to ranges of keys: what a prefix selects, without and with the lead before it.

A bound is not a key but a cut between keys: before or after all keys that begin with some bytes. So it can be inverted
for a descending field, and moved after a prefix, without losing a key.
"""

from __future__ import annotations

from typing import NamedTuple

from .encoding import INVERTED
from .key_ranges import KeyRange, between, merged, successor
from .leads import Digest, Salt
from .ordered_code import without_empty_ends


class Cut(NamedTuple):
    """A place before all keys that begin with some bytes, or after all."""

    content: bytes
    is_after: bool

    def inverted(self) -> Cut:
        """The same cut once every byte, and with it the order, is inverted."""
        return Cut(self.content.translate(INVERTED), not self.is_after)

    def key(self, prefix: bytes) -> bytes | None:
        """The first key after the cut among those that begin with a prefix; None if there is none."""
        content = prefix + self.content
        return successor(content) if self.is_after else content


START = Cut(b"", False)
END = Cut(b"", True)


class Span(NamedTuple):
    """The keys whose bytes after the lead begin with some fields and go on between two cuts."""

    body: bytes
    ends: tuple[int, ...]
    """The end of each field that is fixed."""
    low: Cut = START
    high: Cut = END


class Layout(NamedTuple):
    """What of a key turns spans into ranges."""

    name: str
    """The name of the key's type."""
    fields: int
    """The number of fields."""
    lead: Salt | Digest | None = None
    by: tuple[int, ...] = ()
    """The fields that the lead is taken from; none: all."""
    cut: int = 0
    """The bytes at the end of these that are left out."""
    until: bytes = b""
    """The delimiter before the last field, if keys have it only with that field."""
    is_joined: bool = False
    """Whether OrderedCode joins the fields."""

    def m(self, body: bytes, ends: tuple[int, ...]) -> bytes | None:
        """What the lead is taken from; None if not all of its fields are fixed."""
        if len(ends) <= (self.by[-1] if self.by else self.fields - 1):
            return None
        if self.by:
            body = b"".join(body[ends[at - 1] if at else 0 : ends[at]] for at in self.by)
        return body[: len(body) - self.cut]


def _before_optional(span: Span, layout: Layout) -> list[Span]:
    """The span without keys that have other bytes after all fields but one than the delimiter of that one."""
    body, ends, low_cut, high_cut = span
    if not layout.until or len(ends) + 1 != layout.fields or ends[-1] != len(body):
        return [span]
    low, high = low_cut.key(b""), high_cut.key(b"")
    if low is None:
        return []
    spans = []
    start = max(low, layout.until)
    end = min(key for key in (high, successor(layout.until)) if key is not None)
    if start < end:
        spans.append(Span(body, ends, Cut(start, False), Cut(end, False)))
    if low == b"" and high != b"":
        spans.append(Span(body, (*ends, len(body))))
    return spans


def _range(span: Span, lead: bytes, layout: Layout) -> list[KeyRange]:
    prefix = lead + span.body
    if len(span.ends) == layout.fields:
        return [KeyRange(prefix, prefix + b"\x00")]
    return between(span.low.key(prefix), span.high.key(prefix))


def _without_empty_ends(range_: KeyRange) -> list[KeyRange]:
    end: bytes | None = None if range_.end is None else without_empty_ends(range_.end)
    return between(without_empty_ends(range_.start), end)


def ranges_by_bucket(spans: list[Span], layout: Layout) -> list[list[KeyRange]]:
    """The ranges of spans: a list for each bucket that can hold such keys, a single one for a key without a salt.

    Raises ValueError if the key begins with a digest of fields that are not fixed.
    """
    lead = layout.lead
    found: dict[bytes, list[KeyRange]] = {}
    for whole in spans:
        if layout.is_joined and len(whole.ends) == layout.fields:
            whole = whole._replace(body=without_empty_ends(whole.body))
        for span in _before_optional(whole, layout):
            m = layout.m(span.body, span.ends)
            if lead is None:
                leads: tuple[bytes, ...] = (b"",)
            elif m is not None:
                leads = (lead.of(m),)
            elif isinstance(lead, Salt):
                leads = lead.all()
            elif span == Span(b"", ()):
                leads = (b"",)
            else:
                raise ValueError("the key begins with a digest of fields that are not fixed")
            for bucket in leads:
                found.setdefault(bucket if isinstance(lead, Salt) else b"", []).extend(_range(span, bucket, layout))
    lists = [ranges for _, ranges in sorted(found.items())]
    if layout.is_joined:
        lists = [[cut for range_ in merged(ranges) for cut in _without_empty_ends(range_)] for ranges in lists]
    else:
        lists = [merged(ranges) for ranges in lists]
    return [ranges for ranges in lists if ranges]
