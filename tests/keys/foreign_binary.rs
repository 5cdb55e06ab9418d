//! Binary fields of keys that other programs write: integers, constants, texts, groups of bytes.

use proptest::prelude::*;
use proptest::sample::select;
use rowkey::foreign::{Binary, Endian};
use rowkey::untyped::FieldValues;
use rowkey::{LayoutBuf, Value, laws};
use rowkey_testkit::unhex;

use crate::text_keys::{between, with_rows};

const FIELDS: &[&str] = &[
    "le[u16]",
    "le[u32]",
    "le[u64]",
    "le[u128]",
    "le[i16]",
    "le[i32]",
    "le[i64]",
    "le[i128]",
    "be[i8]",
    "be[i16]",
    "be[i32]",
    "be[i64]",
    "be[i128]",
    "uint[1]",
    "uint[3]",
    "uint[3] desc",
    "uint[8]",
    "uint[16]",
    "const['_r']",
    "const['\\x00\\xff'] desc",
    "option<uint[3]>",
    "list<const['t']>",
    "(le[u16], be[i8])",
    "text",
    "u8",
];

/// Fields whose end is found from that of the key.
const RESTS: &[&str] = &[
    "text[rest-12], bytes[8], uint[4]",
    "reversed[rest-1], u8",
    "dec[rest-3], bool, i16 desc",
    "hexbytes[rest-8], le[u64]",
    "hex[upper rest-4], dec[3 '#']",
    "int[rest-2], bytes[0], be[i16]",
    "minus[99 rest-1], u8",
];

fn layouts() -> impl Strategy<Value = LayoutBuf> {
    let lead = select(vec!["", "salt(4 xxh3) ", "salt(16 java hex by 0) ", "md5(4 by 0) "]);
    let rest = prop_oneof![3 => Just(None), 1 => select(RESTS).prop_map(Some)];
    (lead, proptest::collection::vec(select(FIELDS), 1..5), rest).prop_map(|(lead, mut fields, rest)| {
        fields.extend(rest);
        format!("{lead}{}", fields.join(", ")).parse().unwrap()
    })
}

#[test]
fn the_laws_hold() {
    laws::layout(layouts());
}

proptest! {
    #[test]
    fn ranges_hold_the_values_between((layout, rows) in with_rows(layouts()), kinds in any::<(bool, bool)>()) {
        between(&layout, &rows, kinds)?;
    }
}

/// Checks keys both ways: shape, values as JSON, bytes in hex.
pub(crate) fn keys(keys: &[(&str, &str, &str)]) {
    for (shape, json, hex) in keys {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.shape(), *shape);
        let values = layout.values_from_json(&serde_json::from_str(json).unwrap()).unwrap();
        let bytes = unhex(&hex.replace(' ', ""));
        assert_eq!(layout.encode(&values).unwrap(), bytes, "{shape} {json}");
        assert_eq!(layout.decode(&bytes).unwrap(), values, "{shape} {hex}");
        let again = serde_json::Value::Array(values.iter().map(Value::to_json).collect());
        assert_eq!(layout.values_from_json(&again).unwrap(), values, "{shape} {json}");
        assert_eq!(LayoutBuf::from_json(&layout.to_json()).unwrap(), layout);
    }
}

/// Checks the error of bytes in hex.
pub(crate) fn refused(keys: &[(&str, &str, &str)]) {
    for (shape, hex, error) in keys {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.decode(&unhex(&hex.replace(' ', ""))).unwrap_err().to_string(), *error, "{shape} {hex}");
    }
}

/// Checks the errors of values that are not written.
pub(crate) fn not_written(values: &[(&str, Value, &str)]) {
    for (shape, value, error) in values {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.encode(std::slice::from_ref(value)).unwrap_err().to_string(), *error, "{shape} {value:?}");
    }
}

/// Checks the errors of shapes: how they begin.
pub(crate) fn no_layouts(shapes: &[(&str, &str)]) {
    for (shape, reason) in shapes {
        let error = shape.parse::<LayoutBuf>().unwrap_err().to_string();
        assert!(error.starts_with(reason), "{shape}: {error}");
    }
}

/// Of HBase's `TestBytes`, and of OpenTSDB's documentation: metric 1, 2013-01-01 10:00 in seconds, tag 1 of value 4.
#[test]
fn integers() {
    keys(&[
        ("be[i32]", r#"["-1"]"#, "ffffffff"),
        ("be[i64]", r#"["-2"]"#, "fffffffffffffffe"),
        ("be[i64]", r#"["258"]"#, "0000000000000102"),
        ("be[i16]", r#"["-32768"]"#, "8000"),
        ("be[i8]", r#"["127"]"#, "7f"),
        ("be[i128]", r#"["-1"]"#, "ffffffffffffffffffffffffffffffff"),
        ("le[u16]", r#"["258"]"#, "0201"),
        ("le[u32]", r#"["258"]"#, "02010000"),
        ("le[u64]", r#"["258"]"#, "0201000000000000"),
        ("le[i16]", r#"["-2"]"#, "feff"),
        ("le[i128]", r#"["-2"]"#, "feffffffffffffffffffffffffffffff"),
        ("uint[3], u32, uint[3], uint[3]", r#"["1", "1356998400", "1", "4"]"#, "000001 50e22700 000001 000004"),
        ("uint[3] desc", r#"["258"]"#, "fffefd"),
    ]);
    for (endian, is_signed, width) in
        [(Endian::Little, false, 1), (Endian::Big, true, 3), (Endian::Big, false, 0), (Endian::Big, false, 17)]
    {
        assert_eq!(Binary::new(endian, is_signed, width), None);
    }
}

/// A row of TiDB: `t`, the table's id, `_r`, the row's id. Both ids have the sign flipped, as `i64` has.
#[test]
fn constants() {
    keys(&[(
        "const['t'], i64, const['_r'], i64",
        r#"[[], "10", [], "1"]"#,
        "74 800000000000000a 5f72 8000000000000001",
    )]);
}

/// An index of Jaeger's: a byte for its kind, a service without an end, a time, a trace's id.
#[test]
fn text_whose_end_is_found_from_that_of_the_key() {
    let shape = "const['\\x81'], text[rest-24], u64, bytes[16]";
    let json = r#"[[], "api", "1600000001", "0123456789abcdef0123456789abcdef"]"#;
    keys(&[(shape, json, "81 617069 000000005f5e1001 0123456789abcdef0123456789abcdef")]);
    let layout: LayoutBuf = shape.parse().unwrap();
    let key = layout.values_from_json(&serde_json::from_str(json).unwrap()).unwrap();
    assert!(layout.ranges(&key[..1]).is_ok() && layout.ranges(&key).is_ok());
    for fixed in 2..4 {
        let error = layout.ranges(&key[..fixed]).unwrap_err().to_string();
        assert_eq!(error, "_1: there is no range of the keys with one text[rest-24], but of whole keys");
    }
    let start = FieldValues::StartsWith(Value::Text("a".into()));
    assert!(layout.ranges_by_bucket(&key[..1], Some(&start)).is_err());
    refused(&[("text[rest-3], uint[3]", "0102", "key._0 at byte 2: the key ends here, expected 1 more bytes")]);
    let due = "fields[0].type: the fields after it have 3 bytes together, all of a fixed width";
    no_layouts(&[
        ("text[rest-3], u16", due),
        ("text[rest-3]", due),
        ("text[rest-3], text", due),
        ("text[rest-3], u16, u8 desc, u8", due),
        ("text[rest-0]", "byte 0: `text[rest-0]` is not a valid type"),
        ("text[3 rest-3], uint[3]", "byte 0: `text[3 rest-3]` is not a valid type"),
        ("text[rest-3] desc, uint[3]", "fields[0].desc: its bytes are not in the order of its values"),
        ("option<text[rest-3]>, uint[3]", "fields[0].type.option: the fields after it have 3 bytes"),
        ("(text[rest-3]), uint[3]", "fields[0].type.tuple[0].type: the fields after it have 3 bytes"),
    ]);
}

/// The beginnings of text: those alone whose bytes begin no other text.
#[test]
fn beginnings_of_text() {
    let starts = |shape: &str, start: &str| {
        let layout: LayoutBuf = format!("{shape}, u8").parse().unwrap();
        layout.ranges_by_bucket(&[], Some(&FieldValues::StartsWith(Value::Text(start.into())))).is_ok()
    };
    assert!(starts("text['::']", "a") && starts("text[3]", "abc") && starts("text['#']", ""));
    assert!(!starts("text['::']", "a:") && !starts("text['#']", "a#b") && !starts("text[3]", "abcd"));
}

#[test]
fn what_would_not_come_back_is_refused() {
    refused(&[
        ("uint[3]", "0001", "key._0 at byte 2: the key ends here, expected 1 more bytes"),
        ("u8, const['_r']", "01 5f69", "key._1 at byte 1: found 5f69, it is the field's constant"),
    ]);
    not_written(&[
        ("uint[3]", Value::Unsigned(1 << 24), "_0: 16777216 is not a valid uint[3]: it has more bytes than the field"),
        ("le[i16]", Value::Signed(32_768), "_0: 32768 is not a valid le[i16]: it has more bytes than the field"),
        ("be[i8]", Value::Unsigned(1), "_0: 1 is not a valid be[i8]"),
        ("const['t']", Value::Text("t".into()), "_0: \"t\" is not a valid const['t']"),
    ]);
    no_layouts(&[
        ("le[u8]", "byte 0: `le[u8]` is not a valid type"),
        ("be[u32]", "byte 0: `be[u32]` is not a valid type"),
        ("uint[0]", "byte 0: `uint[0]` is not a valid type"),
        ("uint[17]", "byte 0: `uint[17]` is not a valid type"),
        ("uint[03]", "byte 0: `uint[03]` is not a valid type"),
        ("const['']", "byte 0: `const['']` is not a valid type"),
        ("const['123456789']", "byte 0: `const['123456789']` is not a valid type"),
        ("be[i64] desc", "fields[0].desc: its bytes are not in the order of its values"),
        ("le[u32] desc", "fields[0].desc: its bytes are not in the order of its values"),
    ]);
}
