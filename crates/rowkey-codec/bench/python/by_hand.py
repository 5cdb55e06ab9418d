"""Keys by hand with `struct`, which return the same dataclasses as the generated ones do, and their rows.

Run in the folder of a generated package `rowkeys`, it checks that both have the same bytes.
"""

import struct
from dataclasses import dataclass

import rowkeys

NUMBERS = struct.Struct(">QQI")
TIME = struct.Struct(">Q")
ALL = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Action:
    user: int
    at: int
    event: int

    def encode(self):
        return NUMBERS.pack(self.user, ALL - self.at, self.event)

    @classmethod
    def decode(cls, key):
        if len(key) != NUMBERS.size:
            raise ValueError(key)
        user, at, event = NUMBERS.unpack(key)
        return cls(user, ALL - at, event)


@dataclass(frozen=True, slots=True)
class Visit:
    host: str
    at: int

    def encode(self):
        host = self.host.encode()
        if b"\x00" in host or b"\x01" in host:
            host = host.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
        return host + b"\x00" + TIME.pack(ALL - self.at)

    @classmethod
    def decode(cls, key):
        end = key.index(b"\x00")
        host = key[:end]
        if b"\x01" in host:
            host = host.replace(b"\x01\x01", b"\x00").replace(b"\x01\x02", b"\x01")
        if len(key) != end + 9:
            raise ValueError(key)
        return cls(host.decode(), ALL - TIME.unpack_from(key, end + 1)[0])


# Of each key: the type by hand, the generated one, and rows.
KEYS = {
    "action": (Action, rowkeys.Action, [(n, 1_600_000_000_000 + n, n & 0xFFFF) for n in range(5000)]),
    "visit": (Visit, rowkeys.Visit, [(f"www.example{n}.org", 1_600_000_000_000 + n) for n in range(5000)]),
}


def check():
    for name, (by_hand, generated, rows) in KEYS.items():
        for row in rows:
            key = by_hand(*row).encode()
            assert key == generated(*row).encode(), (name, row)
            fields = [tuple(getattr(of.decode(key), field) for field in of.__slots__) for of in (by_hand, generated)]
            assert fields == [row, row], (name, fields)


if __name__ == "__main__":
    check()
