"""Host paths: the host's labels in reverse, then the path, as text. A domain and its subdomains are one range.

"hbase.apache.org/book"    "org.apache.hbase/book" 00
"10.0.0.1/"                "10.0.0.1/" 00
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address

from .byte_strings import escape
from .encoding import Encoding
from .errors import shown
from .texts import decode_raw_text, decode_text

_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


def is_address(host: str) -> bool:
    """Whether a host is an address, and not a name. Raises ValueError if it is neither, in its one form."""
    if host.startswith("[") and host.endswith("]"):
        if _shortest(host[1:-1]) != host[1:-1]:
            raise ValueError(f"{shown(host)} is no IPv6 address in its shortest form")
        return True
    if _NAME.fullmatch(host) is None:
        raise ValueError(f"{shown(host)} is no host: its labels are of a-z, 0-9, - and _")
    if _DIGITS.fullmatch(host.rsplit(".", 1)[-1]) is None:
        return False
    # Refuses leading zeros, and other than four numbers.
    IPv4Address(host)
    return True


def _shortest(address: str) -> str:
    if "%" in address:
        raise ValueError(f"{shown(address)} has a zone")
    packed = IPv6Address(address).packed
    groups = [f"{packed[i] << 8 | packed[i + 1]:x}" for i in range(0, 16, 2)]
    runs = re.finditer("0+", "".join("0" if group == "0" else "x" for group in groups))
    longest = max(runs, key=lambda run: run.end() - run.start(), default=None)
    if longest is None or longest.end() - longest.start() < 2:
        return ":".join(groups)
    return ":".join(groups[: longest.start()]) + "::" + ":".join(groups[longest.end() :])


def reversed_host(host: str) -> str:
    """The host as it is in a key."""
    return host if is_address(host) else ".".join(reversed(host.split(".")))


def _is_ipv4(host: str) -> bool:
    try:
        IPv4Address(host)
    except ValueError:
        return False
    return True


def _host_of(found: str) -> str:
    if found.startswith("[") or _is_ipv4(found):
        is_address(found)
        return found
    host = ".".join(reversed(found.split(".")))
    if is_address(host):
        raise ValueError(f"{shown(found)} is an address backwards")
    return host


def encode_host_path(value: str) -> bytes:
    """The content of a host path's text."""
    host, slash, path = value.partition("/")
    if not slash:
        raise ValueError(f"{shown(value)} has no / after the host")
    return f"{reversed_host(host)}/{path}".encode()


def decode_host_path(content: str) -> str:
    """The host path of a text's content."""
    host, slash, path = content.partition("/")
    if not slash:
        raise ValueError(f"{shown(content)} has no / after the host")
    return f"{_host_of(host)}/{path}"


class HostPath(Encoding[str]):
    """A host and a path, as text."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        return escape(encode_host_path(value)) + b"\x00"

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        content, end = decode_text(key, at)
        return decode_host_path(content), end


class RawHostPath(Encoding[str]):
    """A host and a path, up to the key's end."""

    __slots__ = ()

    def encode(self, value: str) -> bytes:
        return encode_host_path(value)

    def decode(self, key: bytes, other: bytes, at: int) -> tuple[str, int]:
        return decode_host_path(decode_raw_text(key, at)), len(key)
