"""IP addresses of either family: 04 and four bytes, or 06 and sixteen."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

from .encoding import Encoding, taken

IpAddress = IPv4Address | IPv6Address


class Ip(Encoding[IpAddress]):
    """An address."""

    __slots__ = ()

    def encode(self, value: IpAddress) -> bytes:
        if isinstance(value, IPv6Address):
            if value.scope_id is not None:
                raise ValueError(f"{value} has a zone")
            return b"\x06" + value.packed
        return b"\x04" + value.packed

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[IpAddress, int]:
        family = taken(key, at, 1)[0]
        if family == 4:
            return IPv4Address(taken(key, at + 1, 4)), at + 5
        if family == 6:
            return IPv6Address(taken(key, at + 1, 16)), at + 17
        raise ValueError(f"{family:02x} is no family of addresses")
