//! Labels tell neighbours apart, are short, and have no character that a terminal would not show.

use proptest::prelude::*;
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::Times;
use rowkey_design::internal::quote::terminal;
use rowkey_design::{Design, File};
use rowkey_simulate::page::{label, labels, labels_of_range};

fn layout(shape: &str) -> LayoutBuf {
    shape.parse().unwrap()
}

fn told(keys: &[Vec<u8>], layout: &LayoutBuf) -> Vec<String> {
    labels(keys, layout, &Times::default())
}

#[test]
fn dates_are_as_fine_as_neighbours_need() {
    let layout = layout("u16, instant");
    let at = |id, seconds| layout.encode(&[Value::Unsigned(id), Value::Instant(seconds, 0)]).unwrap();
    let day = 86_400;
    for (step, expected) in [
        (40 * day, ["_0 7, 1970-01", "_0 7, 1970-02", "_0 7, 1970-03"]),
        (day, ["_0 7, 1970-01-01", "_0 7, 1970-01-02", "_0 7, 1970-01-03"]),
        (60, ["_0 7, 1970-01-01 00:00", "_0 7, 1970-01-01 00:01", "_0 7, 1970-01-01 00:02"]),
        (1, ["_0 7, 1970-01-01 00:00:00", "_0 7, 1970-01-01 00:00:01", "_0 7, 1970-01-01 00:00:02"]),
    ] {
        let keys: Vec<_> = (0..3).map(|i| at(7, i * step)).collect();
        assert_eq!(told(&keys, &layout), expected);
    }
    assert_eq!(told(&[vec![], at(7, 0), at(8, 0)], &layout), ["the first key", "_0 7", "_0 8"]);
    assert_eq!(label(&at(7, day), &layout, &Times::default()), "_0 7, 1970-01-02");
}

#[test]
fn units_salts_and_options_are_read() {
    let text = "format = 1\n[table.t]\nkey = [\"metric: text\", \"at: option<u64> desc\"]\nmeans.at = \"milliseconds\"\n\
                salt = { buckets = 16, by = [\"metric\"] }\n";
    let design = Design::parse([File { name: "t.rowkey.toml".into(), text: text.into() }]).unwrap();
    let (layout, times) = (design.layout_named("t").unwrap(), design.times_of("t"));
    let at = |millis| Value::Option(Some(Box::new(Value::Unsigned(millis))));
    let key = |millis| layout.encode(&[Value::Text("000007".into()), at(millis)]).unwrap();
    let labels = labels(&[key(1_309_500_000_000), key(1_306_900_000_000)], layout, &times);
    let bucket = key(0)[0];
    assert_eq!(labels[0], format!("bucket {bucket}, metric 000007, 2011-07"));
    assert_eq!(labels[1], format!("bucket {bucket}, metric 000007, 2011-06"));
    // A bucket alone, as declared splits are.
    assert_eq!(label(&[3], layout, &times), "bucket 3");
}

#[test]
fn shortest_separators_and_bytes_that_do_not_decode_have_labels() {
    let layout = layout("text, u32");
    assert_eq!(label(b"bo", &layout, &Times::default()), "_0 bo");
    assert_eq!(label(b"bonn\0\0\x01", &layout, &Times::default()), "_0 bonn, _1 65536");
    assert_eq!(label(b"\xff\x01", &layout, &Times::default()), "0xff01");
    let long = |end: &str| {
        layout.encode(&[Value::Text("http://example.org/a/long/path/".to_owned() + end), Value::Unsigned(1)])
    };
    let keys = [long("alpha").unwrap(), long("beta").unwrap(), long("gamma").unwrap()];
    assert_eq!(told(&keys, &layout), ["_0 http:/…g/path/alpha", "_0 http:/…ng/path/beta", "_0 http:/…g/path/gamma"]);
}

#[test]
fn cut_texts_are_told_as_far_as_they_go() {
    for shape in ["text, u32", "text desc, u32", "host_path, i64 desc", "host_path desc, i64", "option<url>, u8"] {
        let layout = layout(shape);
        let lead: &[u8] = if shape.starts_with("option") { &[1] } else { &[] };
        let is_desc = shape.contains("path desc") || shape.contains("text desc");
        for text in ["org.apache.hb", "example.host068408", "caf\u{e9}"] {
            let bytes = text.bytes().map(|byte| if is_desc { !byte } else { byte });
            let key: Vec<u8> = lead.iter().copied().chain(bytes).collect();
            assert_eq!(label(&key, &layout, &Times::default()), format!("_0 {text}"), "{shape}");
        }
    }
    // Half a character is none.
    assert_eq!(label(b"org.caf\xc3", &layout("host_path, u8"), &Times::default()), "_0 org.caf, 0xc3");
}

#[test]
fn ends_of_a_range_show_all_fields() {
    let layout = layout("text, instant");
    let key = |name: &str, seconds| layout.encode(&[Value::Text(name.into()), Value::Instant(seconds, 0)]).unwrap();
    let of = |start: &[u8], end: Option<&[u8]>| labels_of_range(start, end, &layout, &Times::default());
    let (start, end) = of(&key("bonn", 0), Some(&key("lyon", 86_400)));
    assert_eq!((start.as_str(), end.as_deref()), ("_0 bonn, 1970-01-01", Some("_0 lyon, 1970-01-02")));
    assert_eq!(of(b"", None), ("the first key".to_owned(), None));
}

/// The empty key is before all rows, whatever a layout makes of it; a value without bytes is told as one.
#[test]
fn what_is_empty_has_words() {
    for shape in ["text raw", "bytes raw", "text", "u64", "u16, bytes raw", "option<text>"] {
        let layout = layout(shape);
        assert_eq!(label(b"", &layout, &Times::default()), "the first key", "{shape}");
        assert_eq!(told(&[vec![], vec![1]], &layout)[0], "the first key", "{shape}");
        assert_eq!(labels_of_range(b"", Some(&[1]), &layout, &Times::default()).0, "the first key", "{shape}");
    }
    let layout = layout("u16, bytes raw");
    let key = |number, rest: &[u8]| layout.encode(&[Value::Unsigned(number), Value::Bytes(rest.into())]).unwrap();
    let (start, end) = labels_of_range(&key(5, b""), Some(&key(6, b"")), &layout, &Times::default());
    assert_eq!((start.as_str(), end.as_deref()), ("_0 5, _1 \"\"", Some("_0 6, _1 \"\"")));
}

fn shapes() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["text, instant", "u64 desc, text raw", "option<text>, list<u8>", "f64, bool, bytes"])
}

proptest! {
    #[test]
    fn any_bytes_have_a_short_label(
        shape in shapes(),
        mut keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..8),
    ) {
        keys.sort();
        for label in told(&keys, &layout(shape)) {
            prop_assert!(!label.is_empty() && label.chars().count() <= 50, "{}", label);
            prop_assert_eq!(terminal(&label), label);
        }
    }

    #[test]
    fn ends_of_cut_texts_are_told_apart(
        shape in prop::sample::select(vec!["text, u8", "host_path, i64", "u16, text", "text desc", "text, text, host_path"]),
        first in "[a-z]{0,60}", same in "[a-w.]{1,90}", ends in prop::array::uniform2("[a-w1-9]{1,60}"),
    ) {
        prop_assume!(ends[0] != ends[1]);
        let layout = layout(shape);
        let begins = match shape {
            "u16, text" => vec![0, 7],
            "text, text, host_path" => format!("{first}\0{first}\0").into_bytes(),
            _ => Vec::new(),
        };
        let invert = |byte: u8| if shape.contains("desc") { !byte } else { byte };
        let key = |end: &String| [&begins[..], same.as_bytes(), end.as_bytes()].concat().into_iter().map(invert).collect();
        let keys: [Vec<u8>; 2] = [key(&ends[0]), key(&ends[1])];
        let (start, end) = labels_of_range(&keys[0], Some(&keys[1]), &layout, &Times::default());
        let end = end.unwrap();
        prop_assert_ne!(&start, &end);
        for label in [start, end] {
            prop_assert!(label.chars().count() <= 98 && !label.contains("0x"), "{}", label);
        }
    }

    #[test]
    fn keys_of_numbers_and_times_are_told_apart(
        mut values in prop::collection::btree_set((0u64..50, 0i64..2_000_000_000), 2..20),
    ) {
        let layout = layout("u32, instant");
        let key = |(id, seconds)| layout.encode(&[Value::Unsigned(id), Value::Instant(seconds, 0)]).unwrap();
        let mut keys = Vec::new();
        while let Some((id, seconds)) = values.pop_first() {
            keys.push(key((id.into(), seconds)));
        }
        for pair in told(&keys, &layout).windows(2) {
            prop_assert_ne!(&pair[0], &pair[1]);
        }
    }
}
