//! Keys of OrderedCode: the examples of Bigtable's admin API, and numbers of `google/orderedcode`.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::select;
use rowkey::untyped::FieldValues;
use rowkey::{LayoutBuf, Value, laws};
use rowkey_testkit::unhex;

use crate::foreign_binary::{any_bytes, keys, no_layouts, not_written, one_form, one_value_or_beginning, refused};
use crate::text_keys::{between, with_rows};

const FIELDS: &[&str] = &[
    "ordered[text]",
    "ordered[text]",
    "ordered[bytes]",
    "ordered[bytes]",
    "ordered[i64]",
    "ordered[be i64]",
    "ordered[micros]",
    "ordered[be micros]",
];

fn layouts() -> impl Strategy<Value = LayoutBuf> {
    proptest::collection::vec(select(FIELDS), 1..5).prop_map(|fields| fields.join(", ").parse().unwrap())
}

/// Fields of texts alone, often empty.
fn texts() -> impl Strategy<Value = Vec<Vec<String>>> {
    let text = select(vec!["", "", "\0", "\0\0", "\u{1}", "\0\u{1}", "a", "a\0", "a\u{1}", "a\u{2}", "ÿ"]);
    let row = proptest::collection::vec(text.prop_map(str::to_owned), 3);
    proptest::collection::vec(row, 2..8)
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

#[test]
fn the_laws_hold() {
    laws::layout(layouts());
}

proptest! {
    #[test]
    fn any_bytes_are_one_key_or_none(layout in layouts(), key in any_bytes()) {
        one_form(&layout, &key)?;
    }

    #[test]
    fn ranges_hold_the_values_between((layout, rows) in with_rows(layouts()), kinds in any::<(bool, bool)>()) {
        between(&layout, &rows, kinds)?;
    }

    #[test]
    fn ranges_hold_one_value_or_a_beginning((layout, rows) in with_rows(layouts())) {
        one_value_or_beginning(&layout, &rows)?;
    }

    #[test]
    fn keys_sort_as_the_texts_do(rows in texts(), fixed in 0..3usize, kinds in any::<(bool, bool)>()) {
        let layout: LayoutBuf = "ordered[text], ordered[text], ordered[text]".parse().unwrap();
        let values = |row: &[String]| row.iter().map(|part| text(part)).collect::<Vec<_>>();
        let keys: Vec<_> = rows.iter().map(|row| layout.encode(&values(row)).unwrap()).collect();
        let bound = |text: &str, is_included| match is_included {
            true => Bound::Included(text.to_owned()),
            false => Bound::Excluded(text.to_owned()),
        };
        let (low, high) = (bound(&rows[0][fixed], kinds.0), bound(&rows[1][fixed], kinds.1));
        let of = |bound: &Bound<String>| bound.as_ref().map(|part| text(part));
        let leading = &rows[0][..fixed];
        for (low, high) in [(low.clone(), high.clone()), (Bound::Unbounded, high), (low, Bound::Unbounded)] {
            let query = FieldValues::Between(of(&low), of(&high));
            let ranges = layout.ranges_by_bucket(&values(leading), Some(&query)).unwrap().concat();
            for (row, key) in rows.iter().zip(&keys) {
                let is_between = std::ops::RangeBounds::contains(&(low.clone(), high.clone()), &row[fixed]);
                let due = row[..fixed] == *leading && is_between;
                prop_assert_eq!(ranges.iter().any(|range| range.contains(key)), due, "{:?} in {:?}", row, query);
            }
        }
        for (a, a_key) in rows.iter().zip(&keys) {
            for (b, b_key) in rows.iter().zip(&keys) {
                prop_assert_eq!(a.cmp(b), a_key.cmp(b_key), "{:?} {:?}", a, b);
            }
        }
    }

    #[test]
    fn numbers_sort_and_are_short(a in any::<i64>(), b in any::<i64>(), shifts in (0..64u32, 0..64u32)) {
        let layout: LayoutBuf = "ordered[i64]".parse().unwrap();
        let (a, b) = (a >> shifts.0, b >> shifts.1);
        let key = |number: i64| layout.encode(&[Value::Signed(number.into())]).unwrap();
        prop_assert_eq!(a.cmp(&b), key(a).cmp(&key(b)));
        let len = key(a).split(|byte| *byte == 0).map(<[u8]>::len).sum::<usize>();
        let least = (1..=10).find(|len| i128::from(a) >> (7 * len - 1) == 0 || i128::from(a) >> (7 * len - 1) == -1);
        prop_assert!(len <= least.unwrap(), "{}", a);
    }
}

/// Of the comment of `Type.Struct.Encoding.OrderedCodeBytes`.
#[test]
fn the_examples_of_the_admin_api() {
    keys(&[
        ("ordered[text]", r#"[""]"#, "0000"),
        ("ordered[text], ordered[text]", r#"["", ""]"#, "0000"),
        ("ordered[text], ordered[text]", r#"["", "B"]"#, "0000 0001 42"),
        ("ordered[text], ordered[text]", r#"["A", ""]"#, "41"),
        ("ordered[text], ordered[text], ordered[text]", r#"["", "B", ""]"#, "0000 0001 42"),
        ("ordered[text], ordered[text], ordered[text]", r#"["A", "", "C"]"#, "41 0001 0000 0001 43"),
    ]);
}

/// Of the comments and the tests of `google/orderedcode`, in C++ and in Go.
#[test]
fn the_numbers_of_the_library() {
    for (number, hex) in [
        ("0", "80"),
        ("1", "81"),
        ("-1", "7f"),
        ("63", "bf"),
        ("-64", "40"),
        ("64", "c040"),
        ("-65", "3fbf"),
        ("-2048", "3800ff"),
        ("8191", "dfff"),
        ("8192", "e02000ff"),
        ("-8192", "2000ff"),
        ("-8193", "1fdfff"),
        ("4342338", "f0424242"),
        ("4611686018427387903", "ffbfffffffffffffff"),
        ("4611686018427387904", "ffc04000ff00ff00ff00ff00ff00ff00ff"),
        ("9223372036854775807", "ffc07fffffffffffffff"),
        ("-9223372036854775808", "00ff3f8000ff00ff00ff00ff00ff00ff00ff"),
    ] {
        keys(&[("ordered[i64]", &format!(r#"["{number}"]"#), hex)]);
    }
}

#[test]
fn fields_of_each_encoding() {
    keys(&[
        ("ordered[bytes]", r#"["00ff0001"]"#, "00ffff00ff01"),
        ("ordered[text], ordered[bytes], ordered[i64]", r#"["é", "", "5"]"#, "c3a9 0001 0000 0001 85"),
        ("ordered[be i64]", r#"["258"]"#, "00ff00ff00ff00ff00ff00ff0102"),
        ("ordered[be i64], ordered[text]", r#"["-1", ""]"#, "ffffffffffffffff"),
        ("ordered[text], ordered[micros]", r#"["a", ["1", "5000"]]"#, "61 0001 ef4245"),
        ("ordered[be micros]", r#"[["-1", "999999000"]]"#, "ffffffffffffffff"),
    ]);
}

#[test]
fn malformed_keys() {
    let none = "key._0 at byte 0: found no bytes, an empty field is 00 00";
    let due = "00 is before ff in a field, before 01 between fields, and twice for an empty one";
    let number = "an i64 has no more bytes than it needs, and their number";
    refused(&[
        ("ordered[text]", "", none),
        ("ordered[text], ordered[text]", "000142", none),
        ("ordered[text], ordered[text]", "410001", "key._1 at byte 3: found no bytes, an empty field is 00 00"),
        (
            "ordered[text], ordered[text]",
            "4100010000",
            "key._1 at byte 3: found 0000, an empty field at the end is left out",
        ),
        (
            "ordered[text], ordered[text], ordered[text]",
            "4100010000",
            "key._1 at byte 3: found 0000, an empty field at the end is left out",
        ),
        ("ordered[text]", "410002", &format!("key._0 at byte 1: found 0002, {due}")),
        ("ordered[text]", "410000", &format!("key._0 at byte 1: found 0000, {due}")),
        ("ordered[text], ordered[text]", "000041", "key._1 at byte 3: the key ends here, expected 1 more bytes"),
        ("ordered[text]", "ff", "key._0 at byte 0: found ff, text is UTF-8"),
        ("ordered[i64]", "c03f", &format!("key._0 at byte 0: found c03f, {number}")),
        ("ordered[i64]", "8000ff", &format!("key._0 at byte 0: found 8000, {number}")),
        ("ordered[i64]", "ffff", &format!("key._0 at byte 0: found ffff, {number}")),
        ("ordered[text], ordered[i64]", "41", &format!("key._1 at byte 1: found no bytes, {number}")),
        ("ordered[be i64]", "01", "key._0 at byte 0: found 01, a big-endian i64 has eight bytes"),
    ]);
    not_written(&[
        ("ordered[i64]", Value::Unsigned(7), "_0: 7 is not a valid ordered[i64]"),
        ("ordered[i64]", Value::Signed(1 << 63), "_0: 9223372036854775808 is not a valid ordered[i64]: it is no i64"),
    ]);
    let micros: LayoutBuf = "ordered[micros]".parse().unwrap();
    for value in [Value::Instant(0, 1), Value::Instant(i64::MAX, 0), Value::Instant(0, 2_000_000_000)] {
        let error = micros.encode(&[value]).unwrap_err().to_string();
        assert!(error.ends_with("it is no whole number of microseconds in an i64"), "{error}");
    }
}

#[test]
fn all_fields_of_a_key_are_joined() {
    let due =
        "OrderedCode joins all fields of a key: they are ordered[…], ascending, without a salt or a hash before them";
    no_layouts(&[
        ("ordered[text], u8", &format!("fields[0].type: {due}")),
        ("u8, ordered[text]", &format!("fields[1].type: {due}")),
        ("salt(4 xxh3) ordered[text]", &format!("fields[0].type: {due}")),
        ("ordered[text] desc", &format!("fields[0].type: {due}")),
        ("option<ordered[text]>", &format!("fields[0].type.option: {due}")),
        ("ordered[u8]", "byte 0: `ordered[u8]` is not a valid type"),
    ]);
}

#[test]
fn ranges_end_where_values_do() {
    let layout: LayoutBuf = "ordered[text], ordered[text], ordered[i64]".parse().unwrap();
    let range = |leading: &[Value], next: Option<FieldValues>| {
        let ranges = layout.ranges_by_bucket(leading, next.as_ref()).unwrap().concat();
        let [range] = ranges.as_slice() else { panic!("{ranges:?}") };
        (range.start().to_vec(), range.end().unwrap().to_vec())
    };
    assert_eq!(range(&[text("A")], None), (unhex("41"), unhex("410002")));
    assert_eq!(range(&[text("A"), text("")], None), (unhex("41"), unhex("41000100000002")));
    assert_eq!(range(&[text("A")], Some(FieldValues::StartsWith(text("")))), (unhex("41"), unhex("410002")));
    let below = FieldValues::Between(Bound::Unbounded, Bound::Excluded(text("")));
    assert!(layout.ranges_by_bucket(&[text("A")], Some(&below)).unwrap().is_empty());
    let pair: LayoutBuf = "ordered[text], ordered[text]".parse().unwrap();
    let one = &pair.ranges(&[text("A"), text("")]).unwrap()[0];
    assert_eq!((one.start(), one.end()), (&b"A"[..], Some(&b"A\0"[..])));
}
