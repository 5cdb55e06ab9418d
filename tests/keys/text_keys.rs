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
    "date['yyyy-MM-dd' '-']",
    "uuid[text '-']",
    "text[3 '#']",
    "dec[10 '0']",
    "hex[2 upper 'A']",
    "hex[1 upper '\\x80']",
    "text['\\xa9']",
    "u8",
    "text",
    "option<dec[3]>",
    "list<text[',']>",
];
const LAST: &[&str] = &[
    "text[end]",
    "dec[end]",
    "int[end]",
    "hexbytes[end]",
    "minus[7 end]",
    "hex[upper end]",
    "reversed[end]",
    "dec[4 after '#']",
    "text[end after '::']",
    "text[until '#'], text[end after '#']",
    "text[until '::'], text[end after '::']",
    "text[until ':::'], dec[9 after ':::']",
    "text[until '\\x00'], hexbytes[end after '\\x00']",
    "dec[until '-'], date['yyyyMMdd' after '-']",
    "hex[until '#'], minus[99 2 after '#']",
    "int[until ':'], uuid[text after ':']",
    "text[until '/']",
];

fn layouts() -> impl Strategy<Value = LayoutBuf> {
    let field = prop_oneof![2 => select(TEXT), 3 => select(NUMBERS), 3 => select(OTHERS)];
    let last = prop_oneof![1 => Just(None), 2 => select(LAST).prop_map(Some)];
    let lead = select(vec![
        "",
        "salt(4 xxh3) ",
        "salt(16 java hex by 0) ",
        "md5(4 by 0) ",
        "hash(md5 hex[3] by 0) ",
        "hash(hash_code bytes[2]) ",
        "salt(20 hash_code[java] dec[2 '-'] by 0) ",
        "salt(9 java uint[3]) ",
    ]);
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
fn keys_begin_with_hashes_and_salts_of_other_programs() {
    for (shape, values, key) in [
        // md5("ada") = 8c8d357b5e872bbacd45197626bd5759
        ("hash(md5 hex[4 '_'] by 0) text['_'], dec[10]", r#"["ada", "7"]"#, "8c8d_ada_0000000007"),
        ("hash(md5 hex[6 upper] by 0) text['_'], dec[10]", r#"["ada", "7"]"#, "8C8D35ada_0000000007"),
        // "ada".hashCode() = 96414
        ("salt(16 hash_code[java] dec[2 '-'] by 0) text['#'], dec[end]", r#"["ada", "7"]"#, "14-ada#7"),
        ("salt(16 hash_code[java] hex[1 '-'] by 0) text['#'], dec[end]", r#"["ada", "7"]"#, "e-ada#7"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.shape(), shape);
        let values = layout.values_from_json(&serde_json::from_str(values).unwrap()).unwrap();
        assert_eq!(layout.encode(&values).unwrap(), key.as_bytes(), "{shape}");
        assert_eq!(layout.decode(key.as_bytes()).unwrap(), values, "{shape}");
        assert_eq!(LayoutBuf::from_json(&layout.to_json()).unwrap(), layout);
        let other = key.replacen(char::is_alphanumeric, "0", 1);
        let error = layout.decode(other.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("this key's is"), "{other}: {error}");
    }
    let layout: LayoutBuf = "hash(md5 hex[4 '_'] by 0) text['_'], dec[10]".parse().unwrap();
    let ranges = layout.ranges(&[Value::Text("ada".into())]).unwrap();
    assert_eq!(ranges, [rowkey::KeyRange::prefix(*b"8c8d_ada_")]);
    assert_eq!(
        layout.explain(b"8c8d_ada_0000000007").to_string(),
        "key, 19 bytes\n   0..5       hash       38 63 38 64 5f                 8c8d_  of md5\n   \
         5..9   _0  text['_']  61 64 61 5f                    \"ada\"\n   \
         9..19  _1  dec[10]    30 30 30 30 30 30 30 30 30 37  7\n"
    );
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
        ("dec[2 '#']", "7#", "key._0 at byte 2: the key ends here, expected 1 more bytes"),
        ("dec[2 '#']", "123", "key._0 at byte 2: found 3, the delimiter comes after the field's width"),
        ("dec['#']", "#", "key._0 at byte 0: found , it is a number in decimal, in its one form"),
        ("int[end]", "-0", "key._0 at byte 0: found -0, it is a number in decimal, in its one form"),
        ("hex[2]", "0A", "key._0 at byte 0: found 0A, it is a number in hex, in its one form"),
        ("date['yyyyMMdd']", "20210229", "key._0 at byte 0: found 20210229, it is a date of the field's pattern"),
    ] {
        let layout: LayoutBuf = shape.parse().unwrap();
        assert_eq!(layout.decode(key.as_bytes()).unwrap_err().to_string(), error);
    }
}

/// Of all short texts of two characters, where the ends of a delimiter are also its beginnings.
#[test]
fn no_shorter_text_and_its_delimiter_has_a_beginning() {
    let texts = |chars: [char; 2]| {
        (0..=5).flat_map(move |len| {
            (0..1 << len).map(move |bits: usize| (0..len).map(|at| chars[bits >> at & 1]).collect::<String>())
        })
    };
    for (delimiter, chars) in [("::", [':', 'a']), (":::", [':', 'a']), ("abab", ['a', 'b']), ("aab", ['a', 'b'])] {
        let layout: LayoutBuf = format!("text['{delimiter}'], text[end]").parse().unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = texts(chars).flat_map(|field| ["", ":", "a", "b", "~"].map(|last| (field.clone(), last)));
        let encoded = |row: (String, &str)| Some((layout.encode(&[text(&row.0), text(row.1)]).ok()?, row.0));
        let keys: Vec<_> = rows.filter_map(encoded).collect();
        for start in texts(chars) {
            let Ok(ranges) = layout.ranges_by_bucket(&[], Some(&FieldValues::StartsWith(text(&start)))) else {
                assert!(start.contains(delimiter));
                continue;
            };
            for (key, field) in &keys {
                let found = ranges.iter().flatten().any(|range| range.contains(key));
                assert_eq!(found, field.starts_with(&start), "{layout}: {start:?} of {field:?}");
            }
        }
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
        ("option<dec['#']> desc", "fields[0].desc: its bytes are not in the order of its values"),
        ("(u8, dec['#']) desc", "fields[0].desc: its bytes are not in the order of its values"),
        ("list<le[u16]> desc", "fields[0].desc: its bytes are not in the order of its values"),
        ("(text[end])", "fields[0].type.tuple[0].type: it ends with the key"),
    ] {
        let error = shape.parse::<LayoutBuf>().unwrap_err().to_string();
        assert!(error.starts_with(reason), "{shape}: {error}");
    }
}

mod typed {
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;
    use rowkey::foreign::{
        Before, Code, Date, DatePattern, Dated, Decimal, Digits, Hex, HexBytes, Minus, Padded, Reversed, Segment, Str,
        ToEnd, UpTo, UuidText,
    };
    use rowkey::{KeyRange, RowKey, Select, laws};

    const MAX: u128 = i64::MAX as u128;

    #[derive(Debug, PartialEq)]
    struct Hour;

    impl DatePattern for Hour {
        const PATTERN: &'static str = "yyyy-MM-dd'T'HH";
    }

    #[derive(RowKey, Debug, PartialEq, Clone)]
    struct Event {
        #[rowkey(with = Before<Str, '#'>)]
        user: Segment<'#'>,
        #[rowkey(with = Before<Minus<MAX>, '#'>)]
        at: UpTo<MAX>,
        #[rowkey(with = ToEnd<Decimal>)]
        n: u64,
    }

    #[derive(RowKey, Debug, PartialEq, Clone)]
    #[rowkey(hashed(hash = md5, hex = 4, delimiter = "_", by(user)))]
    struct Hashed {
        #[rowkey(with = Before<Str, '_'>)]
        user: Segment<'_'>,
        #[rowkey(with = Padded<10>)]
        at: u32,
    }

    #[derive(RowKey, Debug, PartialEq, Clone)]
    #[rowkey(salt(buckets = 20, hash = hash_code, by(user), format = decimal, delimiter = "-"))]
    struct Salted {
        #[rowkey(with = Before<Str, '#'>)]
        user: Segment<'#'>,
        at: u32,
    }

    #[test]
    fn hashes_and_salts_are_those_of_the_layout() {
        let key = Hashed { user: "ada".parse().unwrap(), at: 7 };
        assert_eq!(key.encode(), b"8c8d_ada_0000000007");
        assert_eq!(Hashed::decode(b"8c8d_ada_0000000007").unwrap(), key);
        assert_eq!(Hashed::LAYOUT.shape(), "hash(md5 hex[4 '_'] by 0) text['_'], dec[10]");
        assert_eq!(Hashed::prefix().user(&key.user).ranges(), [KeyRange::prefix(*b"8c8d_ada_")]);
        assert_eq!(Salted::LAYOUT.shape(), "salt(20 hash_code[java] dec[2 '-'] by 0) text['#'], u32");
        let salted = Salted { user: "ada".parse().unwrap(), at: 7 };
        assert_eq!(salted.encode(), b"14-ada#\0\0\0\x07");
        assert_eq!(Salted::prefix().user(&salted.user).ranges(), [KeyRange::prefix(*b"14-ada#")]);
        assert_eq!(Salted::prefix().select().ranges_by_bucket().len(), 20);
        let keys = ("[a-c]{0,3}", any::<u32>());
        laws::key(keys.prop_map(|(user, at)| Hashed { user: user.parse().unwrap(), at }), |a, b| {
            a.encode()[5..].cmp(&b.encode()[5..])
        });
        laws::key(keys.prop_map(|(user, at)| Salted { user: user.parse().unwrap(), at }), |a, b| {
            a.encode()[3..].cmp(&b.encode()[3..])
        });
    }

    #[derive(RowKey, Debug, PartialEq, Clone)]
    #[rowkey(salt(buckets = 4, by(code)))]
    struct Wide {
        #[rowkey(with = Str)]
        code: Code<3>,
        #[rowkey(with = Before<Date<Hour>, '_'>)]
        at: Dated<Hour>,
        #[rowkey(with = Padded<7>)]
        n: Digits<7>,
        #[rowkey(with = Padded<5>)]
        port: u16,
        #[rowkey(with = Hex<16>)]
        hex: u64,
        #[rowkey(with = HexBytes)]
        four: [u8; 4],
        #[rowkey(with = UuidText)]
        id: [u8; 16],
        #[rowkey(with = Before<Reversed, '|'>)]
        host: Segment<'|'>,
        #[rowkey(with = Before<Decimal, '|'>)]
        signed: i32,
        #[rowkey(with = ToEnd<HexBytes>)]
        rest: Vec<u8>,
    }

    fn event(user: &str, at: u128, n: u64) -> Event {
        Event { user: user.parse().unwrap(), at: at.try_into().unwrap(), n }
    }

    fn wide() -> impl Strategy<Value = Wide> {
        let numbers = (0..10_000_000_u128, any::<u16>(), any::<u64>(), any::<i32>());
        let bytes = (any::<[u8; 4]>(), any::<[u8; 16]>(), proptest::collection::vec(any::<u8>(), 0..4));
        ("[a-z]{3}", 0..4_000_000_000_u64, numbers, bytes, "[^|]{0,5}").prop_map(|(code, at, numbers, bytes, host)| {
            Wide {
                code: code.parse().unwrap(),
                at: Dated::floor(SystemTime::UNIX_EPOCH + Duration::from_secs(at)).unwrap(),
                n: numbers.0.try_into().unwrap(),
                port: numbers.1,
                hex: numbers.2,
                four: bytes.0,
                id: bytes.1,
                host: host.parse().unwrap(),
                signed: numbers.3,
                rest: bytes.2,
            }
        })
    }

    #[test]
    fn the_shape_and_the_bytes_are_those_of_the_layout() {
        assert_eq!(Event::LAYOUT.shape(), "text['#'], minus[9223372036854775807 19 '#'], dec[end]");
        let key = event("ada", 1_600_000_001_000, 7);
        assert_eq!(key.encode(), b"ada#9223370436854774807#7");
        assert_eq!(Event::decode(b"ada#9223370436854774807#7").unwrap(), key);
        assert_eq!(
            Wide::LAYOUT.shape(),
            "salt(4 xxh3 by 0) text[3], date['yyyy-MM-dd''T''HH' '_'], dec[7], dec[5], hex[16], hexbytes[8], uuid[text], \
             reversed['|'], int['|'], hexbytes[end]"
        );
        let error = Event::decode(b"ada#9223370436854774807#").unwrap_err();
        assert_eq!(error.to_string(), "Event.n at byte 24: found , it is a number in decimal, in its one form");
        let error = Event::decode(b"ada#9223370436854774807#18446744073709551616").unwrap_err();
        assert_eq!(error.to_string(), "Event.n at byte 24: found 18446744073709551616, it fits into the field's type");
    }

    #[test]
    fn keys_come_back_and_have_one_form() {
        proptest!(|(key in wide())| {
            let bytes = key.encode();
            prop_assert_eq!(&Wide::decode(&bytes).unwrap(), &key);
            let layout = rowkey::LayoutBuf::from(&Wide::LAYOUT);
            prop_assert_eq!(layout.encode(&layout.decode(&bytes).unwrap()).unwrap(), bytes);
        });
        let events = ("[a-c]{0,3}", 0..3_u128, 0..2_u64).prop_map(|(user, at, n)| event(&user, at, n));
        laws::key(events, |a, b| b.encode().cmp(&a.encode()).reverse());
    }

    #[test]
    fn prefixes_and_ranges_find_the_rows() {
        let starts = |range: &KeyRange| (range.start().to_vec(), range.end().map(<[u8]>::to_vec));
        let found = Event::prefix().user_starts_with("ad").ranges();
        assert_eq!(found, [KeyRange::prefix(*b"ad")]);
        let user: Segment<'#'> = "ada".parse().unwrap();
        assert_eq!(Event::prefix().user(&user).ranges(), [KeyRange::prefix(*b"ada#")]);
        let to = |at: u128| UpTo::<MAX>::try_from(at).unwrap();
        // The later time comes first.
        let found = Event::prefix().user(&user).at_range(to(7)..to(9)).ranges();
        let key = |left: u128| format!("ada#{left}#").into_bytes();
        let after = |left: u128| format!("ada#{left}$").into_bytes();
        assert_eq!(found.iter().map(starts).collect::<Vec<_>>(), [(after(MAX - 9), Some(after(MAX - 7)))]);
        for (at, is_in) in [(6, false), (7, true), (8, true), (9, false)] {
            assert_eq!(found[0].contains(&event("ada", at, 1).encode()), is_in, "{at}");
        }
        assert!(found[0].start() > key(MAX - 9).as_slice());
        let hours = |from: u64, to: u64| {
            let at = |hour| Dated::<Hour>::floor(SystemTime::UNIX_EPOCH + Duration::from_secs(hour * 3600)).unwrap();
            at(from)..=at(to)
        };
        let code: Code<3> = "abc".parse().unwrap();
        let ranges = Wide::prefix().code(&code).at_range(hours(1, 2)).ranges();
        assert_eq!(ranges.len(), 1);
        assert!(ranges[0].start().ends_with(b"abc1970-01-01T01_"), "{ranges:?}");
        assert!(ranges[0].end().unwrap().ends_with(b"abc1970-01-01T02`"), "{ranges:?}");
    }

    #[test]
    fn a_beginning_with_the_delimiter_is_that_of_no_text() {
        assert_eq!(Event::prefix().user_starts_with("ada#").ranges(), []);
        assert_eq!(Event::prefix().user_starts_with("#").ranges(), []);
    }

    #[derive(RowKey, Debug, PartialEq, Clone)]
    struct Day(#[rowkey(with = Before<Date<Days>, '-'>)] Dated<Days>, u8);

    #[derive(Debug, PartialEq, Clone)]
    struct Days;

    impl DatePattern for Days {
        const PATTERN: &'static str = "yyyy-MM-dd";
    }

    #[test]
    fn a_delimiter_may_be_in_a_field_of_a_width() {
        let key = Day(Dated::floor(SystemTime::UNIX_EPOCH).unwrap(), 7);
        assert_eq!(key.encode(), b"1970-01-01-\x07");
        assert_eq!(Day::decode(b"1970-01-01-\x07").unwrap(), key);
    }

    #[test]
    fn what_would_not_come_back_is_refused_where_it_is_made() {
        assert_eq!(
            Segment::<'#'>::try_from("a#b".to_owned()).unwrap_err().to_string(),
            "\"a#b\" is not a value of the field: it holds the delimiter, and would not be read back"
        );
        assert!(Digits::<3>::try_from(1000).is_err() && Digits::<3>::try_from(999).is_ok());
        assert!(UpTo::<9>::try_from(10).is_err() && UpTo::<9>::try_from(9).unwrap().get() == 9);
        assert!("ab".parse::<Code<3>>().is_err());
    }
}
