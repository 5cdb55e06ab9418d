//! What the fuzz targets call; `tests/fuzz.rs` calls it too, on random input.
#![allow(dead_code)] // Each target calls one.

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZero;
use std::time::{Duration, SystemTime};

use rowkey::{Cursor, Error, LayoutBuf, List, Memory, RowKey, Select, Table};

/// Keys: a byte that picks a typed key, or the text of a shape and a line's end; behind it the key's bytes.
pub(crate) fn decode(data: &[u8]) {
    let Some((&pick, rest)) = data.split_first() else { return };
    match pick {
        0 => typed::<Scalars>(rest),
        1 => typed::<Parts>(rest),
        2 => typed::<Event>(rest),
        3 => typed::<Salted>(rest),
        4 => typed::<Digested>(rest),
        5 => typed::<RawList>(rest),
        6 => typed::<(u8, String, List<Option<Vec<u8>>>)>(rest),
        7 => {
            if let Ok(page) = Page::decode(rest) {
                assert_eq!(page.encode(), rest);
            }
        }
        _ => {
            let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
            let Ok(layout) = String::from_utf8_lossy(&data[..end]).parse::<LayoutBuf>() else { return };
            untyped(&layout, data.get(end + 1..).unwrap_or_default());
        }
    }
}

/// Shapes: what is taken is written the same, and as JSON it is the same layout.
pub(crate) fn shape(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<LayoutBuf>() {
        Ok(layout) => {
            assert_eq!(layout.shape(), text);
            comes_back(&layout);
        }
        Err(error) => assert!(!error.reason.is_empty() && !error.to_string().is_empty()),
    }
}

/// Layouts as JSON: what is taken comes back from its JSON, and its shape is one.
pub(crate) fn layout_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match LayoutBuf::from_json(text) {
        Ok(layout) => {
            comes_back(&layout);
            let shape = layout.shape();
            assert_eq!(shape.parse::<LayoutBuf>().unwrap_or_else(|error| panic!("{shape}: {error}")).shape(), shape);
        }
        Err(error) => assert!(!error.reason.is_empty() && !error.to_string().is_empty()),
    }
}

/// Cursors: as text, and as the key of a well-formed one that is handed to a scan.
pub(crate) fn cursor(data: &[u8]) {
    if let Ok(cursor) = String::from_utf8_lossy(data).parse::<Cursor>() {
        assert_eq!(cursor.to_string().as_bytes(), data);
    }
    let mut bytes = vec![1];
    bytes.extend_from_slice(&Salted::LAYOUT.fingerprint().0.to_be_bytes());
    bytes.extend_from_slice(data);
    let [.., a, b, c, d] = xxhash_rust::xxh3::xxh3_64(&bytes).to_be_bytes();
    bytes.extend_from_slice(&[a, b, c, d]);
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let cursor: Cursor = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(cursor.key(), data);

    let table: Table<Salted, (), _> = Table::open(Memory::new(), "t").unwrap_or_else(|error| panic!("{error}"));
    for (user, at) in [("", 0), ("a", 1), ("a", u32::MAX), ("b", 2)] {
        table.put(&Salted { user: user.into(), at, day: 1 }, &()).unwrap_or_else(|error| panic!("{error}"));
    }
    for select in [Salted::prefix().select(), Salted::prefix().user("a").select()] {
        let forward = table.scan(&select).after(cursor.clone());
        for (scan, order) in
            [(forward, Ordering::Greater), (table.scan(select).after(cursor.clone()).reverse(), Ordering::Less)]
        {
            for key in scan.keys() {
                match key {
                    Ok(key) => assert_eq!(key.encode()[1..].cmp(&data[1..]), order),
                    Err(Error::Cursor(_)) => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

fn comes_back(layout: &LayoutBuf) {
    assert_eq!(LayoutBuf::from_json(&layout.to_json()).as_ref(), Ok(layout));
    let key = [0x01; 64];
    untyped(layout, &key[..layout.width().unwrap_or(20).min(64)]);
}

fn untyped(layout: &LayoutBuf, key: &[u8]) {
    let read = layout.decode(key);
    let told = layout.explain(key);
    assert_eq!(told.parts.last().map_or(0, |part| part.range.end), key.len(), "{told}");
    match read {
        Ok(values) => {
            assert_eq!(told.error, None);
            assert_eq!(layout.encode(&values).as_deref(), Ok(key));
            assert!(layout.ranges(&values).unwrap_or_else(|error| panic!("{error}")).iter().all(|r| r.contains(key)));
            let json = values.iter().map(|value| value.to_json()).collect();
            assert_eq!(layout.values_from_json(&json).as_ref(), Ok(&values));
        }
        Err(error) => {
            assert!(error.offset() <= key.len(), "{error}");
            assert_eq!(told.error, Some(error));
        }
    }
}

fn typed<K: for<'a> RowKey<Ref<'a> = K>>(bytes: &[u8]) {
    let told = K::explain(bytes);
    assert!(!told.to_string().is_empty());
    match K::decode(bytes) {
        Ok(key) => {
            assert_eq!(key.encode(), bytes);
            assert_eq!(told.error, None);
        }
        Err(error) => assert!(error.offset() <= bytes.len(), "{error}"),
    }
}

#[derive(RowKey)]
struct Scalars {
    #[rowkey(desc)]
    number: i64,
    float: f32,
    #[rowkey(desc)]
    flag: bool,
    letter: char,
    #[rowkey(desc)]
    address: IpAddr,
    v6: Ipv6Addr,
    seen: SystemTime,
    #[rowkey(desc)]
    took: Duration,
    not_zero: NonZero<u16>,
    id: [u8; 3],
}

#[derive(RowKey)]
struct Parts {
    name: String,
    #[rowkey(desc)]
    bytes: Vec<u8>,
    #[rowkey(nulls_last)]
    maybe: Option<String>,
    #[rowkey(desc, nulls_first)]
    other: Option<(u8, Reverse<String>)>,
    #[rowkey(desc)]
    list: List<Event>,
}

#[derive(RowKey)]
enum Event {
    #[rowkey(tag = 1)]
    Boot,
    #[rowkey(tag = 7)]
    Login {
        user: String,
        #[rowkey(desc)]
        at: i16,
    },
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, by(user, day), hash = md5, format = hex))]
struct Salted {
    user: String,
    #[rowkey(desc)]
    at: u32,
    day: u8,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 2, by(user)))]
struct Digested {
    user: String,
    #[rowkey(raw)]
    rest: String,
}

#[derive(RowKey)]
struct RawList {
    first: u8,
    #[rowkey(raw)]
    pairs: List<(u8, bool)>,
}

#[derive(RowKey)]
struct Page<'a> {
    host: Cow<'a, str>,
    #[rowkey(raw)]
    path: &'a str,
}
