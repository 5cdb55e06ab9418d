//! A codec that panics in a scan, and a program that catches that: no scan goes on behind the row, and none ends as if
//! it was at its end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use futures_lite::future::block_on;
use rowkey::encode::{Encoding, Reader, Sink, Writer};
use rowkey::nonblocking::{AsyncTable, Unblock};
use rowkey::secondary::Primary;
use rowkey::value::CodecError;
use rowkey::{DecodeError, Error, ErrorKind, Memory, RowKey, RowValue, Table};

/// Not to be decoded.
const BAD: u8 = 3;

fn decoded(n: u8) -> u8 {
    if n == BAD { resume_unwind(Box::new("a bad row")) } else { n }
}

#[derive(Debug, PartialEq)]
struct Value(u8);

impl RowValue for Value {
    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        out.push(self.0);
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, CodecError> {
        Ok(Self(decoded(u8::decode_value(bytes)?)))
    }
}

struct Panics;

impl Encoding<u8> for Panics {
    const SHAPE: &'static str = "panics";
    const WIDTH: Option<usize> = Some(1);

    fn encode<S: Sink>(value: &u8, w: &mut Writer<'_, S>) {
        w.array([*value]);
    }

    fn decode(r: &mut Reader<'_>) -> Result<u8, DecodeError> {
        let [n] = r.array()?;
        Ok(decoded(n))
    }
}

#[derive(RowKey, Debug, PartialEq)]
struct Key {
    #[rowkey(with = Panics)]
    n: u8,
}

#[derive(RowKey, Debug, PartialEq)]
#[rowkey(salt(buckets = 3))]
struct Salted {
    #[rowkey(with = Panics)]
    n: u8,
}

/// What a scan returns: its rows up to the bad one, a panic, an error that names the row, and the end.
fn ends_at_the_bad_row<T: std::fmt::Debug>(what: &str, mut next: impl FnMut() -> Option<Result<T, Error>>) {
    for _ in 0..BAD {
        assert!(matches!(next(), Some(Ok(_))), "{what}");
    }
    assert!(catch_unwind(AssertUnwindSafe(&mut next)).is_err(), "{what}");
    match next() {
        Some(Err(error @ Error::Value { .. })) => {
            assert_eq!(error.kind(), ErrorKind::Damaged, "{what}");
            assert!(error.to_string().contains(r#"table "t"#), "{what}: {error}");
        }
        other => panic!("{what}: {other:?}"),
    }
    for _ in 0..2 {
        assert!(next().is_none(), "{what}");
    }
}

#[test]
fn a_scan_whose_codec_panics_ends_with_an_error() {
    let db = Memory::new();
    let values: Table<u8, Value, _> = Table::open(&db, "t").unwrap();
    (0..7).for_each(|n| values.put(&n, &Value(n)).unwrap());
    let mut scan = values.scan(..);
    ends_at_the_bad_row("values", || scan.next());
    let mut scan = values.scan(..).limit(5).batch_rows(1);
    ends_at_the_bad_row("values, with a limit", || scan.next());
    let mut scan = values.scan(..).first_of_each(|n| *n..=*n);
    ends_at_the_bad_row("groups", || scan.next());
    let mut error = values.scan(..);
    assert!(catch_unwind(AssertUnwindSafe(|| error.by_ref().count())).is_err());
    let Some(Err(Error::Value { table, key, source, .. })) = error.next() else { panic!() };
    assert_eq!((table.as_str(), key, source.to_string()), ("t", vec![BAD], "its codec panicked".to_owned()));

    let keys: Table<Key, (), _> = Table::open(&db, "t.keys").unwrap();
    (0..7).for_each(|n| keys.put(&Key { n }, &()).unwrap());
    let mut scan = keys.scan(..);
    ends_at_the_bad_row("keys and values", || scan.next());
    let mut scan = keys.keys(..);
    ends_at_the_bad_row("keys", || scan.next());
    let mut scan = keys.scan(..);
    ends_at_the_bad_row("lent rows", || scan.next_row().map(|row| row.map(|(key, _)| key.n)).transpose());

    let salted: Table<Salted, (), _> = Table::open(&db, "t.salted").unwrap();
    (0..7).for_each(|n| salted.put(&Salted { n }, &()).unwrap());
    let mut scan = salted.scan(..);
    ends_at_the_bad_row("buckets", || scan.next());
}

#[test]
fn a_scan_of_an_index_ends_with_an_error() {
    let mut numbers = Primary::<u8, u8, _>::open(Memory::new(), "numbers").unwrap();
    let by_number = numbers.secondary("t", |n: &u8, value: &u8| [((*n, *value), Value(*value))]).unwrap();
    (0..7).for_each(|n| numbers.put(&n, &n).unwrap());
    // Rows are read in batches, and the bad one is in the first.
    let mut scan = by_number.scan(..);
    assert!(catch_unwind(AssertUnwindSafe(|| scan.next())).is_err());
    assert!(matches!(scan.next(), Some(Err(Error::Value { table, .. })) if table == "t"));
    assert!(scan.next().is_none());
}

#[test]
fn a_stream_whose_codec_panics_ends_with_an_error() {
    block_on(async {
        let db = Unblock::in_place(Memory::new());
        let values: AsyncTable<u8, Value, _> = AsyncTable::open(db.clone(), "t").await.unwrap();
        for n in 0..7 {
            values.put(&n, &Value(n)).await.unwrap();
        }
        let mut scan = values.scan(..);
        ends_at_the_bad_row("a stream", || block_on(scan.next()));
        let keys: AsyncTable<Salted, (), _> = AsyncTable::open(db, "t.salted").await.unwrap();
        for n in 0..7 {
            keys.put(&Salted { n }, &()).await.unwrap();
        }
        let mut scan = keys.scan(..);
        ends_at_the_bad_row("a stream of buckets", || block_on(scan.next()));
        let mut scan = keys.keys(..);
        ends_at_the_bad_row("a stream of keys", || block_on(scan.next()));
        let mut scan = keys.scan(..);
        ends_at_the_bad_row("lent rows of a stream", || {
            block_on(async { scan.next_row().await.map(|row| row.map(|(key, _)| key.n)).transpose() })
        });
    });
}
