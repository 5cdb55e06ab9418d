//! Keys that are text: fields between delimiters, or of a fixed width.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseError;
use rowkey::foreign::{Foreign, Order};
use rowkey::layout::Scalar;
use rowkey::untyped::{FieldValues, TypeBuf};
use rowkey::{LayoutBuf, Value, laws};

const TEXT: &[&str] = &["text['#']", "text['::']", "text['\\x00']", "text[3]", "reversed['#']", "reversed['|' ]"];
const NUMBERS: &[&str] = &[
    "dec[10]",
    "dec[39 '#']",
    "dec['#']",
    "int['_']",
    "minus[99 2]",
    "minus[9223372036854775807 19 '#']",
    "minus[340282366920938463463374607431768211455 '#']",
    "hex[16]",
    "hex[4 upper '-']",
    "hex['#']",
];
const OTHERS: &[&str] = &[
    "hexbytes[6]",
    "hexbytes['-']",
    "hexbytes[upper '#']",
    "uuid[text]",
    "uuid[text '_']",
    "date['yyyyMMdd']",
    "date['yyyy-MM-dd HH:mm' '#']",
    "date['ddMMyyyy']",
    "date['yyyyDDD']",
    "date['yyyyMMddHHmmssSSS']",
    "u8",
    "text",
    "option<dec[3]>",
    "list<text[',']>",
];
const LAST: &[&str] =
    &["text[end]", "dec[end]", "int[end]", "hexbytes[end]", "minus[7 end]", "hex[upper end]", "reversed[end]"];

fn layouts() -> impl Strategy<Value = LayoutBuf> {
    let field = prop_oneof![2 => select(TEXT), 3 => select(NUMBERS), 3 => select(OTHERS)];
    let last = prop_oneof![1 => Just(None), 2 => select(LAST).prop_map(Some)];
    let lead = select(vec!["", "salt(4 xxh3) ", "salt(16 java hex by 0) ", "md5(4 by 0) "]);
    (lead, proptest::collection::vec((field, any::<bool>()), 1..4), last).prop_map(|(lead, fields, last)| {
        let mut shapes: Vec<String> = Vec::new();
        for (shape, desc) in fields {
            let shape = shape.replace(" ]", "]");
            // Only what has an order can be descending.
            let can_be = format!("{shape} desc").parse::<LayoutBuf>().is_ok();
            shapes.push(if desc && can_be { format!("{shape} desc") } else { shape });
        }
        shapes.extend(last.map(str::to_owned));
        format!("{lead}{}", shapes.join(", ")).parse().unwrap()
    })
}

#[test]
fn the_laws_hold() {
    laws::layout(layouts());
}

fn foreign(layout: &LayoutBuf, field: usize) -> Option<Foreign> {
    match layout.fields()[field].ty {
        TypeBuf::Scalar(Scalar::Foreign(foreign)) => Some(foreign),
        _ => None,
    }
}

/// Layouts, each with some of its keys.
pub(crate) fn with_rows(
    layouts: impl Strategy<Value = LayoutBuf>,
) -> impl Strategy<Value = (LayoutBuf, Vec<Vec<Value>>)> {
    layouts.prop_flat_map(|layout| {
        let rows = laws::rows(&layout);
        (Just(layout), rows)
    })
}

/// The values between two others, by a comparator that never sees bytes, or an error if there is no such order.
pub(crate) fn between(layout: &LayoutBuf, rows: &[Vec<Value>], kinds: (bool, bool)) -> Result<(), TestCaseError> {
    let bound = |value: &Value, is_included| match is_included {
        true => Bound::Included(value.clone()),
        false => Bound::Excluded(value.clone()),
    };
    let field = layout.fields().len() - 1;
    let (low, high) = (&rows[0], &rows[1 % rows.len()]);
    let between = FieldValues::Between(bound(&low[field], kinds.0), bound(&high[field], kinds.1));
    let ranges = layout.ranges_by_bucket(&low[..field], Some(&between));
    let of_field: LayoutBuf = layout.fields()[field].ty_shape().parse().unwrap();
    if !of_field.is_ordered() {
        prop_assert!(ranges.unwrap_err().to_string().contains("its bytes have another order"));
        return Ok(());
    }
    // A digest of fields that are not fixed, or an option.
    let Ok(ranges) = ranges else { return Ok(()) };
    // In the order of the values, whatever that of the bytes.
    let is_turned = foreign(layout, field).is_some_and(|foreign| foreign.order() == Order::Descending);
    let order = |a: &Value, b: &Value| {
        let order = laws::compare(&of_field, std::slice::from_ref(a), std::slice::from_ref(b));
        if is_turned { order.reverse() } else { order }
    };
    for row in rows {
        let key = layout.encode(row).unwrap();
        let due = row[..field] == low[..field]
            && (order(&row[field], &low[field]).is_gt() || (kinds.0 && row[field] == low[field]))
            && (order(&row[field], &high[field]).is_lt() || (kinds.1 && row[field] == high[field]));
        let found = ranges.iter().flatten().any(|range| range.contains(&key));
        prop_assert_eq!(due, found, "{} {:?} in {:?}", layout, row, between);
    }
    Ok(())
}

proptest! {
    #[test]
    fn ranges_hold_the_values_between((layout, rows) in with_rows(layouts()), kinds in any::<(bool, bool)>()) {
        between(&layout, &rows, kinds)?;
    }
}

trait Shape {
    fn ty_shape(&self) -> String;
}

impl Shape for rowkey::untyped::FieldBuf {
    fn ty_shape(&self) -> String {
        self.ty.to_string()
    }
}

#[test]
fn keys_that_people_have() {
    for (shape, values, key) in [
        ("text['#'], dec[10]", r#"["ada", "1600000001"]"#, "ada#1600000001"),
        ("text['#'], minus[9223372036854775807 19]", r#"["ada", "1600000001000"]"#, "ada#9223370436854774807"),
        ("text['_'], date['yyyyMMdd' '_'], dec[end]", r#"["A-1", ["1614470400", "0"], "17"]"#, "A-1_20210228_17"),
        (
            "hex[2 '-'], text['-'], uuid[text]",
            r#"["10", "x", "0123456789abcdef0123456789abcdef"]"#,
            "0a-x-01234567-89ab-cdef-0123-456789abcdef",
        ),
        ("reversed['|'], text[end]", r#"["com.example.www", "/a|b"]"#, "www.elpmaxe.moc|/a|b"),
        ("hexbytes[8 upper ':'], int[end]", r#"["deadbeef", "-12"]"#, "DEADBEEF:-12"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        let values = layout.values_from_json(&serde_json::from_str(values).unwrap()).unwrap();
        assert_eq!(layout.encode(&values).unwrap(), key.as_bytes(), "{shape}");
        assert_eq!(layout.decode(key.as_bytes()).unwrap(), values, "{shape}");
        assert_eq!(LayoutBuf::from_json(&layout.to_json()).unwrap(), layout);
    }
}

#[test]
fn what_would_not_come_back_is_refused() {
    let text = |text: &str| Value::Text(text.into());
    for (shape, value, reason) in [
        (
            "text['#'], u8",
            text("a#b"),
            "_0: \"a#b\" is not a valid text['#']: it holds the delimiter, and would not be read back",
        ),
        (
            "text['::'], u8",
            text("a:"),
            "_0: \"a:\" is not a valid text['::']: it holds the delimiter, and would not be read back",
        ),
        ("text[3], u8", text("ab"), "_0: \"ab\" is not a valid text[3]: it does not have the width of the field"),
        ("dec[2], u8", Value::Unsigned(100), "_0: 100 is not a valid dec[2]: it does not have the width of the field"),
        (
            "minus[9 1], u8",
            Value::Unsigned(10),
            "_0: 10 is not a valid minus[9 1]: it is more than the number that it is taken from",
        ),
        (
            "date['yyyyMMdd'], u8",
            Value::Instant(1, 0),
            "_0: 1.000000000 s since 1970 is not a valid date['yyyyMMdd']: the pattern has no text for this instant",
        ),
        ("dec['#'], u8", text("7"), "_0: \"7\" is not a valid dec['#']"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.encode(&[value, Value::Unsigned(7)]).unwrap_err().to_string(), reason);
    }
    for (shape, key, error) in [
        ("text['#']", "ada", "key._0 at byte 0: found ada, it ends with the field's delimiter"),
        ("dec['#']", "007#", "key._0 at byte 0: found 007, it is a number in decimal, in its one form"),
        ("dec[2 '#']", "7#", "key._0 at byte 0: found 7, the delimiter is not after the field's width"),
        ("dec['#']", "#", "key._0 at byte 0: found , it is a number in decimal, in its one form"),
        ("int[end]", "-0", "key._0 at byte 0: found -0, it is a number in decimal, in its one form"),
        ("hex[2]", "0A", "key._0 at byte 0: found 0A, it is a number in hex, in its one form"),
        ("date['yyyyMMdd']", "20210229", "key._0 at byte 0: found 20210229, it is a date of the field's pattern"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.decode(key.as_bytes()).unwrap_err().to_string(), error);
    }
}

#[test]
fn layouts_whose_keys_could_not_be_read_are_refused() {
    for (shape, reason) in [
        ("dec['1']", "byte 0: `dec['1']` is not a valid type"),
        ("hex['a']", "byte 0: `hex['a']` is not a valid type"),
        ("dec[40]", "byte 0: `dec[40]` is not a valid type"),
        ("text[]", "byte 0: `text[]` is not a valid type"),
        ("text[3 end]", "byte 0: `text[3 end]` is not a valid type"),
        ("date['MMdd']", "byte 0: `date['MMdd']` is not a valid type"),
        ("dec[0]", "byte 0: `dec[0]` is not a valid type"),
        ("dec[07]", "byte 0: `dec[07]` is not a valid type"),
        (
            "text[end], u8",
            "fields[0].type: it ends with the key: it is for the last field of a key, if it is ascending",
        ),
        ("text[end] desc", "fields[0].type: it ends with the key"),
        (
            "option<text[end]>",
            "fields[0].type.option: it ends with the key: it is for the last field of a key, if it is ascending",
        ),
        ("dec['#'] desc", "fields[0].desc: its bytes are not in the order of its values"),
        ("(text[end])", "fields[0].type.tuple[0].type: it ends with the key"),
    ] {
        let error = shape.parse::<LayoutBuf>().unwrap_err().to_string();
        assert!(error.starts_with(reason), "{shape}: {error}");
    }
}
