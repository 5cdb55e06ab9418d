//! Every shape of FORMAT.md with every meaning: what is drawn is a key, and times are those of events.

use std::collections::BTreeSet;

use rowkey::untyped::FieldBuf;
use rowkey_design::internal::design::Meaning;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::{Design, File};
use rowkey_simulate::load::{Drawn, Log, Options};

use super::{all, design};

/// The shapes of fields in the tables of FORMAT.md.
fn shapes() -> BTreeSet<String> {
    let page = include_str!("../../../../FORMAT.md");
    // What only a Rust type reads, no layout does.
    let is_custom = |shape: &String| shape.contains(['T', 'U']);
    let cell = |line: &str| line.strip_prefix("| `")?.split_once("` |").map(|(shape, _)| shape.replace("\\|", "|"));
    let shapes: BTreeSet<_> =
        page.lines().filter_map(cell).filter(|shape| !is_custom(shape) && FieldBuf::new("f", shape).is_ok()).collect();
    assert!(shapes.len() > 60, "{}", shapes.len());
    shapes
}

#[test]
fn what_is_drawn_is_a_key() {
    let (mut drawn, mut grown) = (0, 0);
    for shape in shapes() {
        for meaning in std::iter::once(None).chain(Meaning::ALL.iter().map(Some)) {
            for distinct in ["", "distinct = 2"] {
                let mut text = format!("format = 1\n[table.t]\nkey = [{:?}]\n", format!("f: {shape}"));
                if let Some(meaning) = meaning {
                    text += &format!("means.f = {:?}\n", meaning.word());
                }
                text += &format!("stats.f = {{ {distinct} }}\n[[table.t.write]]\nname = \"w\"\nrate = \"1/s\"\n");
                // Some shapes are none of a key's only field.
                let Ok(design) = Design::parse([File { name: "a".to_owned(), text: text.clone() }]) else { continue };
                let options = Options { rows: Some(40), ..Options::default() };
                let load = Drawn::new(&design, "t", None, None, None, &options);
                let mut load = load.unwrap_or_else(|error| panic!("{error}\n{text}"));
                let layout = &design.tables["t"].layout;
                let keys: BTreeSet<_> = all(&mut load).into_iter().map(|event| event.key).collect();
                keys.iter().for_each(|key| _ = layout.decode(key).unwrap_or_else(|error| panic!("{error}\n{text}")));
                let key = KeyFacts::of(&design.tables["t"], None);
                match key.fields[0].growth {
                    Some(_) => grown += 1,
                    None if !distinct.is_empty() => assert!(keys.len() <= 2, "{text}: {keys:?}"),
                    None => {}
                }
                drawn += 1;
            }
        }
    }
    assert!(drawn > 2000 && grown > 300, "{drawn} {grown}");
}

#[test]
fn what_is_random_is_anywhere_among_the_values_of_its_type() {
    for shape in ["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64", "i128", "bytes[16]", "bytes raw"] {
        for meaning in ["random", "uuid4", "digest"] {
            let text = format!(
                "format = 1\n[table.t]\nkey = [\"f: {shape}\"]\nmeans.f = {meaning:?}\n[[table.t.write]]\nname = \"w\"\n\
                 rate = \"1/s\"\n"
            );
            let options = Options { rows: Some(4000), ..Options::default() };
            let keys = all(&mut Drawn::new(&design(&text), "t", None, None, None, &options).unwrap());
            // An eighth of the keys begins with each three bits.
            for bits in 0..8 {
                let count = keys.iter().filter(|event| event.key[0] >> 5 == bits).count();
                assert!((400..600).contains(&count), "{shape}, {meaning}: {count} of {} begin with {bits}", keys.len());
            }
        }
    }
}

#[test]
fn times_of_keys_are_those_of_events() {
    for (shape, meaning, unit) in [
        ("instant", "", 1),
        ("instant desc", "", 1),
        ("u32", "seconds", 1000),
        ("i64 desc", "milliseconds", 1),
        ("i64", "microseconds", 1),
        ("u64", "nanoseconds", 1),
        ("u64", "snowflake", 1),
        ("bytes[16]", "uuid7", 1),
        ("bytes[16]", "ulid", 1),
        ("u32", "time bucket", 3_600_000),
    ] {
        let means = if meaning.is_empty() { String::new() } else { format!("means.at = {meaning:?}\n") };
        let bucket = if meaning == "time bucket" { "stats.at.bucket = \"1 h\"\n" } else { "" };
        let design = design(&format!(
            "format = 1\n[table.t]\nkey = [\"host: text\", \"at: {shape}\"]\n{means}{bucket}stats.host = {{ distinct = 9 \
             }}\n[[table.t.write]]\nname = \"w\"\nrate = \"7/min\"\n"
        ));
        let options = Options { seconds: 20_000.0, ..Options::default() };
        let events = all(&mut Drawn::new(&design, "t", None, None, None, &options).unwrap());
        let table = &design.tables["t"];
        let lines: Vec<String> = events.iter().map(|event| data_encoding::HEXLOWER.encode(&event.key)).collect();
        let hex =
            |text: &str, key: &mut Vec<u8>| KeyForm::Hex.parse_to(text, &table.layout, key).map_err(|e| e.to_string());
        let log = Log::read(lines.join("\n").as_bytes(), hex, &KeyFacts::of(table, None), 1.0, 100_000, |_, _| {});
        let read = all(&mut log.unwrap());
        assert_eq!(read.len(), events.len());
        for (read, event) in read.iter().zip(&events) {
            assert_eq!(read.t_ms, event.t_ms / unit * unit, "{shape} {meaning}");
        }
    }
}
