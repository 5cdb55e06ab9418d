//! Binary fields of keys that other programs write: integers, constants, texts, groups of bytes.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
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
    "groups[8]",
    "groups[8] desc",
    "utf[java]",
    "char[1]",
    "char[3]",
    "char[3] desc",
    "char[3 zeros]",
    "char[3 zeros] desc",
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
    let lead = select(vec!["", "salt(4 xxh3) ", "salt(16 java hex by 0) ", "salt(5 java[31]) ", "md5(4 by 0) "]);
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

/// Checks the keys that ranges hold, of each number of leading values and this query of the next one.
fn query(
    layout: &LayoutBuf,
    rows: &[Vec<Value>],
    query: impl Fn(&Value) -> Option<FieldValues>,
    holds: impl Fn(&Value, &Value) -> bool,
) -> Result<(), TestCaseError> {
    for (fixed, value) in rows[0].iter().enumerate() {
        let leading = &rows[0][..fixed];
        // Not of a digest of fields that are not fixed.
        let ranges = query(value).map(|query| layout.ranges_by_bucket(leading, Some(&query)));
        let Some(Ok(ranges)) = ranges else { continue };
        for row in rows {
            let key = layout.encode(row).unwrap();
            let found = ranges.iter().flatten().any(|range| range.contains(&key));
            let due = row.starts_with(leading) && holds(value, &row[fixed]);
            prop_assert_eq!(found, due, "{} {:?} of {:?}", layout, row, value);
        }
    }
    Ok(())
}

/// Bytes among which are those that have a meaning.
pub(crate) fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let known = &[0, 1, 2, 5, 0x0b, 0x13, 0x14, 0x15, 0x1d, 0x20, 0x27, b' ', b'a', 0x80, 0xc0, 0xed, 0xf7, 0xff][..];
    proptest::collection::vec(prop_oneof![4 => select(known), 1 => any::<u8>()], 0..40)
}

pub(crate) fn one_form(layout: &LayoutBuf, key: &[u8]) -> Result<(), TestCaseError> {
    match layout.decode(key) {
        Ok(values) => prop_assert_eq!(layout.encode(&values).unwrap(), key),
        Err(error) => prop_assert!(error.offset() <= key.len()),
    }
    Ok(())
}

/// Checks the keys that ranges hold of one value, and of the beginning of one.
pub(crate) fn one_value_or_beginning(layout: &LayoutBuf, rows: &[Vec<Value>]) -> Result<(), TestCaseError> {
    query(layout, rows, |value| Some(FieldValues::In(vec![value.clone()])), |value, of| value == of)?;
    query(layout, rows, |value| beginning(value).map(FieldValues::StartsWith), begins)
}

fn beginning(value: &Value) -> Option<Value> {
    match value {
        Value::Text(text) => Some(Value::Text(text.chars().take(2).collect())),
        Value::Bytes(bytes) => Some(Value::Bytes(bytes.iter().copied().take(2).collect())),
        _ => None,
    }
}

fn begins(start: &Value, of: &Value) -> bool {
    match (beginning(start), of) {
        (Some(Value::Text(start)), Value::Text(of)) => of.starts_with(&start),
        (Some(Value::Bytes(start)), Value::Bytes(of)) => of.starts_with(&start),
        _ => false,
    }
}

proptest! {
    #[test]
    fn ranges_hold_the_values_between((layout, rows) in with_rows(layouts()), kinds in any::<(bool, bool)>()) {
        between(&layout, &rows, kinds)?;
    }

    #[test]
    fn any_bytes_are_one_key_or_none(layout in layouts(), key in any_bytes()) {
        one_form(&layout, &key)?;
    }

    #[test]
    fn ranges_hold_a_beginning((layout, rows) in with_rows(layouts())) {
        query(&layout, &rows, |value| beginning(value).map(FieldValues::StartsWith), begins)?;
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

/// Computed by hand. The last is a key of OpenTSDB's layout: metric 1, an hour in seconds, tag 1 with value 4.
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

/// Of `TestBytesCodec` in TiDB.
#[test]
fn groups_of_bytes() {
    for (bytes, hex) in [
        ("", "0000000000000000f7"),
        ("00", "0000000000000000f8"),
        ("010203", "0102030000000000fa"),
        ("01020300", "0102030000000000fb"),
        ("01020304050607", "0102030405060700fe"),
        ("0000000000000000", "0000000000000000ff0000000000000000f7"),
        ("0102030405060708", "0102030405060708ff0000000000000000f7"),
        ("010203040506070809", "0102030405060708ff0900000000000000f8"),
    ] {
        let descending: String = unhex(hex).iter().map(|byte| format!("{:02x}", !byte)).collect();
        let json = format!(r#"["{bytes}"]"#);
        keys(&[("groups[8]", &json, hex), ("groups[8] desc", &json, &descending)]);
    }
    let layout: LayoutBuf = "groups[8]".parse().unwrap();
    for hex in [
        "01020304",
        "00000000000000f7",
        "0000000000000000f6",
        "0000000000000001f7",
        "010203040506070800",
        "0102030405060708ff01",
        "0102030405060708ff0102030405060708",
        "0102030405060708ff0102030405060708ff",
        "0102030405060708ff010203040506070800",
    ] {
        assert!(layout.decode(&unhex(hex)).is_err(), "{hex}");
    }
    refused(&[(
        "groups[8]",
        "0000000000000001f7",
        "key._0 at byte 0: found 0000000000000001f7, a group is eight bytes, zeros at its end, and ff less their number",
    )]);
}

/// Of Java's documentation of modified UTF-8.
#[test]
fn text_of_java() {
    keys(&[
        ("utf[java]", r#"[""]"#, "0000"),
        ("utf[java], u8", r#"["ada", "7"]"#, "0003 616461 07"),
        ("utf[java]", r#"["a\u0000"]"#, "0003 61c080"),
        ("utf[java]", r#"["é\u007f\u0080\u07ff\u0800\uffff"]"#, "000d c3a9 7f c280 dfbf e0a080 efbfbf"),
        ("utf[java]", r#"["😀"]"#, "0006 eda0bdedb880"),
    ]);
    for hex in
        ["0001 00", "0002 c1bf", "0003 e08080", "0003 eda0bd", "0004 f09f9880", "0001 80", "0002 c3", "0001 c3", "00"]
    {
        assert!("utf[java]".parse::<LayoutBuf>().unwrap().decode(&unhex(hex)).is_err(), "{hex}");
    }
    let longest = "a".repeat(65_535);
    let layout: LayoutBuf = "utf[java]".parse().unwrap();
    let key = layout.encode(&[Value::Text(longest.clone())]).unwrap();
    assert_eq!((key.len(), layout.decode(&key).unwrap()), (65_537, vec![Value::Text(longest.clone())]));
    let error = layout.encode(&[Value::Text(longest + "b")]).unwrap_err().to_string();
    assert!(error.ends_with("is not a valid utf[java]: it has more than 65,535 bytes in modified UTF-8"), "{error}");
    refused(&[("utf[java]", "0001 00", "key._0 at byte 0: found 00, it is text in modified UTF-8")]);
    no_layouts(&[("utf[java] desc", "fields[0].desc: its bytes are not in the order of its values")]);
}

/// Of `PCharPadTest` in Phoenix.
#[test]
fn text_padded_with_blanks() {
    keys(&[
        ("char[10]", r#"["hellow"]"#, "68656c6c6f77 20202020"),
        ("char[14]", r#"["phoenix"]"#, "70686f656e6978 20202020202020"),
        ("char[7]", r#"["phoenix"]"#, "70686f656e6978"),
        ("char[16]", r#"["hello world"]"#, "68656c6c6f20776f726c64 2020202020"),
        ("char[10] desc", r#"["hellow"]"#, "979a93939088 dfdfdfdf"),
        ("char[16] desc", r#"["hello world"]"#, "979a939390df88908d939b dfdfdfdfdf"),
        ("char[2]", r#"[""]"#, "2020"),
    ]);
    let form = "it is ASCII without control characters, and without blanks at its end";
    refused(&[
        ("char[3]", "610920", &format!("key._0 at byte 0: found a\t, {form}")),
        ("char[3]", "c3a920", &format!("key._0 at byte 0: found é, {form}")),
        ("char[3]", "6162", "key._0 at byte 2: the key ends here, expected 1 more bytes"),
    ]);
    not_written(&[
        ("char[3]", Value::Text("a ".into()), &format!("_0: \"a \" is not a valid char[3]: {form}")),
        (
            "char[3]",
            Value::Text("abcd".into()),
            "_0: \"abcd\" is not a valid char[3]: it has more characters than the field",
        ),
    ]);
    no_layouts(&[
        ("char[0]", "byte 0: `char[0]` is not a valid type"),
        ("char[65536]", "byte 0: `char[65536]` is not a valid type"),
    ]);
}

/// As HBase's `Bytes.padTail` and Pinpoint's `BytesUtils.toFixedLengthBytes`.
#[test]
fn text_padded_with_zeros() {
    keys(&[
        ("char[4 zeros]", r#"["ab"]"#, "61620000"),
        ("char[4 zeros] desc", r#"["ab"]"#, "9e9dffff"),
        ("char[2 zeros]", r#"["é"]"#, "c3a9"),
        ("char[2 zeros], u8", r#"["", "1"]"#, "000001"),
    ]);
    let form = "it is UTF-8 without zero bytes";
    refused(&[
        ("char[3 zeros]", "610062", &format!("key._0 at byte 0: found a\u{0}b, {form}")),
        ("char[3 zeros]", "61c300", &format!("key._0 at byte 0: found a\u{fffd}, {form}")),
        ("char[3 zeros]", "6162", "key._0 at byte 2: the key ends here, expected 1 more bytes"),
    ]);
    not_written(&[
        ("char[3 zeros]", Value::Text("a\0".into()), &format!("_0: \"a\\0\" is not a valid char[3 zeros]: {form}")),
        (
            "char[3 zeros]",
            Value::Text("éé".into()),
            "_0: \"éé\" is not a valid char[3 zeros]: it has more bytes than the field",
        ),
    ]);
    no_layouts(&[
        ("char[0 zeros]", "byte 0: `char[0 zeros]` is not a valid type"),
        ("char[3  zeros]", "byte 0: `char[3  zeros]` is not a valid type"),
        ("char[03 zeros]", "byte 0: `char[03 zeros]` is not a valid type"),
    ]);
}

/// Other types of Phoenix, by the rules of `PDate`, `PTimestamp` and `PBinary`: milliseconds with the sign flipped, and
/// the nanoseconds within one.
#[test]
fn times_of_phoenix() {
    keys(&[
        ("i64", r#"["1307097848000"]"#, "80000130551a58c0"),
        ("i64, u32", r#"["-1", "999999"]"#, "7fffffffffffffff 000f423f"),
        ("i64 desc, u32 desc", r#"["1307097848000", "1111"]"#, "7ffffecfaae5a73f fffffba8"),
        ("bytes[4]", r#"["0a0b0000"]"#, "0a0b0000"),
    ]);
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
    assert!(
        starts("text['::']", "a") && starts("text['::']", "a:") && starts("text[3]", "abc") && starts("text['#']", "")
    );
    assert!(!starts("text['::']", "a::") && !starts("text['#']", "a#b") && !starts("text[3]", "abcd"));
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
