"""UUIDs: sixteen bytes."""

from __future__ import annotations

from uuid import UUID

from .encoding import Encoding, taken


class Uuid(Encoding[UUID]):
    """A UUID."""

    __slots__ = ()

    def encode(self, value: UUID) -> bytes:
        return value.bytes

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[UUID, int]:
        return UUID(bytes=taken(key, at, 16)), at + 16
