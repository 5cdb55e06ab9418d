"""XXH3 of 64 bits, seed 0, by the specification of https://github.com/Cyan4973/xxHash."""

from __future__ import annotations

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_ALL = (1 << 64) - 1
_P32_1, _P32_2, _P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_MX1, _MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25


def _u64(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _rotated(number: int, bits: int) -> int:
    return (number << bits | number >> 64 - bits) & _ALL


def _folded(a: int, b: int) -> int:
    product = a * b
    return product & _ALL ^ product >> 64


def _avalanche(hash_: int) -> int:
    hash_ ^= hash_ >> 37
    hash_ = hash_ * _MX1 & _ALL
    return hash_ ^ hash_ >> 32


def avalanche_64(hash_: int) -> int:
    """The last steps of XXH64."""
    hash_ = (hash_ ^ hash_ >> 33) * _P2 & _ALL
    hash_ = (hash_ ^ hash_ >> 29) * _P3 & _ALL
    return hash_ ^ hash_ >> 32


def _mix(data: bytes, at: int, secret: int) -> int:
    return _folded(_u64(data, at) ^ _u64(_SECRET, secret), _u64(data, at + 8) ^ _u64(_SECRET, secret + 8))


def _to_16(data: bytes) -> int:
    size = len(data)
    if size > 8:
        low = _u64(data, 0) ^ _u64(_SECRET, 24) ^ _u64(_SECRET, 32)
        high = _u64(data, size - 8) ^ _u64(_SECRET, 40) ^ _u64(_SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche(size + swapped + high + _folded(low, high) & _ALL)
    if size > 3:
        hash_ = _u32(data, size - 4) + (_u32(data, 0) << 32) ^ _u64(_SECRET, 8) ^ _u64(_SECRET, 16)
        hash_ ^= _rotated(hash_, 49) ^ _rotated(hash_, 24)
        hash_ = hash_ * _MX2 & _ALL
        hash_ = (hash_ ^ (hash_ >> 35) + size) * _MX2 & _ALL
        return hash_ ^ hash_ >> 28
    if size > 0:
        joined = data[0] << 16 | data[size >> 1] << 24 | data[-1] | size << 8
        return avalanche_64(joined ^ _u32(_SECRET, 0) ^ _u32(_SECRET, 4))
    return avalanche_64(_u64(_SECRET, 56) ^ _u64(_SECRET, 64))


def _to_128(data: bytes) -> int:
    size = len(data)
    acc = size * _P1
    for i in range((size - 1) // 32, -1, -1):
        acc += _mix(data, 16 * i, 32 * i) + _mix(data, size - 16 * (i + 1), 32 * i + 16)
    return _avalanche(acc & _ALL)


def _to_240(data: bytes) -> int:
    size = len(data)
    acc = size * _P1 + sum(_mix(data, 16 * i, 16 * i) for i in range(8))
    acc = _avalanche(acc & _ALL)
    acc += sum(_mix(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, size // 16))
    return _avalanche(acc + _mix(data, size - 16, 136 - 17) & _ALL)


def _accumulate(acc: list[int], data: bytes, at: int, secret: int) -> None:
    for i in range(8):
        value = _u64(data, at + 8 * i)
        keyed = value ^ _u64(_SECRET, secret + 8 * i)
        acc[i ^ 1] = acc[i ^ 1] + value & _ALL
        acc[i] = acc[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32) & _ALL


def _long(data: bytes) -> int:
    size = len(data)
    acc = [_P32_3, _P1, _P2, _P3, _P4, _P32_2, _P5, _P32_1]
    stripes = (size - 1) // 64
    for stripe in range(stripes):
        _accumulate(acc, data, 64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i in range(8):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ _u64(_SECRET, 128 + 8 * i)) * _P32_1 & _ALL
    _accumulate(acc, data, size - 64, 192 - 64 - 7)
    hash_ = size * _P1
    for i in range(4):
        secret = 11 + 16 * i
        hash_ += _folded(acc[2 * i] ^ _u64(_SECRET, secret), acc[2 * i + 1] ^ _u64(_SECRET, secret + 8))
    return _avalanche(hash_ & _ALL)


def xxh3(data: bytes) -> int:
    """The hash of bytes."""
    size = len(data)
    if size <= 16:
        return _to_16(data)
    if size <= 128:
        return _to_128(data)
    return _to_240(data) if size <= 240 else _long(data)
