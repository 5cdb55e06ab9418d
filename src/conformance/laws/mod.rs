//! Property tests of the laws of row keys (feature `laws`): one line tests a key type or an encoding of your own.
//!
//! 1. **Order**: a < b if and only if bytes(a) < bytes(b), against a comparator that never sees the bytes. Of a key
//!    with salt or digest, the bytes after it.
//! 2. **Round trip**: the bytes of a value decode to the same value.
//! 3. **One form**: any bytes decode to a value that encodes to the same bytes, or to an error that says where and why.
//!    Keys are damaged to find bytes that are almost right: bits flipped, bytes removed and inserted, ends cut off.
//! 4. **No prefixes**: no key is the beginning of another, except with a `raw` field.
//! 5. **Ranges**: the ranges of a prefix hold exactly the keys that begin with it.
//! 6. **Scans**: a scan of a table, with its salt buckets merged, returns the rows in order, forward and in reverse,
//!    with any limit and cursor.
//!
//! [`key()`] and [`scans()`] test key types, [`encoding()`] an encoding for `#[rowkey(with = ..)]`, [`layout()`] keys
//! without their Rust type. Each runs 256 cases, or as many as the environment variable `ROWKEY_LAWS_CASES` says. Each
//! panics with the broken law and the smallest input that breaks it.
//!
//! ```
//! use rowkey::RowKey;
//! use rowkey::laws::{self, proptest::prelude::*};
//!
//! #[derive(RowKey, Debug, Clone, PartialEq)]
//! struct Visit {
//!     host: String,
//!     #[rowkey(desc)]
//!     at: u32,
//! }
//!
//! // In a `#[test]`:
//! let visits = (any::<String>(), any::<u32>()).prop_map(|(host, at)| Visit { host, at });
//! laws::key(visits, |a, b| a.host.cmp(&b.host).then(b.at.cmp(&a.at)));
//! ```

mod compare;
mod damage;
mod erased;
mod foreign;
#[cfg(feature = "memory")]
mod scans;
mod values;

use std::cmp::Ordering;
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use proptest::arbitrary::any;
use proptest::collection::vec;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

pub use self::compare::compare;
use self::damage::{Damage, damaged, damages};
use self::erased::{Erased, Keys, Mapped, OwnedKeys, Typed, Values};
#[cfg(feature = "memory")]
pub use self::scans::scans;
pub use self::values::{layouts, rows, values};
use crate::keys::encode::{Codec, Encoding, Reader, With, Writer};
use crate::keys::error::{DecodeError, Hex};
use crate::keys::key::{OwnedKey, RowKey};
use crate::keys::lead::Lead;
use crate::keys::range::KeyRange;
use crate::keys::untyped::{FieldBuf, LayoutBuf, Value};
pub use proptest;

/// The number of cases of each test. Default: 256; the environment variable `ROWKEY_LAWS_CASES` sets another.
pub fn cases() -> u32 {
    std::env::var("ROWKEY_LAWS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

type Proof = Result<(), TestCaseError>;

#[track_caller]
fn prove<S: Strategy>(cases: u32, inputs: S, test: impl Fn(S::Value) -> Proof) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    if let Err(error) = TestRunner::new(config).run(&inputs, test) {
        panic!("{error}");
    }
}

/// Fails with the law's name, unless it holds.
fn law(number: u8, holds: bool, told: impl FnOnce() -> String) -> Proof {
    if holds { Ok(()) } else { Err(broken_law(number, &told())) }
}

fn broken_law(number: u8, told: &str) -> TestCaseError {
    const NAMES: [&str; 6] = ["order", "round trip", "one form", "no prefixes", "ranges", "scans"];
    let name = NAMES.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or("layout");
    TestCaseError::fail(format!("law {number} ({name}) is broken: {told}"))
}

/// Tests laws 1 to 5 for a key type, and that a [`LayoutBuf`] writes, reads and explains the same bytes.
///
/// `compare` is the order of the keys: `Ord::cmp` for ascending fields, otherwise field by field, reversed for a
/// descending one. It leaves out salt and digest.
///
/// The test also crosses keys: the first fields of one with the last fields of another. So the strategy need not make
/// keys that share beginnings.
///
/// # Panics
/// If a law is broken.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::laws::{self, proptest::prelude::*};
///
/// #[derive(RowKey, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// #[rowkey(salt(buckets = 16, by(user)))]
/// struct Login {
///     user: u64,
///     device: String,
/// }
///
/// let logins = (any::<u64>(), any::<String>()).prop_map(|(user, device)| Login { user, device });
/// laws::key(logins, Ord::cmp);
/// ```
#[track_caller]
pub fn key<K: OwnedKey + Debug>(keys: impl Strategy<Value = K>, compare: impl Fn(&K, &K) -> Ordering) {
    let map = |values| -> Box<dyn OwnedKeys> { Box::new(Typed { values, compare: &compare }) };
    let read = |bytes: &[u8]| K::decode(bytes).map(|key| key.encode());
    owned_keys(Erased(&Mapped { from: vec(keys, 2..5), map: &map }), &Type::of::<K>(&read));
}

/// Decodes bytes and encodes the key again.
type Read<'a> = dyn Fn(&[u8]) -> Result<Vec<u8>, DecodeError> + 'a;
/// As [`Read`]; errors come with whether they name the key.
type NamedRead<'a> = dyn Fn(&[u8]) -> Result<Vec<u8>, (bool, DecodeError)> + 'a;

/// A key type: its layout, and how bytes are decoded and encoded again.
struct Type<'a> {
    layout: LayoutBuf,
    name: &'static str,
    width: Option<usize>,
    read: &'a Read<'a>,
}

impl<'a> Type<'a> {
    fn of<K: RowKey>(read: &'a Read<'a>) -> Self {
        let layout = LayoutBuf::from(&K::LAYOUT);
        Self { layout, name: K::LAYOUT.name, width: K::LAYOUT.width(), read }
    }
}

#[track_caller]
fn owned_keys<'a>(keys: Erased<'a, Box<dyn OwnedKeys + 'a>>, ty: &Type<'_>) {
    let layout = &ty.layout;
    prove(cases(), (keys, damages(), any::<Index>()), |(mut keys, damages, at)| {
        for pair in keys.encode_all().windows(2) {
            let crossed = crossed(layout, &pair[0], &pair[1], at)?;
            keys.push(&crossed).map_err(|error| {
                TestCaseError::fail(format!("law 2 (round trip) is broken: {} of the layout: {error}", Hex(&crossed)))
            })?;
        }
        let bytes = keys.encode_all();
        for (i, bytes) in bytes.iter().enumerate() {
            if let Some(again) = keys.differs(i, bytes) {
                law(2, false, || format!("{} came back as {again}", keys.told(i)))?;
            }
        }
        whole_keys(ty, &*keys, &damages)?;
        let rows = bytes.iter().map(|key| by_layout(layout, key)).collect::<Result<Vec<_>, _>>()?;
        prefixes(layout, &rows, &bytes, at)
    });
}

/// Tests laws 1 to 4 for a key type that borrows from its bytes; [`key`] is for those that do not.
///
/// # Panics
/// If a law is broken.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::laws::{self, proptest::prelude::*};
///
/// #[derive(RowKey, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Page<'a> {
///     site: u32,
///     #[rowkey(raw)]
///     path: &'a str,
/// }
///
/// let paths = prop::sample::select(vec!["", "/", "/a", "/a\0", "/b"]);
/// laws::borrowed_key((any::<u32>(), paths).prop_map(|(site, path)| Page { site, path }), Ord::cmp);
/// ```
#[track_caller]
pub fn borrowed_key<K>(keys: impl Strategy<Value = K>, compare: impl Fn(&K, &K) -> Ordering)
where
    K: for<'a> RowKey<Ref<'a>: RowKey> + Debug,
{
    let map = |values| -> Box<dyn Keys> { Box::new(Typed { values, compare: &compare }) };
    let read = |bytes: &[u8]| K::decode(bytes).map(|key| key.encode());
    borrowed_keys(Erased(&Mapped { from: vec(keys, 2..5), map: &map }), &Type::of::<K>(&read));
}

#[track_caller]
fn borrowed_keys<'a>(keys: Erased<'a, Box<dyn Keys + 'a>>, ty: &Type<'_>) {
    prove(cases(), (keys, damages()), |(keys, damages)| whole_keys(ty, &*keys, &damages));
}

/// A key with the first fields of one key and the last fields of another.
fn crossed(layout: &LayoutBuf, a: &[u8], b: &[u8], at: Index) -> Result<Vec<u8>, TestCaseError> {
    let values = |bytes| layout.decode(bytes).map_err(|error| broken_layout(layout, &error));
    let (mut a, b) = (values(a)?, values(b)?);
    let at = at.index(a.len() + 1);
    a.truncate(at);
    a.extend(b.into_iter().skip(at));
    layout.encode(&a).map_err(|error| broken_layout(layout, &error))
}

fn broken_layout(layout: &LayoutBuf, error: &dyn std::error::Error) -> TestCaseError {
    TestCaseError::fail(format!("law 2 (round trip) is broken: the layout {layout} alone: {error}"))
}

fn whole_keys(ty: &Type<'_>, keys: &(impl Keys + ?Sized), damages: &[Damage]) -> Proof {
    let Type { layout, name, width, read } = ty;
    let bytes = keys.encode_all();
    for (i, bytes) in bytes.iter().enumerate() {
        let again = read(bytes);
        law(2, again.as_ref() == Ok(bytes), || {
            format!("{} is {}, which reads as {again:?}", keys.told(i), Hex(bytes))
        })?;
        law(2, width.is_none_or(|width| width == bytes.len()), || {
            format!("{} has {} bytes, not the {width:?} of its layout", keys.told(i), bytes.len())
        })?;
        by_layout(layout, bytes)?;
    }
    order(layout, keys, &bytes)?;
    let read = |bytes: &[u8]| read(bytes).map_err(|error| (error.key() == *name, error));
    bytes.iter().try_for_each(|bytes| {
        let damaged = damaged(bytes, damages);
        one_form(&read, &damaged)?;
        by_layout_if_read(layout, &damaged, read(&damaged).is_ok())?;
        let Some(mended) = mended(layout, &damaged) else { return Ok(()) };
        one_form(&read, &mended)
    })
}

/// Laws 1 and 4.
fn order(layout: &LayoutBuf, values: &(impl Values + ?Sized), bytes: &[Vec<u8>]) -> Proof {
    let raw = layout.fields().iter().any(FieldBuf::can_begin_another);
    let is_ordered = layout.is_ordered();
    for (i, a_bytes) in bytes.iter().enumerate() {
        for (j, b_bytes) in bytes.iter().enumerate().skip(i) {
            let (a_body, b_body) = (body(layout, a_bytes), body(layout, b_bytes));
            let (a, b) = (|| values.told(i), || values.told(j));
            let (due, found) = (values.compare(i, j), a_body.cmp(b_body));
            law(1, due == found || (!is_ordered && due.is_ne() && found.is_ne()), || {
                format!("{} is {due:?} to {}, but {} is {found:?} to {}", a(), b(), Hex(a_body), Hex(b_body))
            })?;
            law(1, found.is_ne() || a_bytes == b_bytes, || {
                format!("{} equals {}, but {} is not {}", a(), b(), Hex(a_bytes), Hex(b_bytes))
            })?;
            let begins = a_bytes != b_bytes && (a_bytes.starts_with(b_bytes) || b_bytes.starts_with(a_bytes));
            law(4, raw || !begins, || {
                format!("of {} and {} one begins with the other: {}, {}", a(), b(), Hex(a_bytes), Hex(b_bytes))
            })?;
        }
    }
    Ok(())
}

/// The key without its salt or digest.
fn body<'k>(layout: &LayoutBuf, key: &'k [u8]) -> &'k [u8] {
    key.get(layout.lead().width()..).unwrap_or_default()
}

/// Law 3 for some bytes.
fn one_form(read: &NamedRead<'_>, bytes: &[u8]) -> Proof {
    match read(bytes) {
        Ok(again) => law(3, again == bytes, || format!("{} was taken and written as {}", Hex(bytes), Hex(&again))),
        Err((named, error)) => {
            law(3, named, || format!("the error names another key: {error}"))?;
            law(3, error.offset() <= bytes.len(), || format!("the error is after the end of {}: {error}", Hex(bytes)))?;
            law(3, !error.reason().to_string().is_empty(), || format!("no reason at byte {}", error.offset()))
        }
    }
}

/// Damaged bytes with the right salt or digest, so that not all damage is found by that check.
fn mended(layout: &LayoutBuf, damaged: &[u8]) -> Option<Vec<u8>> {
    if matches!(layout.lead(), Lead::None) {
        return None;
    }
    let bare = layout.without_lead();
    let values = bare.decode(body(layout, damaged)).ok()?;
    layout.encode(&values).ok()
}

/// Checks that the layout alone reads, writes and explains a good key.
fn by_layout(layout: &LayoutBuf, key: &[u8]) -> Result<Vec<Value>, TestCaseError> {
    let values = layout.decode(key).map_err(|error| broken_layout(layout, &error))?;
    let again = layout.encode(&values);
    law(2, again.as_deref() == Ok(key), || format!("by layout {} came back as {again:?}", Hex(key)))?;
    by_layout_if_read(layout, key, true)?;
    Ok(values)
}

/// Checks that the layout alone reads any bytes as decoding does, and explains each byte.
fn by_layout_if_read(layout: &LayoutBuf, bytes: &[u8], must_read: bool) -> Proof {
    let read = layout.decode(bytes);
    law(3, read.is_ok() || !must_read, || format!("by layout {} is not a key: {read:?}", Hex(bytes)))?;
    let told = layout.explain(bytes);
    law(3, told.error == read.err(), || format!("the explanation has another error than decoding: {told}"))?;
    let mut at = 0;
    for part in &told.parts {
        law(3, part.range.start == at, || format!("byte {at} is not explained: {told}"))?;
        at = part.range.end;
    }
    law(3, at == bytes.len(), || format!("byte {at} is not explained: {told}"))
}

/// Tests laws 1 to 5 for keys without their Rust type: random values of the layouts that `layouts` makes.
///
/// # Panics
/// If a law is broken.
///
/// ```
/// use rowkey::LayoutBuf;
/// use rowkey::laws::{self, proptest::prelude::*};
///
/// let layout: LayoutBuf = "salt(16 xxh3 by 0) text, option<i64> desc nulls_first, list<u8> raw".parse()?;
/// laws::layout(Just(layout));
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
#[track_caller]
pub fn layout(layouts: impl Strategy<Value = LayoutBuf>) {
    layout_cases(cases(), layouts);
}

/// As [`layout`], with another number of cases.
///
/// # Panics
/// If a law is broken.
#[track_caller]
pub fn layout_cases(cases: u32, layouts: impl Strategy<Value = LayoutBuf>) {
    let map = |layout| layout;
    layouts_alone(cases, Erased(&Mapped { from: layouts, map: &map }));
}

#[track_caller]
fn layouts_alone(cases: u32, layouts: Erased<'_, LayoutBuf>) {
    let inputs = layouts.prop_flat_map(|layout| {
        let rows = rows(&layout);
        (proptest::strategy::Just(layout), rows)
    });
    prove(cases, (inputs, damages(), any::<Index>()), |((layout, rows), damages, at)| {
        let keys: Result<Vec<_>, _> = rows.iter().map(|row| layout.encode(row)).collect();
        let keys = keys.map_err(|error| broken_layout(&layout, &error))?;
        for (row, key) in rows.iter().zip(&keys) {
            let again = by_layout(&layout, key)?;
            law(2, again == *row, || format!("{row:?} is {}, which reads as {again:?}", Hex(key)))?;
            law(2, layout.width().is_none_or(|width| width == key.len()), || format!("{row:?} has another width"))?;
        }
        let compare = |a: &Vec<Value>, b: &Vec<Value>| compare(&layout, a, b);
        let typed = Typed { values: rows, compare: &compare };
        order(&layout, &typed, &keys)?;
        let read = |bytes: &[u8]| match layout.decode(bytes) {
            Ok(values) => layout.encode(&values).map_err(|error| panic!("law 3 (one form) is broken: {error}")),
            Err(error) => Err((error.key() == layout.name(), error)),
        };
        for key in &keys {
            let damaged = damaged(key, &damages);
            one_form(&read, &damaged)?;
            by_layout_if_read(&layout, &damaged, false)?;
            if let Some(mended) = mended(&layout, &damaged) {
                one_form(&read, &mended)?;
            }
        }
        prefixes(&layout, &typed.values, &keys, at)
    });
}

/// Law 5 by layout alone: the prefixes of one row, of every length.
fn prefixes(layout: &LayoutBuf, rows: &[Vec<Value>], keys: &[Vec<u8>], at: Index) -> Proof {
    let row = at.get(rows);
    for fixed in 0..=row.len() {
        let leading = &row[..fixed];
        // Ranges in thousands of buckets take longer than all other checks together, and prove no more than a few do.
        if matches!(layout.lead(), Lead::Salt(salt) if salt.buckets > 300) && fixed < row.len() {
            continue;
        }
        let due = if layout.by().is_empty() { row.len() } else { layout.by().len() };
        let is_open = |field: &FieldBuf| field.foreign().is_some_and(|foreign| foreign.bytes_after().is_some());
        let ranges = match (layout.lead(), layout.ranges(leading)) {
            (_, found) if fixed < row.len() && layout.fields()[..fixed].iter().any(is_open) => {
                law(5, found.is_err(), || format!("{leading:?} begins other keys too, but has ranges"))?;
                continue;
            }
            (Lead::Digest(_) | Lead::Hash(_), found) if (1..due).contains(&fixed) => {
                law(5, found.is_err(), || format!("{leading:?} does not fix all hashed fields, but has ranges"))?;
                continue;
            }
            (_, Ok(ranges)) => ranges,
            (_, Err(error)) => return law(5, false, || format!("{leading:?} has no ranges: {error}")),
        };
        well_formed(&ranges)?;
        for (other, key) in rows.iter().zip(keys) {
            let (due, found) = (other.starts_with(leading), ranges.iter().any(|range| range.contains(key)));
            law(5, due == found, || {
                format!("{leading:?} of {other:?}: {due}, but {} in {ranges:?}: {found}", Hex(key))
            })?;
        }
    }
    Ok(())
}

/// Checks that ranges are sorted, not empty, and neither overlap nor are adjacent.
fn well_formed(ranges: &[KeyRange]) -> Proof {
    let empty = ranges.iter().any(|range| range.end().is_some_and(|end| end <= range.start()));
    let apart = ranges.windows(2).all(|pair| pair[0].end().is_some_and(|end| end < pair[1].start()));
    law(5, !empty && apart, || format!("{ranges:?} are not merged, sorted and non-empty"))
}

/// Tests laws 1 to 4 for an [`Encoding`], ascending and descending, and that every value has its `WIDTH`.
///
/// # Panics
/// If a law is broken.
///
/// ```
/// use rowkey::DecodeError;
/// use rowkey::encode::{Encoding, Reader, Sink, Writer};
/// use rowkey::laws::{self, proptest::prelude::*};
///
/// /// An unsigned 24-bit number in three bytes.
/// struct U24;
///
/// impl Encoding<u32> for U24 {
///     const SHAPE: &'static str = "u24";
///     const WIDTH: Option<usize> = Some(3);
///
///     fn encode<S: Sink>(id: &u32, w: &mut Writer<'_, S>) {
///         let [_, a, b, c] = id.to_be_bytes();
///         w.array([a, b, c]);
///     }
///
///     fn decode(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
///         r.array().map(|[a, b, c]| u32::from_be_bytes([0, a, b, c]))
///     }
/// }
///
/// laws::encoding::<U24, u32>(0..1u32 << 24, Ord::cmp);
/// ```
#[track_caller]
pub fn encoding<E: Encoding<T>, T: Debug>(values: impl Strategy<Value = T>, compare: impl Fn(&T, &T) -> Ordering) {
    let map =
        |values| -> Box<dyn Encoded> { Box::new(WithEncoding(Typed { values, compare: &compare }, PhantomData::<E>)) };
    encoded(Erased(&Mapped { from: vec(values, 2..5), map: &map }));
}

#[track_caller]
fn encoded<'a>(values: Erased<'a, Box<dyn Encoded + 'a>>) {
    prove(cases(), (values, damages(), vec(proptest::num::u8::ANY, 0..4)), |(values, damages, next)| {
        [false, true].into_iter().try_for_each(|desc| values.hold(desc, &damages, &next))
    });
}

trait Encoded: Debug {
    fn hold(&self, desc: bool, damages: &[Damage], next: &[u8]) -> Proof;
}

struct WithEncoding<'a, E, T>(Typed<'a, T>, PhantomData<E>);

impl<E, T: Debug> Debug for WithEncoding<'_, E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<E: Encoding<T>, T: Debug> Encoded for WithEncoding<'_, E, T> {
    fn hold(&self, desc: bool, damages: &[Damage], next: &[u8]) -> Proof {
        encoding_in::<E, T>(&self.0.values, &self.0.compare, desc, damages, next)
    }
}

fn encoding_in<E: Encoding<T>, T: Debug>(
    values: &[T],
    compare: &impl Fn(&T, &T) -> Ordering,
    desc: bool,
    damages: &[Damage],
    next: &[u8],
) -> Proof {
    let write = |value: &T| {
        let mut bytes = Vec::new();
        With::<E, T>::encode(value, &mut Writer::new(&mut bytes).direction(desc));
        bytes
    };
    let side = if desc { "descending" } else { "ascending" };
    let bytes: Vec<_> = values.iter().map(write).collect();
    for (a, a_bytes) in values.iter().zip(&bytes) {
        let told = || format!("{side} {a:?} is {}", Hex(a_bytes));
        law(2, E::WIDTH.is_none_or(|width| width == a_bytes.len()), || {
            format!("{}, not the {:?} bytes of WIDTH", told(), E::WIDTH)
        })?;
        let longer = [a_bytes.as_slice(), next].concat();
        let mut r = Reader::new(&longer);
        let again = r.direction(desc, With::<E, T>::decode);
        let same = again.as_ref().is_ok_and(|again| compare(a, again).is_eq()) && r.offset() == a_bytes.len();
        law(2, same, || format!("{}, before {} it came back as {again:?}", told(), Hex(next)))?;
        for (b, b_bytes) in values.iter().zip(&bytes) {
            let due = if desc { compare(b, a) } else { compare(a, b) };
            law(1, due == a_bytes.cmp(b_bytes), || format!("{} and {b:?} is {}", told(), Hex(b_bytes)))?;
            let begins = a_bytes != b_bytes && b_bytes.starts_with(a_bytes);
            law(4, !begins, || format!("{}, and {b:?} begins with it: {}", told(), Hex(b_bytes)))?;
        }
        let damaged = damaged(a_bytes, damages);
        let mut r = Reader::new(&damaged);
        if let Ok(taken) = r.direction(desc, With::<E, T>::decode) {
            let (read, again) = (r.since(0), write(&taken));
            law(3, read == again, || format!("{side} {} was taken and written as {}", Hex(read), Hex(&again)))?;
        }
    }
    Ok(())
}
