"""Generated code beside code by hand with `struct`, in one run: the least of many rounds, in nanoseconds a key.

Run in the folder of a package `rowkeys` of the layouts in `tests/vectors/python.rs`: `PYTHONPATH=. python3 speed.py`.
"""

import struct
import time
from dataclasses import dataclass

from rowkeys import Key, Key_2

NUMBERS = struct.Struct(">QQI")
TIME = struct.Struct(">Q")
ALL, HALF = (1 << 63) - 1, 1 << 63


@dataclass(frozen=True, slots=True)
class Numbers:
    f0: int
    f1: int
    f2: int

    def encode(self):
        return NUMBERS.pack(self.f0, ALL - self.f1, self.f2)

    @classmethod
    def decode(cls, key):
        if len(key) != NUMBERS.size:
            raise ValueError(key)
        f0, f1, f2 = NUMBERS.unpack(key)
        return cls(f0, ALL - f1, f2)


@dataclass(frozen=True, slots=True)
class Visit:
    f0: str
    f1: int

    def encode(self):
        host = self.f0.encode()
        if b"\x00" in host or b"\x01" in host:
            host = host.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
        return host + b"\x00" + TIME.pack(ALL - self.f1)

    @classmethod
    def decode(cls, key):
        end = key.index(b"\x00")
        host = key[:end]
        if b"\x01" in host:
            host = host.replace(b"\x01\x01", b"\x00").replace(b"\x01\x02", b"\x01")
        if len(key) != end + 9:
            raise ValueError(key)
        return cls(host.decode(), ALL - TIME.unpack_from(key, end + 1)[0])


def least(work, values, rounds=60):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for value in values:
            work(value)
        best = min(best, (time.perf_counter_ns() - start) / len(values))
    return best


def main():
    for name, ours, theirs, rows in [
        ("u64, i64 desc, u32", Key, Numbers, [(n, 1_600_000_000_000 + n, n & 0xFFFF) for n in range(5000)]),
        ("text, i64 desc", Key_2, Visit, [(f"www.example{n}.org", 1_600_000_000_000 + n) for n in range(5000)]),
    ]:
        keys = [theirs(*row).encode() for row in rows]
        assert keys == [ours(*row).encode() for row in rows]
        pairs = [
            ("encode", [(ours.encode, [ours(*row) for row in rows]), (theirs.encode, [theirs(*row) for row in rows])]),
            ("decode", [(ours.decode, keys), (theirs.decode, keys)]),
        ]
        for what, both in pairs:
            generated, by_hand = (least(*one) for one in both)
            print(f"{name}: {what} {generated:.0f} ns, by hand {by_hand:.0f} ns, ratio {generated / by_hand:.2f}")


main()
