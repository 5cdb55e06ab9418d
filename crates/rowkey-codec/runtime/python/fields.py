"""Fields of a key."""

from __future__ import annotations

from typing import Generic

from .encoding import INVERTED, Encoding, T


class Field(Generic[T]):
    """A field of a key: its encoding as if it were ascending, and what its ranges depend on."""

    __slots__ = ("desc", "descends", "encoding", "ends_with_key", "longer", "name")

    def __init__(
        self,
        name: str,
        encoding: Encoding[T],
        *,
        desc: bool = False,
        ends_with_key: bool = False,
        descends: bool = False,
        longer: bytes = b"",
    ) -> None:
        self.name = name
        """The name in the design."""
        self.encoding = encoding
        self.desc = desc
        self.ends_with_key = ends_with_key
        self.descends = descends
        """Whether the bytes have the reverse order of the values."""
        self.longer = longer
        """The bytes between those that may be after a value, and those with which a longer value goes on."""

    def bytes(self, value: T) -> bytes:
        """The bytes of a value in a key."""
        content = self.encoding.encode(value)
        return content.translate(INVERTED) if self.desc else content
