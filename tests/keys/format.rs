//! FORMAT.md tells the truth: every example in its tables is written, read and refused as it says.

use std::collections::BTreeSet;

use rowkey::lead::SaltHash;
use rowkey::untyped::words::{OTHERS, TYPES};
use rowkey::{LayoutBuf, RowKey};
use rowkey_testkit::unhex;

const FORMAT: &str = include_str!("../../FORMAT.md");

/// The rows of all tables that have this header.
fn rows(header: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut lines = FORMAT.lines().peekable();
    while let Some(line) = lines.next() {
        if line == header {
            lines.next();
            while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
                let cells = row.trim_matches('|').split('|');
                rows.push(cells.map(|cell| cell.trim().trim_matches('`').to_owned()).collect());
            }
        }
    }
    rows
}

fn layout(shape: &str) -> LayoutBuf {
    let layout: LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
    assert_eq!(layout.shape(), shape);
    layout
}

fn both_ways(shape: &str, values: &str, hex: &str) {
    let (layout, bytes) = (layout(shape), unhex(if hex == "(none)" { "" } else { hex }));
    let values = layout.values_from_json(&serde_json::from_str(values).unwrap()).unwrap();
    assert_eq!(layout.encode(&values).unwrap(), bytes, "{shape} {values:?}");
    assert_eq!(layout.decode(&bytes).unwrap(), values, "{shape} {hex}");
}

#[test]
fn fields() {
    let rows = rows("| shape | value | ascending | descending |");
    assert!(rows.len() >= 45, "{}", rows.len());
    for row in rows {
        let [shape, value, ascending, descending] = row.as_slice() else { panic!("{row:?}") };
        both_ways(shape, &format!("[{value}]"), ascending);
        both_ways(&format!("{shape} desc"), &format!("[{value}]"), descending);
    }
}

#[test]
fn keys() {
    let rows = rows("| shape | values | bytes |");
    assert!(rows.len() > 25, "{}", rows.len());
    for row in rows {
        let [shape, values, bytes] = row.as_slice() else { panic!("{row:?}") };
        both_ways(shape, values, bytes);
    }
}

#[test]
fn refused() {
    let rows = rows("| shape | refused | why |");
    assert!(rows.len() > 15, "{}", rows.len());
    for row in rows {
        let [shape, bytes, why] = row.as_slice() else { panic!("{row:?}") };
        assert!(layout(shape).decode(&unhex(bytes)).is_err(), "{shape} {bytes}: {why}");
    }
}

#[test]
fn fingerprints() {
    let rows = rows("| shape | fingerprint |");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let [shape, fingerprint] = row.as_slice() else { panic!("{row:?}") };
        assert_eq!(layout(shape).fingerprint().to_string(), *fingerprint);
    }
}

/// The worked key: its table has all its bytes at their places, its layout is the one shown, its salt the one told.
#[test]
fn worked_key() {
    #[derive(RowKey)]
    #[rowkey(salt(buckets = 16, by(user)))]
    struct Event {
        user: String,
        #[rowkey(desc)]
        at: i64,
        level: Option<u8>,
        tags: rowkey::List<String>,
    }

    let tags = rowkey::List(vec!["eu".into(), "web".into()]);
    let event = Event { user: "bob".into(), at: 1_307_097_848_000, level: Some(7), tags };
    let mut bytes = Vec::new();
    for row in rows("| at | bytes | what |") {
        assert_eq!(row[0], bytes.len().to_string());
        bytes.extend(unhex(&row[1]));
    }
    assert_eq!(bytes, event.encode());

    let json = FORMAT.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(LayoutBuf::from_json(json).unwrap(), LayoutBuf::from(&Event::LAYOUT));

    let hash = rowkey::lead::SaltHash::XXH3.hash.unwrap()(b"bob\0");
    assert!(FORMAT.contains(&format!("`{hash:016x}`, whose remainder by 16 is {}.", hash % 16)));
}

/// What stands in tables without bytes: widths of salts, and the shapes that wait.
#[test]
fn salts_and_reserved_shapes() {
    for (shape, width) in [("1", 1), ("256", 1), ("257", 2), ("65536", 2)] {
        assert_eq!(layout(&format!("salt({shape} xxh3) u8")).width(), Some(width + 1));
    }
    for (shape, width) in [("1", 1), ("16", 1), ("17", 2), ("256", 2), ("257", 4), ("65536", 4)] {
        assert_eq!(layout(&format!("salt({shape} xxh3 hex) u8")).width(), Some(width + 1));
    }
    for shape in
        ["quadkey[0]", "quadkey[30]", "quadkey[08]", "quadkey", "salt(0 xxh3) u8", "salt(65537 xxh3) u8", "md5(17) u8"]
    {
        assert!(shape.parse::<LayoutBuf>().is_err(), "{shape}");
    }
}

/// The words between quotation marks.
fn quoted(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('"').skip(1).step_by(2);
    quoted
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|w| !w.is_empty())
        .collect()
}

fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no {begin:?}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?}")).0
}

#[test]
fn the_words_of_the_format_are_the_same_everywhere() {
    let mut words: BTreeSet<_> = TYPES.iter().chain(OTHERS).copied().collect();
    assert_eq!(words.len(), TYPES.len() + OTHERS.len());
    assert_eq!(quoted(between(FORMAT, "```text\nkey     = ", "```")), words, "FORMAT.md");
    words.extend(SaltHash::KNOWN.iter().map(|hash| hash.name));
    let derive = include_str!("../../derive/src/ast/lead.rs");
    assert_eq!(quoted(between(derive, "const RESERVED: &[&str] = &[", "];")), words, "the derive");
}
