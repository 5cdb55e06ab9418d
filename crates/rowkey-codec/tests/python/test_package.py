"""What a package has besides bytes: merges, explanations, the check of a table's layout, types of time."""

import unittest
from datetime import datetime, timedelta, timezone

import rowkeys.runtime as rt
from rowkeys import Key, Key_2, Key_3


class Package(unittest.TestCase):
    """`Key` is salt(4 xxh3 by 0) text, i64 desc; `Key_2` is instant, duration; `Key_3` is option<option<u8>>."""

    def test_a_merge_of_buckets_is_in_the_order_of_the_keys_after_the_salt(self):
        keys = [Key(f"host {n % 7}", n) for n in range(100)]
        rows = sorted((key.encode(), key) for key in keys)
        buckets = {}
        for row in rows:
            buckets.setdefault(row[0][0], []).append(row)
        self.assertGreater(len(buckets), 1)
        merged = [key for _, key in Key.merge(buckets.values())]
        self.assertEqual(merged, sorted(keys, key=lambda key: (key.f0, -key.f1)))

    def test_a_table_of_another_layout_is_refused(self):
        schema = "row key: {}\nrow key field: 0 f0\nfamily f: max versions 1\n"
        for kept in (Key.SHAPE, Key.FINGERPRINT, Key.SHAPE.encode(), schema.format(Key.SHAPE).encode()):
            Key.check_layout(kept)
        for kept in (Key_2.SHAPE, Key_2.FINGERPRINT, schema.format(Key_2.SHAPE), "", b"\xff"):
            with self.assertRaises(rt.LayoutMismatch):
                Key.check_layout(kept)

    def test_an_explanation_has_all_bytes(self):
        key = Key("ada", 7).encode()
        lines = Key.explain(key).splitlines()
        self.assertEqual("".join(line.split()[1] for line in lines), key.hex())
        self.assertEqual(lines[1].split(maxsplit=2)[2], "f0 = 'ada'")
        self.assertIn("left over", Key.explain(key + b"\x00"))

    def test_values_of_other_types_are_refused(self):
        for key in (Key("a", 1 << 63), Key("\ud800", 0), Key_2(rt.Instant(0, 10**9), rt.Duration(0))):
            with self.assertRaises(rt.EncodeError):
                key.encode()

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
