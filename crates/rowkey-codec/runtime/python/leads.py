"""What stands before the fields of a key: a salt, or the beginning of a hash.

Both are taken over m: the bytes of all fields, or of some as they are in the key, without the last one's delimiter.
"""

from __future__ import annotations

from collections.abc import Callable

from .hashes import DIGESTS, SALTS


def _bytes(number: int, width: int) -> bytes:
    return number.to_bytes(width, "big")


def _decimal(number: int, width: int) -> bytes:
    return f"{number:0{width}}".encode()


def _hex(number: int, width: int) -> bytes:
    return f"{number:0{width}x}".encode()


def _upper_hex(number: int, width: int) -> bytes:
    return f"{number:0{width}X}".encode()


_BUCKETS: dict[str, Callable[[int, int], bytes]] = {
    "bytes": _bytes,
    "dec": _decimal,
    "hex": _hex,
    "upper hex": _upper_hex,
}


class Salt:
    """A bucket: the remainder of a hash by their number."""

    __slots__ = ("_hash", "_leads", "width")

    def __init__(self, buckets: int, hash_: str, radix: str, width: int, delimiter: bytes = b"") -> None:
        self._hash = SALTS[hash_]
        write = _BUCKETS[radix]
        self._leads = tuple(write(bucket, width) + delimiter for bucket in range(buckets))
        self.width = width + len(delimiter)

    def of(self, m: bytes) -> bytes:
        """The bytes before the fields of a key."""
        leads = self._leads
        return leads[self._hash(m) % len(leads)]

    def all(self) -> tuple[bytes, ...]:
        """The bytes of all buckets."""
        return self._leads


class Digest:
    """The first bytes or hex digits of a hash."""

    __slots__ = ("_delimiter", "_hash", "_radix", "_taken", "width")

    def __init__(self, hash_: str, radix: str, taken: int, delimiter: bytes = b"") -> None:
        self._hash = DIGESTS[hash_]
        self._radix = radix
        self._taken = taken
        self._delimiter = delimiter
        self.width = taken + len(delimiter)

    def of(self, m: bytes) -> bytes:
        """The bytes before the fields of a key."""
        found = self._hash(m)
        if self._radix != "bytes":
            digits = found.hex()
            found = (digits.upper() if self._radix == "upper hex" else digits).encode()
        return found[: self._taken] + self._delimiter


def check_lead(found: bytes, due: bytes) -> None:
    """Refuses a key with the salt or digest of another one."""
    if found != due:
        raise ValueError(f"the salt or digest is {found.hex()}, not {due.hex()}")
