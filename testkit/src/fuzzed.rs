//! Functions for the fuzz targets; the tests call them too, on random input. Each panics where a law does not hold.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZero;
use std::time::{Duration, SystemTime};

use rowkey::{Cursor, Error, LayoutBuf, List, Memory, RowKey, Table};

/// Keys: a byte that picks a typed key, or the text of a shape and a line feed; then the key's bytes.
pub fn decode(data: &[u8]) {
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
pub fn shape(data: &[u8]) {
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
pub fn layout_json(data: &[u8]) {
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

/// Cursors: as text, and as bytes of which the checksum is made good, the fingerprint too if the first byte is odd.
pub fn cursor(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        goes_on(text);
    }
    let Some((&flags, rest)) = data.split_first() else { return };
    let mut bytes = vec![1];
    if flags % 2 == 1 {
        bytes.extend_from_slice(&Parts::LAYOUT.fingerprint().0.to_be_bytes());
    }
    bytes.extend_from_slice(rest);
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&bytes).to_be_bytes()[4..]);
    goes_on(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
}

/// A cursor has one text. A scan after a cursor continues in its ranges, or returns an error.
fn goes_on(text: &str) {
    let Ok(cursor) = text.parse::<Cursor>() else { return };
    assert_eq!(cursor.to_string(), text);
    thread_local! {
        static TABLE: Table<Parts, Vec<u8>, Memory> = {
            let table = Table::open(Memory::new(), "t").expect("memory opens any table");
            for name in ["a", "b", "c"] {
                let (bytes, list) = (vec![1], List(vec![Event::Boot]));
                let key = Parts { name: name.into(), bytes, maybe: None, other: None, list };
                table.put(&key, &vec![0]).expect("memory takes any key");
            }
            table
        };
    }
    let key = cursor.key().to_vec();
    TABLE.with(|table| {
        for row in table.scan(Parts::prefix().name_range("b"..)).after(cursor) {
            match row {
                Ok((row, _)) => assert!(row.name.as_str() >= "b" && row.encode() > key),
                Err(error) => assert!(matches!(error, Error::Cursor(_)), "{error}"),
            }
        }
    });
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
