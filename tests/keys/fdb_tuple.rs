//! Tuples of FoundationDB: the test cases of its design, and of its bindings in Java and Go.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::select;
use rowkey::untyped::FieldValues;
use rowkey::{LayoutBuf, Value, laws};
use rowkey_testkit::unhex;

use crate::foreign_binary::{any_bytes, keys, no_layouts, not_written, one_form, one_value_or_beginning, refused};
use crate::text_keys::{between, with_rows};

const ELEMENTS: &[&str] = &[
    "fdb[null]",
    "fdb[bytes]",
    "fdb[text]",
    "fdb[int]",
    "fdb[f32]",
    "fdb[f64]",
    "fdb[bool]",
    "fdb[uuid]",
    "fdb[versionstamp]",
    "fdb[versionstamp80]",
    "fdb[any]",
    "fdb[any]",
];
/// Elements that end by themselves, among fields of other encodings.
const ALONE: &[&str] =
    &["fdb[int] desc", "fdb[null] desc", "fdb[f64] desc", "option<fdb[int]>", "u8", "text", "u16 desc"];

fn layouts() -> impl Strategy<Value = LayoutBuf> {
    let lead = select(vec!["", "salt(4 xxh3) ", "salt(16 java hex by 0) ", "md5(4 by 0) "]);
    let alone = proptest::collection::vec(select(ALONE), 0..2);
    let elements = proptest::collection::vec(select(ELEMENTS), 1..4);
    (lead, alone, elements)
        .prop_map(|(lead, alone, elements)| format!("{lead}{}", [alone, elements].concat().join(", ")).parse().unwrap())
}

fn tuples() -> impl Strategy<Value = LayoutBuf> {
    proptest::collection::vec(select(ELEMENTS), 1..5).prop_map(|elements| elements.join(", ").parse().unwrap())
}

#[test]
fn the_laws_hold() {
    laws::layout(layouts());
}

proptest! {
    #[test]
    fn any_bytes_are_one_key_or_none(layout in tuples(), key in any_bytes()) {
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
    fn any_element_is_read_of_each_type((layout, rows) in with_rows(tuples())) {
        let any: Vec<&str> = layout.fields().iter().map(|_| "fdb[any]").collect();
        let any: LayoutBuf = any.join(", ").parse().unwrap();
        for row in rows {
            let key = layout.encode(&row).unwrap();
            let values = any.decode(&key).unwrap();
            prop_assert_eq!(any.encode(&values).unwrap(), key);
        }
    }
}

/// Of the design, `tuple.md`.
#[test]
fn the_cases_of_the_design() {
    keys(&[
        ("fdb[bytes]", r#"["666f6f00626172"]"#, "01 666f6f00ff626172 00"),
        ("fdb[text]", r#"["FÔO\u0000bar"]"#, "02 46c3944f00ff626172 00"),
        ("fdb[any]", r#"[[5, [[1, ["666f6f00626172"]], [0, []], [5, []]]]]"#, "05 01666f6f00ff62617200 00ff 0500 00"),
        ("fdb[int]", r#"["-5551212"]"#, "11 ab4b93"),
        ("fdb[f32]", r#"["c2280000"]"#, "20 3dd7ffff"),
        ("fdb[null]", "[[]]", "00"),
    ]);
}

/// Of `TupleSerializationTest` in Java.
#[test]
fn the_cases_of_java() {
    for (number, hex) in [
        ("0", "14"),
        ("1", "1501"),
        ("-1", "13fe"),
        ("255", "15ff"),
        ("-255", "1300"),
        ("256", "160100"),
        ("-256", "12feff"),
        ("65536", "17010000"),
        ("-65536", "11feffff"),
        ("9223372036854775807", "1c7fffffffffffffff"),
        ("9223372036854775808", "1c8000000000000000"),
        ("18446744073709551615", "1cffffffffffffffff"),
        ("18446744073709551616", "1d09010000000000000000"),
        ("-4294967295", "1000000000"),
        ("-9223372036854775806", "0c8000000000000001"),
        ("-9223372036854775807", "0c8000000000000000"),
        ("-9223372036854775808", "0c7fffffffffffffff"),
        ("-9223372036854775809", "0c7ffffffffffffffe"),
        ("-18446744073709551615", "0c0000000000000000"),
    ] {
        keys(&[("fdb[int]", &format!(r#"["{number}"]"#), hex), ("fdb[any]", &format!(r#"[[20, ["{number}"]]]"#), hex)]);
    }
    keys(&[
        ("fdb[f32]", r#"["4048f5c3"]"#, "20c048f5c3"),
        ("fdb[f32]", r#"["c048f5c3"]"#, "203fb70a3c"),
        ("fdb[f64]", r#"["40091eb851eb851f"]"#, "21c0091eb851eb851f"),
        ("fdb[f64]", r#"["c0091eb851eb851f"]"#, "213ff6e147ae147ae0"),
        ("fdb[f32]", r#"["80000000"]"#, "207fffffff"),
        ("fdb[f64]", r#"["8000000000000000"]"#, "217fffffffffffffff"),
        ("fdb[f32]", r#"["7f800000"]"#, "20ff800000"),
        ("fdb[f64]", r#"["fff0000000000000"]"#, "21000fffffffffffff"),
        ("fdb[f32]", r#"["7fffffff"]"#, "20ffffffff"),
        ("fdb[f64]", r#"["ffffffffffffffff"]"#, "210000000000000000"),
        ("fdb[bytes]", r#"[""]"#, "0100"),
        ("fdb[bytes]", r#"["00000004"]"#, "01 00ff00ff00ff04 00"),
        ("fdb[text]", r#"["中文"]"#, "02 e4b8ade69687 00"),
        ("fdb[text]", r#"["🔥"]"#, "02 f09f94a5 00"),
        ("fdb[any]", "[[5, [[0, []]]]]", "05 00ff 00"),
        ("fdb[any]", r#"[[5, [[0, []], [2, ["hell\u0000"]]]]]"#, "05 00ff 0268656c6c00ff00 00"),
        (
            "fdb[any], fdb[text], fdb[bytes], fdb[bytes]",
            r#"[[5, [[0, []]]], "hello", "0100", ""]"#,
            "0500ff00 0268656c6c6f00 010100ff00 0100",
        ),
        ("fdb[uuid]", r#"["ffffffffba5eba11000000005ca1ab1e"]"#, "30ffffffffba5eba11000000005ca1ab1e"),
        ("fdb[bool], fdb[any]", "[false, [39, []]]", "2627"),
        ("fdb[versionstamp]", r#"["aabbccddeeff000102030000"]"#, "33aabbccddeeff000102030000"),
        ("fdb[any]", r#"[[51, ["0102030405060708090a0291"]]]"#, "330102030405060708090a0291"),
        ("fdb[versionstamp80]", r#"["0102030405060708090a"]"#, "320102030405060708090a"),
    ]);
}

/// Of `tuples.golden` in Go.
#[test]
fn the_cases_of_go() {
    let uuid = "1100aabbccddeeff1100aabbccddeeff";
    let name = "6e616d657370616365";
    keys(&[
        (
            "fdb[uuid], fdb[text], fdb[int], fdb[null]",
            &format!(r#"["{uuid}", "foobarbaz", "1234", []]"#),
            &format!("30{uuid} 02666f6f62617262617a00 1604d2 00"),
        ),
        (
            "fdb[text], fdb[text], fdb[bytes]",
            r#"["\u0000", "\u0000\u0000\u0000", "ff00ff"]"#,
            "0200ff00 0200ff00ff00ff00 01ff00ffff00",
        ),
        (
            "fdb[uuid], fdb[any], fdb[null], fdb[any], fdb[null], fdb[any], fdb[null]",
            &format!(
                r#"["{uuid}", [5, [[20, ["8603989663476771718"]],
                    [20, ["6842348953158377901"]],
                    [20, ["7388428680384065704"]],
                    [20, ["6735196588112087610"]]]], [],
                    [5, [[1, ["{name}"]], [1, ["{name}"]], [1, ["{name}"]], [1, ["{name}"]]]], [],
                    [5, [[33, ["3fe580903870639c"]],
                    [33, ["3ff6b976fe5e3384"]],
                    [33, ["bfd79a10f91843dc"]],
                    [33, ["bfd526341ee49c36"]]]], []]"#
            ),
            &[
                &format!("30{uuid}"),
                "05 1c7767830356aa6b86 1c5ef4e81ede4561ad 1c6688f8bd3e99b0a8 1c5d78399cbed80a3a 00 00",
                &format!("05 01{name}00 01{name}00 01{name}00 01{name}00 00 00"),
                "05 21bfe580903870639c 21bff6b976fe5e3384 21402865ef06e7bc23 21402ad9cbe11b63c9 00 00",
            ]
            .concat(),
        ),
    ]);
}

/// Integers of more bytes than an `i128`, and the edges of it.
#[test]
fn large_integers() {
    let edge = "80000000000000000000000000000000";
    keys(&[
        ("fdb[any]", r#"[[20, ["170141183460469231731687303715884105727"]]]"#, "1d10 7fffffffffffffffffffffffffffffff"),
        (
            "fdb[any]",
            r#"[[20, ["-170141183460469231731687303715884105728"]]]"#,
            "0bef 7fffffffffffffffffffffffffffffff",
        ),
        ("fdb[int]", r#"["-170141183460469231731687303715884105728"]"#, "0bef 7fffffffffffffffffffffffffffffff"),
        ("fdb[any]", &format!(r#"[[29, ["{edge}"]]]"#), &format!("1d10 {edge}")),
        ("fdb[any]", r#"[[11, ["80000000000000000000000000000001"]]]"#, "0bef 7ffffffffffffffffffffffffffffffe"),
        ("fdb[any]", &format!(r#"[[29, ["{}"]]]"#, "ff".repeat(255)), &format!("1dff {}", "ff".repeat(255))),
        ("fdb[any]", &format!(r#"[[11, ["{}"]]]"#, "ff".repeat(255)), &format!("0b00 {}", "00".repeat(255))),
    ]);
    let any = |tag, bytes: &[u8]| Value::Enum(tag, vec![Value::Bytes(bytes.to_vec())]);
    let layout: LayoutBuf = "fdb[any]".parse().unwrap();
    for value in [
        any(0x1d, &[7; 15]),
        any(0x0b, &unhex(edge)),
        any(0x1d, &[]),
        any(0x1d, &[1; 256]),
        any(0x1d, &[[0; 1].as_slice(), &[1; 20]].concat()),
    ] {
        let error = layout.encode(&[value]).unwrap_err().to_string();
        assert!(error.ends_with("it is an integer of 16 to 255 bytes, the first not 0, that is no i128"), "{error}");
    }
}

/// Of `TuplePackingTest` in Java; and forms of an integer that are not its one form.
#[test]
fn malformed_elements() {
    let any: LayoutBuf = "fdb[any]".parse().unwrap();
    for hex in [
        "01deadc0de",
        "01dead00ffc0de",
        "0268656c6c6f",
        "0268656c00ff6c6f",
        "027574660880 00",
        "0275746608c00100",
        "0275746610eda0bd00",
        "0275746610edb4a500",
        "0275746610eda0bdedb4a500",
        "050268656c6c6f00",
        "050268656c6c6f0000ff02746865726500",
        "1601",
        "1201",
        "1d090102030405060708",
        "0bf60102030405060708",
        "20010203",
        "2101020304050607",
        "300102030405060708090a0b0c0d0e",
        "330102030405060708090a0b",
        "ff",
        "0a",
        "1e",
        "03",
        "04",
        "22",
        "25",
        "31",
        "34",
        "40",
        "",
        "00ff",
        "1500",
        "13ff",
        "160001",
        "12fffe",
        "1d0801020304050607 08",
        "1d09000203040506070809",
        "0bf7fefefefefefefefe",
        "0bf6fffefefefefefefefe",
    ] {
        assert!(any.decode(&unhex(hex)).is_err(), "{hex}");
    }
    let no_int = "key._0 at byte 0: found type 1d, it is an integer of an i128; fdb[any] reads others";
    refused(&[
        ("fdb[int]", "1500", "key._0 at byte 0: found 00, an integer has no more bytes than it needs"),
        ("fdb[int]", &format!("1d10{}", "ff".repeat(16)), no_int),
        ("fdb[text]", "02ff00", "key._0 at byte 0: found ff, text is UTF-8"),
        (
            "fdb[text]",
            "0100",
            "key._0 at byte 0: found type 01, it is an element of the field's type; fdb[any] reads others",
        ),
        ("fdb[any]", "ff", "key._0 at byte 0: found type ff, it is the type of an element"),
    ]);
    not_written(&[
        ("fdb[int]", Value::Unsigned(7), "_0: 7 is not a valid fdb[int]"),
        (
            "fdb[any]",
            Value::Enum(0x15, vec![Value::Signed(7)]),
            "_0: 21: (7) is not a valid fdb[any]: a tag of an element has these fields: none, one, or elements",
        ),
        (
            "fdb[uuid]",
            Value::Bytes(vec![7]),
            "_0: 07 is not a valid fdb[uuid]: a UUID has 16 bytes, a versionstamp 12, or 10 of its own type",
        ),
    ]);
}

#[test]
fn an_element_that_the_next_one_ends_is_before_elements() {
    let due = "fields[0].type: what is after it says where it ends: it is ascending, in the key itself, and after it is \
               another ascending fdb[…], or nothing";
    no_layouts(&[
        ("fdb[bytes], u8", due),
        ("fdb[text], fdb[null] desc", due),
        ("fdb[any] desc", due),
        ("option<fdb[text]>", "fields[0].type.option: what is after it says where it ends"),
        ("(fdb[any])", "fields[0].type.tuple[0].type: what is after it says where it ends"),
        ("list<fdb[bytes]>", "fields[0].type.list: what is after it says where it ends"),
        ("fdb[tuple]", "byte 0: `fdb[tuple]` is not a valid type"),
    ]);
}

/// The range of a tuple is `fdb.tuple.range`'s, but that it has the tuple itself: another begins with its bytes.
#[test]
fn ranges_leave_out_longer_values() {
    let layout: LayoutBuf = "fdb[text], fdb[int]".parse().unwrap();
    let text = |text: &str| Value::Text(text.into());
    let range = &layout.ranges(&[text("a")]).unwrap()[0];
    assert_eq!((range.start(), range.end()), (&b"\x02a\0"[..], Some(&b"\x02a\0\xff"[..])));
    assert!(!range.contains(&layout.encode(&[text("a\0"), Value::Signed(1)]).unwrap()));
    let above = FieldValues::Between(Bound::Excluded(text("a")), Bound::Unbounded);
    let above = layout.ranges_by_bucket(&[], Some(&above)).unwrap();
    assert_eq!(above[0][0].start(), b"\x02a\0\xff");
}

#[test]
fn tuples_are_nested_so_deep() {
    let nested = |deep: usize| [vec![5; deep], vec![0; deep]].concat();
    let body = move || {
        let layout: LayoutBuf = "fdb[any]".parse().unwrap();
        let values = layout.decode(&nested(127)).unwrap();
        assert_eq!(layout.encode(&values).unwrap(), nested(127));
        assert_eq!(layout.values_from_json(&values.iter().map(Value::to_json).collect()).unwrap(), values);
        for deep in [128, 1_000_000] {
            let error = layout.decode(&nested(deep)).unwrap_err().to_string();
            assert_eq!(error, "key._0 at byte 127: found a tuple, tuples are nested at most 128 deep");
        }
        let [value] = <[Value; 1]>::try_from(values).unwrap();
        let error = layout.encode(&[Value::Enum(5, vec![value])]).unwrap_err().to_string();
        assert!(error.ends_with("tuples are nested at most 128 deep"), "{error}");
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(body).unwrap().join().unwrap();
}
