"""What a package has besides bytes: merges, explanations, the check of a table's layout, types of time."""

import pickle
import unittest
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import rowkeys.runtime as rt
from rowkeys import Key, Key_2, Key_3, Key_4, Key_5
from rowkeys.key_4 import Key411, Key43, Key419
from rowkeys.key_5 import Key53, Key58


def rows_of(keys):
    """A row of each key."""
    return iter([(key, None) for key in keys])


class Package(unittest.TestCase):
    """`Key` is salt(4 xxh3 by 0) text, i64 desc; `Key_2` is instant, duration; `Key_3` is option<option<u8>>; `Key_4` is
    u8, enum{1: (), 9: (u32, text)}, list<text>, (i16, bytes[2]) desc, option<text>; `Key_5` is dec['#'], int['#'],
    hexbytes['#'], enum{1: (), 2: ()}, bool, char, decimal, bytes, (u8, bytes[2]).
    """

    def test_a_merge_of_buckets_is_in_the_order_of_the_keys_after_the_salt(self):
        keys = [Key(f"host {n % 7}", n) for n in range(100)]
        rows = sorted((key.encode(), key) for key in keys)
        buckets = {}
        for row in rows:
            buckets.setdefault(row[0][0], []).append(row)
        self.assertGreater(len(buckets), 1)
        merged = [key for _, key in Key.merge(buckets.values())]
        self.assertEqual(merged, sorted(keys, key=lambda key: (key.f0, -key.f1)))

    def test_a_merge_has_the_rows_before_an_error_and_none_behind_it(self):
        scans = [[b"0a", b"0d", b"0e"], [], [b"1b", b"1c", b"1g"], [b"2f"]]
        merged = sorted((key for scan in scans for key in scan), key=lambda key: key[1:])
        for failing, keys in enumerate(scans):
            for at in range(len(keys) + 1):
                failure = OSError("once")
                rows = [self.failing(scan, at, failure) if i == failing else rows_of(scan) for i, scan in enumerate(scans)]
                merge, found, errors = Key.merge(rows), [], []
                while not errors or errors[-1] is not None:
                    try:
                        found.append(next(merge)[0])
                        self.assertEqual(errors, [])
                    except StopIteration:
                        errors.append(None)
                    except OSError as error:
                        errors.append(error)
                self.assertEqual(errors, [failure, None])
                self.assertEqual(found, merged[: merged.index(keys[at - 1]) + 1 if at else 0])

    @staticmethod
    def failing(keys, at, failure):
        """The rows of a scan that fails once before one of them, and goes on if it is asked."""

        class Failing:
            def __init__(self):
                self.rows = list(rows_of(keys))
                self.given, self.failed = 0, False

            def __iter__(self):
                return self

            def __next__(self):
                if self.given == at and not self.failed:
                    self.failed = True
                    raise failure
                if self.given == len(self.rows):
                    raise StopIteration
                self.given += 1
                return self.rows[self.given - 1]

        return Failing()

    def test_a_table_of_another_layout_is_refused(self):
        schema = "row key: {}\nrow key field: 0 f0\nfamily f: max versions 1\n"
        for kept in (Key.SHAPE, Key.FINGERPRINT, Key.SHAPE.encode(), schema.format(Key.SHAPE).encode()):
            Key.check_layout(kept)
            for end in ("\n", "\r\n", "\n\n"):
                Key.check_layout(kept + (end if isinstance(kept, str) else end.encode()))
        for kept in (Key_2.SHAPE, Key_2.FINGERPRINT, schema.format(Key_2.SHAPE), "", b"\xff", None, 7, [Key.SHAPE]):
            with self.assertRaises(rt.RowKeyError) as raised:
                Key.check_layout(kept)
            self.assertIsInstance(raised.exception, rt.LayoutMismatch)
            self.assertTrue(str(raised.exception).startswith(f"Key has keys of {Key.SHAPE}"))

    def test_an_explanation_has_all_bytes(self):
        key = Key("ada", 7).encode()
        lines = Key.explain(key).splitlines()
        self.assertEqual("".join(line.split()[1] for line in lines), key.hex())
        self.assertEqual(lines[1].split(maxsplit=2)[2], "f0 = 'ada'")
        self.assertIn("are left", Key.explain(key + b"\x00"))

    def test_values_of_other_types_are_refused(self):
        for key in (Key("a", 1 << 63), Key("\ud800", 0), Key_2(rt.Instant(0, 10**9), rt.Duration(0))):
            with self.assertRaises(rt.EncodeError):
                key.encode()

    def test_an_error_of_encoding_names_its_key_and_field(self):
        good = Key_4(7, Key419(1, "a"), ("b",), Key43(2, b"cd"), None)
        good.encode()
        for changed, field in (
            ({"f0": 256}, "_0"),
            ({"f0": -1}, "_0"),
            ({"f0": None}, "_0"),
            ({"f1": Key419(1 << 32, "a")}, "_1.9._0"),
            ({"f1": Key419(1, "\ud800")}, "_1.9._1"),
            ({"f1": Key419(1, None)}, "_1.9._1"),
            ({"f1": None}, "_1"),
            ({"f2": ("a", "\udfff")}, "_2[1]"),
            ({"f2": None}, "_2"),
            ({"f3": Key43(1 << 15, b"cd")}, "_3._0"),
            ({"f3": Key43(1, b"c")}, "_3._1"),
            ({"f3": (1, b"cd")}, "_3"),
            ({"f1": Key411}, "_1"),
            ({"f2": "ab"}, "_2"),
            ({"f3": Key58(1, b"cd")}, "_3"),
            ({"f4": "\ud800"}, "_4"),
        ):
            with self.assertRaises(rt.EncodeError) as raised:
                replace(good, **changed).encode()
            self.told(raised.exception, "Key_4", field)

    def test_a_value_of_another_type_is_no_value(self):
        good = Key_5(1, -2, b"ab", Key53.F1, True, "c", Decimal("1.5"), b"d", Key58(3, b"ef"))
        self.assertEqual(Key_5.decode(good.encode()), good)
        words = memoryview(b"abcd").cast("I")
        for at, others in enumerate(
            (
                (1.5, "1", None, Decimal(1)),
                (1.5, "1", None, Decimal(1)),
                (1.5, "ab", None, 7, words),
                (1, True, Key53, "F1", None),
                (1, "", None, b"c"),
                (b"c", 7, None, ("c",)),
                (1.5, 1, "1.5", None),
                (4, "d", [7], None, words),
                (Key43(3, b"ef"), (3, b"ef"), Key58, None, Key58(3, words), Key58(3, [1, 2])),
            )
        ):
            for other in others:
                with self.subTest(at=at, other=other), self.assertRaises(rt.EncodeError) as raised:
                    replace(good, **{f"f{at}": other}).encode()
                self.assertEqual(raised.exception.field.split(".")[0], f"_{at}")
                self.assertEqual(raised.exception.key, "Key_5")
        for numbers in ({"f0": True}, {"f1": True}, {"f8": Key58(True, b"ef")}):
            ones = {name: Key58(1, b"ef") if name == "f8" else 1 for name in numbers}
            self.assertEqual(replace(good, **numbers).encode(), replace(good, **ones).encode())

    def test_a_prefix_raises_what_encoding_raises(self):
        first = Key_4.prefix()
        second = first.f0(7)
        for refused, key, field in (
            (lambda: Key.prefix().f0("\ud800"), "Key", "_0"),
            (lambda: Key.prefix().f0("a").f1(1 << 63), "Key", "_1"),
            (lambda: Key.prefix().f0_in(["a", "\ud800"]), "Key", "_0"),
            (lambda: Key.prefix().f0_starts_with("\ud800"), "Key", "_0"),
            (lambda: Key.prefix().f0("a").f1_range(rt.Included(1 << 63)), "Key", "_1"),
            (lambda: Key.prefix().f0("a").f1_range(end=rt.Included(None)), "Key", "_1"),
            (lambda: second.f1(Key419(-1, "")), "Key_4", "_1.9._0"),
            (lambda: first.f0("7"), "Key_4", "_0"),
            (lambda: Key.prefix().f0_range("a", "b"), "Key", "_0"),
            (lambda: Key.prefix().f0_range(rt.Included("a"), None), "Key", "_0"),
            (lambda: Key.prefix().f0_range(None), "Key", "_0"),
            (lambda: Key.prefix().f0_in(None), "Key", "_0"),
            (lambda: Key.prefix().f0_in("ab"), "Key", "_0"),
            (lambda: Key.prefix().f0_in(7), "Key", "_0"),
            (lambda: first.f0_in(b"ab"), "Key_4", "_0"),
            (lambda: first.f0_in([1, None]), "Key_4", "_0"),
            (lambda: Key.prefix().f0_starts_with(None), "Key", "_0"),
            (lambda: second.f1(Key411), "Key_4", "_1"),
        ):
            with self.assertRaises(rt.EncodeError) as raised:
                refused()
            self.told(raised.exception, key, field)

    def test_an_error_of_decoding_names_its_field_and_offset(self):
        good = Key_4(7, Key419(1, "ab"), ("b", "c"), Key43(2, b"cd"), "e").encode()
        for at, byte, field, offset in (
            (1, 0x02, "_1", 1),
            (7, 0xFF, "_1.9._1", 7),
            (7, 0x01, "_1.9._1", 8),
            (9, 0x05, "_2", 9),
            (13, 0xC3, "_2[1]", 13),
            (20, 0x07, "_4", 20),
            (22, 0x65, "_4", 23),
        ):
            with self.assertRaises(rt.DecodeError) as raised:
                Key_4.decode(good[:at] + bytes([byte]) + good[at + 1 :])
            self.told(raised.exception, "Key_4", field)
            self.assertEqual(raised.exception.offset, offset)
        for key, field, offset in ((good[:3], "_1.9._0", 3), (good + b"\x00", "", len(good)), (b"", "_0", 0)):
            with self.assertRaises(rt.DecodeError) as raised:
                Key_4.decode(key)
            self.told(raised.exception, "Key_4", field)
            self.assertEqual(raised.exception.offset, offset)
        salted = Key("ada", 7).encode()
        with self.assertRaises(rt.DecodeError) as raised:
            Key.decode(bytes([salted[0] ^ 1]) + salted[1:])
        self.told(raised.exception, "Key", "")
        self.assertEqual(raised.exception.offset, 0)

    def told(self, error, key, field):
        """An error has its parts, in words, and comes back from a pickle."""
        self.assertIsInstance(error, rt.RowKeyError)
        self.assertEqual((error.key, error.field), (key, field))
        self.assertTrue(str(error).startswith(f"{key}.{field}" if field else key))
        for word in ("unpack", "struct", "buffer", "NoneType", "attribute", "codec", "too large"):
            self.assertNotIn(word, str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.key, again.field), (str(error), key, field))

    def test_an_error_is_short_however_long_a_key_is(self):
        for key in (Key_4(7, Key419(1, "a" * 10**6), ("b" * 10**6,), Key43(2, b"c" * 10**6), None), Key("\ud800" * 10**6, 7)):
            with self.assertRaises(rt.EncodeError) as raised:
                key.encode()
            self.assertLess(len(str(raised.exception)), 300)
        for bytes_ in (b"a" * 10**6, b"\x07\x01" + b"\xff" * 10**6, b"\x00" * 10**6):
            for of in (Key, Key_2, Key_3, Key_4):
                with self.assertRaises(rt.DecodeError) as raised:
                    of.decode(bytes_)
                self.assertLess(len(str(raised.exception)), 300)

    def test_a_key_is_read_from_what_holds_bytes(self):
        key = Key_4(7, Key419(1, "a"), ("b",), Key43(2, b"cd"), None)
        for bytes_ in (bytearray(key.encode()), memoryview(key.encode()), memoryview(key.encode() * 2)[: len(key.encode())]):
            self.assertEqual(Key_4.decode(bytes_), key)
            self.assertIs(type(Key_4.decode(bytes_).f3.f1), bytes)
            self.assertEqual(Key_4.explain(bytes_), Key_4.explain(key.encode()))
        for other in ("text", None, 7, [7], object(), memoryview(key.encode() * 4).cast("I")):
            with self.assertRaises(rt.DecodeError) as raised:
                Key_4.decode(other)
            self.told(raised.exception, "Key_4", "")

    def test_times_come_back(self):
        for time in (datetime(1, 1, 1, tzinfo=timezone.utc), datetime(1969, 12, 31, 23, 59, 59, 999_999, timezone.utc)):
            self.assertEqual(rt.Instant.of(time).datetime(), time)
        with self.assertRaises(ValueError):
            rt.Instant.of(datetime(2000, 1, 1))
        length = timedelta(days=3, microseconds=5)
        self.assertEqual(rt.Duration.of(length).timedelta(), length)

    def test_none_within_some_is_not_none(self):
        keys = [Key_3(None), Key_3(rt.Some(None)), Key_3(rt.Some(7))]
        self.assertEqual([key.encode().hex() for key in keys], ["00", "0100", "010107"])
        self.assertEqual([Key_3.decode(key.encode()) for key in keys], keys)


if __name__ == "__main__":
    unittest.main()
