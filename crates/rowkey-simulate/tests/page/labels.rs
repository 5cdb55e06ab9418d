//! Labels tell neighbours apart, are short, and have no character that a terminal would not show.

use proptest::prelude::*;
use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::explain::Times;
use rowkey_design::internal::quote::terminal;
use rowkey_design::{Design, File};
use rowkey_simulate::page::{label, labels};

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
