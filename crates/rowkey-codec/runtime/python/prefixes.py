"""Prefixes of keys: the leading fields in key order, then perhaps a condition on the next one.

Generated classes have a method for each field of a key: one class for each number of fixed fields, so that a field out
of order is an error of types.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from .encoding import INVERTED
from .errors import UNFIT, EncodeError, shown
from .faults import not_a_value
from .fields import Field
from .host_paths import is_address, reversed_host
from .key_ranges import KeyRange, merged
from .spans import END, START, Cut, Layout, Span, ranges_by_bucket

T = TypeVar("T")


class Included(NamedTuple, Generic[T]):
    """A bound that is itself in the range."""

    value: T


class Excluded(NamedTuple, Generic[T]):
    """A bound that is not in the range."""

    value: T


class Unbounded(NamedTuple):
    """No bound."""


Bound = Included[T] | Excluded[T] | Unbounded
UNBOUNDED = Unbounded()


class Selection:
    """A set of keys."""

    __slots__ = ("_layout", "_spans")

    def __init__(self, layout: Layout, spans: list[Span]) -> None:
        self._layout = layout
        self._spans = spans

    def ranges_by_bucket(self) -> list[list[KeyRange]]:
        """The ranges of the keys: a list for each salt bucket that can hold some, one without a salt."""
        return ranges_by_bucket(self._spans, self._layout)

    def ranges(self) -> list[KeyRange]:
        """The ranges of the keys, merged and sorted."""
        return merged(range_ for ranges in self.ranges_by_bucket() for range_ in ranges)


Beginning = tuple[Layout, bytes, tuple[int, ...], bytes]


def begun(
    layout: Layout,
    body: bytes = b"",
    ends: tuple[int, ...] = (),
    longer: bytes = b"",
    constants: Iterable[Field[tuple[()]]] = (),
) -> Beginning:
    """The beginning of a key, with the constants that come next."""
    for constant in constants:
        body += constant.bytes(())
        ends, longer = (*ends, len(body)), b""
    return layout, body, ends, longer


class Step:
    """A prefix whose keys may be anywhere, because a digest of more fields is before them."""

    __slots__ = ("_body", "_ends", "_layout", "_longer")

    def __init__(self, layout: Layout, body: bytes = b"", ends: tuple[int, ...] = (), longer: bytes = b"") -> None:
        self._layout = layout
        self._body = body
        self._ends = ends
        self._longer = longer

    def _with(self, field: Field[T], value: T, *constants: Field[tuple[()]]) -> Beginning:
        try:
            body = self._body + field.bytes(value)
        except UNFIT as error:
            raise not_a_value(self._layout, field, value, error) from error
        return begun(self._layout, body, (*self._ends, len(body)), field.longer, constants)

    def _in(self, field: Field[T], values: Iterable[T], *constants: Field[tuple[()]]) -> Selection:
        if isinstance(values, (str, bytes, bytearray, memoryview)) or not isinstance(values, Iterable):
            raise self._refused(field, f"{shown(values)} is no collection of values")
        steps = [Prefix(*self._with(field, value, *constants)) for value in values]
        return Selection(self._layout, [step._span() for step in steps])

    def _refused(self, field: Field[Any], reason: str) -> EncodeError:
        return EncodeError(self._layout.name, field.name, reason)

    def _between(self, field: Field[Any], low: Cut, high: Cut) -> Selection:
        return Selection(self._layout, [self._cut(field, low, high)])

    def _cut(self, field: Field[Any], low: Cut, high: Cut) -> Span:
        if field.desc:
            low, high = high.inverted(), low.inverted()
        if self._longer and high == END:
            high = Cut(self._longer, False)
        return Span(self._body, self._ends, low, high)

    def _range(self, field: Field[T], start: Bound[T], end: Bound[T]) -> Selection:
        for bound in (start, end):
            if not isinstance(bound, (Included, Excluded, Unbounded)):
                raise self._refused(field, f"{shown(bound)} is neither Included nor Excluded nor UNBOUNDED")
        if field.descends:
            start, end = end, start

        def cut(bound: Bound[T], is_after: bool, open_: Cut) -> Cut:
            if isinstance(bound, Unbounded):
                return open_
            content = self._encoded(field, bound.value)
            if not is_after:
                return Cut(content, False)
            if field.longer:
                return Cut(content + field.longer, False)
            # A value that ends with the key has no terminator: a longer one is another one.
            return Cut(content + b"\x00", False) if field.ends_with_key else Cut(content, True)

        low = cut(start, isinstance(start, Excluded), START)
        high = cut(end, isinstance(end, Included), END)
        return self._between(field, low, high)

    def _encoded(self, field: Field[T], value: T) -> bytes:
        try:
            return field.encoding.encode(value)
        except UNFIT as error:
            raise not_a_value(self._layout, field, value, error) from error

    def _starts_with(self, field: Field[Any], start: Any) -> Selection:
        try:
            begun = field.encoding.starting(start)
        except UNFIT as error:
            raise not_a_value(self._layout, field, start, error) from error
        if isinstance(begun, list):
            cuts = [(Cut(low, False), END if high is None else Cut(high, False)) for low, high in begun]
            return Selection(self._layout, [self._cut(field, low, high) for low, high in cuts])
        body = self._body + (begun.translate(INVERTED) if field.desc else begun)
        return Selection(self._layout, [Span(body, self._ends)])

    def _within(self, field: Field[Any], area: str) -> Selection:
        try:
            found = field.encoding.within(area)
        except UNFIT as error:
            raise not_a_value(self._layout, field, area, error) from error
        if found is None:
            return Selection(self._layout, [])
        return self._between(field, Cut(found[0], False), Cut(found[1], True))

    def _under(self, field: Field[Any], host: str) -> Selection:
        try:
            if is_address(host):
                return self._between(field, Cut(f"{host}/".encode(), False), Cut(f"{host}0".encode(), False))
            name = reversed_host(host)
        except UNFIT as error:
            raise not_a_value(self._layout, field, host, error) from error
        return self._between(field, Cut(f"{name}.".encode(), False), Cut(f"{name}0".encode(), False))

    def _span(self) -> Span:
        is_narrow = self._longer and len(self._ends) < self._layout.fields
        return Span(self._body, self._ends, START, Cut(self._longer, False) if is_narrow else END)


class Prefix(Step):
    """The keys that begin with some fields."""

    __slots__ = ()

    def ranges_by_bucket(self) -> list[list[KeyRange]]:
        """The ranges of the keys: a list for each salt bucket that can hold some, one without a salt."""
        return Selection(self._layout, [self._span()]).ranges_by_bucket()

    def ranges(self) -> list[KeyRange]:
        """The ranges of the keys, merged and sorted."""
        return Selection(self._layout, [self._span()]).ranges()
