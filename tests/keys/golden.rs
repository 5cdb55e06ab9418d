//! The golden vectors: `tests/golden/`, and the folder that `ROWKEY_VECTORS` names, whose files have the same names.
//!
//! They come from an independent model of FORMAT.md; `phoenix.tsv` from a real Apache Phoenix; OrderedCode's numbers in
//! `foreign.tsv` from the tests of Google's library. Lines of kinds that are not built yet are counted as waiting; none
//! is skipped in silence.

use std::cmp::Reverse;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rowkey::encode::{Field, Reader, Writer};
use rowkey::geo::{QuadKey, Tile};
use rowkey::lead::Lead;
use rowkey::{LayoutBuf, List, Value};
use rowkey_testkit::unhex;
use rust_decimal::Decimal;
use serde_json::{Value as Json, json};

/// Kinds of the format that this version does not have yet.
const WAITING: [&str; 0] = [];

enum Line {
    Passed,
    Waiting,
}

fn waits(shape: &str) -> bool {
    WAITING.iter().any(|kind| shape.contains(kind))
}

fn folders() -> impl Iterator<Item = PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    [Some(own), std::env::var_os("ROWKEY_VECTORS").map(PathBuf::from)].into_iter().flatten()
}

/// Checks every line of a file in every folder that has it, and prints how many passed.
fn check(file: &str, columns: usize, line: impl Fn(&[&str]) -> Line) {
    for folder in folders() {
        let path = folder.join(file);
        let Ok(text) = std::fs::read_to_string(&path) else {
            assert!(!folder.starts_with(env!("CARGO_MANIFEST_DIR")), "{} is gone", path.display());
            continue;
        };
        let (mut passed, mut waiting) = (0, 0);
        for (number, row) in text.lines().enumerate() {
            let row: Vec<_> = row.split('\t').collect();
            let at = format!("{}:{}", path.display(), number + 1);
            assert_eq!(row.len(), columns, "{at}: {columns} columns are due");
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| line(&row)));
            match outcome.unwrap_or_else(|_| panic!("{at}: {row:?}")) {
                Line::Passed => passed += 1,
                Line::Waiting => waiting += 1,
            }
        }
        // Past the test runner's capture, so that the count is always seen.
        let mut stderr = std::io::stderr();
        writeln!(stderr, "{}: {passed} lines passed, {waiting} waiting", path.display()).unwrap();
        assert!(passed + waiting > 0, "{} has no line", path.display());
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn layout(shape: &str) -> LayoutBuf {
    let layout: LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
    assert_eq!(layout.shape(), shape);
    let json = LayoutBuf::from_json(&layout.to_json()).unwrap();
    assert_eq!(json, layout);
    layout
}

/// Encodes and decodes by layout alone, and explains every byte.
fn meet(shape: &str, values: &Json, key: &str) -> LayoutBuf {
    let layout = layout(shape);
    let values = layout.values_from_json(values).unwrap();
    assert_eq!(hex(&layout.encode(&values).unwrap()), key, "{shape}");
    let bytes = unhex(key);
    assert_eq!(layout.decode(&bytes).unwrap(), values, "{shape}");
    let told = layout.explain(&bytes);
    assert_eq!(told.error, None);
    let mut at = 0;
    for part in &told.parts {
        assert_eq!(part.range.start, at, "{told}");
        at = part.range.end;
    }
    assert_eq!(at, bytes.len(), "{told}");
    layout
}

#[test]
fn fields() {
    check("fields.tsv", 4, |row| {
        let &[kind, value, asc, desc] = row else { unreachable!() };
        if waits(kind) {
            return Line::Waiting;
        }
        let value: Json = serde_json::from_str(value).unwrap();
        if kind.starts_with("salt(") {
            let Lead::Salt(salt) = layout(&format!("{kind} bytes raw")).lead().clone() else { unreachable!() };
            let m = unhex(value.as_str().unwrap());
            let key = layout(&format!("{kind} bytes raw")).encode(&[Value::Bytes(m.clone())]).unwrap();
            assert_eq!(hex(&key[..salt.width()]), asc);
            assert_eq!(desc, "-");
            return Line::Passed;
        }
        let (shape, value) = match kind {
            "ipv4" => ("bytes[4]", json!(hex(&value.as_str().unwrap().parse::<Ipv4Addr>().unwrap().octets()))),
            "ipv6" => ("bytes[16]", json!(hex(&value.as_str().unwrap().parse::<Ipv6Addr>().unwrap().octets()))),
            "uuid" => ("bytes[16]", json!(value.as_str().unwrap().replace('-', ""))),
            kind => (kind, value),
        };
        meet(shape, &json!([value]), asc);
        if desc != "-" {
            let desc_shape = match shape.strip_suffix(" nulls_last") {
                Some(option) => format!("{option} desc nulls_first"),
                None => format!("{shape} desc"),
            };
            meet(&desc_shape, &json!([value]), desc);
        }
        typed(kind, &row[1..]);
        Line::Passed
    });
}

/// The same vector by the Rust type.
fn typed(kind: &str, row: &[&str]) {
    let value: Json = serde_json::from_str(row[0]).unwrap();
    let text = || value.as_str().unwrap().to_owned();
    let pair = || (value[0].as_str().unwrap().to_owned(), value[1].as_str().unwrap().parse::<u32>().unwrap());
    macro_rules! parse {
        ($type:ty) => {
            both::<$type>(text().parse().unwrap(), row)
        };
    }
    match kind {
        "u8" => parse!(u8),
        "u16" => parse!(u16),
        "u32" => parse!(u32),
        "u64" => parse!(u64),
        "u128" => parse!(u128),
        "i8" => parse!(i8),
        "i16" => parse!(i16),
        "i32" => parse!(i32),
        "i64" => parse!(i64),
        "i128" => parse!(i128),
        "f32" => both(f32::from_bits(u32::from_str_radix(&text(), 16).unwrap()), row),
        "f64" => both(f64::from_bits(u64::from_str_radix(&text(), 16).unwrap()), row),
        "bool" => both(value.as_bool().unwrap(), row),
        "char" => parse!(char),
        "text" => both(text(), row),
        "bytes" => both(unhex(&text()), row),
        "ipv4" => parse!(Ipv4Addr),
        "ipv6" => parse!(Ipv6Addr),
        "ipaddr" => parse!(std::net::IpAddr),
        "uuid" => parse!(uuid::Uuid),
        "instant" => {
            let (seconds, nanos) = pair();
            let seconds: i64 = seconds.parse().unwrap();
            let whole = Duration::from_secs(seconds.unsigned_abs());
            let time = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
            both::<SystemTime>(time.unwrap() + Duration::from_nanos(nanos.into()), row);
        }
        "duration" => {
            let (seconds, nanos) = pair();
            both(Duration::new(seconds.parse().unwrap(), nanos), row);
        }
        "quadkey[1]" => parse!(QuadKey<1>),
        "quadkey[3]" => parse!(QuadKey<3>),
        "quadkey[8]" => parse!(QuadKey<8>),
        "quadkey[13]" => parse!(QuadKey<13>),
        "quadkey[16]" => parse!(QuadKey<16>),
        "quadkey[29]" => parse!(QuadKey<29>),
        "tile" => parse!(Tile),
        "decimal" => match Decimal::from_str_exact(&text()) {
            Ok(number) => both(number, row),
            Err(_) => assert!(Decimal::decode(&mut Reader::new(&unhex(row[1]))).is_err()),
        },
        "host_path" => parse!(rowkey::HostPath),
        "url" => {
            let part = |i: usize| value[i].as_str().unwrap();
            let (host, path) = part(0).split_once('/').unwrap();
            let user = if part(3).is_empty() { String::new() } else { format!("{}@", part(3)) };
            let port = if part(2) == "0" { String::new() } else { format!(":{}", part(2)) };
            let text = format!("{}://{user}{host}{port}/{path}", part(1));
            let url: url::Url = text.parse().unwrap();
            assert_eq!(url.as_str(), text);
            both(rowkey::UrlKey::try_from(url).unwrap(), row);
        }
        "option<i32>" => both(value.as_str().map(|n| n.parse::<i32>().unwrap()), row),
        "option<text>" => both(value.as_str().map(str::to_owned), row),
        "list<text>" => both(list(&value, |item| item.as_str().unwrap().to_owned()), row),
        "list<u16>" => both(list(&value, |item| item.as_str().unwrap().parse::<u16>().unwrap()), row),
        "list<option<u8>>" => both(list(&value, |item| item.as_str().map(|n| n.parse::<u8>().unwrap())), row),
        raw_or_nulls => assert!(["raw", "nulls_last"].iter().any(|end| raw_or_nulls.ends_with(end)), "{raw_or_nulls}"),
    }
}

fn list<T>(value: &Json, item: impl Fn(&Json) -> T) -> List<T> {
    value.as_array().unwrap().iter().map(item).collect()
}

fn both<T: for<'a> Field<Ref<'a> = T>>(value: T, row: &[&str]) {
    let encode = |field: &dyn Fn(&mut Writer<'_, Vec<u8>>)| {
        let mut out = Vec::new();
        field(&mut Writer::new(&mut out));
        out
    };
    let asc = encode(&|w| value.encode(w));
    assert_eq!(hex(&asc), row[1]);
    let mut r = Reader::new(&asc);
    let value = Reverse(T::decode(&mut r).unwrap());
    assert_eq!(r.offset(), asc.len());
    let desc = encode(&|w| value.encode(w));
    assert_eq!(hex(&desc), row[2]);
    let again = Reverse::<T>::decode(&mut Reader::new(&desc)).unwrap();
    assert_eq!(encode(&|w| again.0.encode(w)), asc);
    let mut r = Reader::new(&desc);
    Reverse::<T>::skip(&mut r).unwrap();
    assert_eq!(r.offset(), desc.len());
}

#[test]
fn keys() {
    check("keys.tsv", 4, whole_key);
}

fn whole_key(row: &[&str]) -> Line {
    let &[shape, values, key, fingerprint] = row else { unreachable!() };
    if waits(shape) {
        return Line::Waiting;
    }
    let layout = meet(shape, &serde_json::from_str(values).unwrap(), key);
    assert_eq!(layout.fingerprint().to_string(), fingerprint);
    Line::Passed
}

/// The encodings of other programs.
#[test]
#[cfg(feature = "hashes")]
fn foreign() {
    check("foreign.tsv", 4, whole_key);
}

#[test]
fn reject() {
    check("reject.tsv", 3, |row| {
        let &[shape, key, why] = row else { unreachable!() };
        if waits(shape) {
            return Line::Waiting;
        }
        let layout = layout(shape);
        let key = unhex(key);
        let error = layout.decode(&key).map(|values| panic!("{shape}: took {key:02x?} as {values:?}: {why}"));
        let told = layout.explain(&key);
        assert_eq!(told.error, error.err());
        assert_eq!(told.parts.last().map_or(0, |part| part.range.end), key.len(), "{told}");
        Line::Passed
    });
}

#[test]
fn phoenix() {
    check("phoenix.tsv", 6, |row| {
        let &[columns, _, theirs, shape, values, verdict] = row else { unreachable!() };
        let layout = layout(shape);
        let values = layout.values_from_json(&serde_json::from_str(values).unwrap()).unwrap();
        let ours = hex(&layout.encode(&values).unwrap());
        match verdict {
            "same" => assert_eq!(ours, theirs, "{columns}"),
            "differs" => assert_ne!(ours, theirs, "{columns}"),
            other => panic!("{other}"),
        }
        Line::Passed
    });
}
