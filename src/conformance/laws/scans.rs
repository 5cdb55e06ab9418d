//! Law 6: scans of a table.

use std::cmp::Ordering;
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::num::u8;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use proptest::test_runner::TestCaseError;

use super::erased::{Erased, Keys, Mapped, Typed};
use super::{Proof, cases, law, prove};
use crate::keys::cursor::Cursor;
use crate::keys::error::Hex;
use crate::keys::key::OwnedKey;
use crate::keys::lead::Lead;
use crate::store::Memory;
use crate::store::error::Error;
use crate::table::Table;

/// Tests law 6 for a key type: a scan of a table, with its salt buckets merged, returns all rows in the order of
/// `compare`, forward and in reverse, with any limit, after any key, and page by page.
///
/// Keys with a digest have the order of their bytes; `compare` is not used for them. A case makes about a dozen scans,
/// so there are an eighth as many cases as [`cases`] says.
///
/// # Panics
/// If the law is broken.
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
/// let logins = (0..5u64, "[a-c]{0,2}").prop_map(|(user, device)| Login { user, device });
/// laws::scans(logins, Ord::cmp);
/// ```
#[track_caller]
pub fn scans<K: OwnedKey + Debug>(keys: impl Strategy<Value = K>, compare: impl Fn(&K, &K) -> Ordering) {
    let hashed = matches!(K::LAYOUT.lead, Lead::Digest(_));
    let order = |a: &K, b: &K| if hashed { a.encode().cmp(&b.encode()) } else { compare(a, b) };
    let map = |values| -> Box<dyn Scanned> { Box::new(Typed { values, compare: &order }) };
    scanned(Erased(&Mapped { from: vec(keys, 0..24), map: &map }));
}

/// Keys that are put into a table of their type.
trait Scanned: Keys {
    /// A table with the keys at these indexes.
    fn table(&self, keys: &[usize]) -> Result<Box<dyn Scans + '_>, Error>;
}

/// A table whose rows are keys alone.
trait Scans {
    /// The keys of one scan or page, and where the next page begins.
    fn read(&self, reverse: bool, of: Part<'_>) -> Result<(Vec<Vec<u8>>, Option<Cursor>), Error>;
}

enum Part<'a> {
    All,
    First(usize),
    AfterKey(&'a [u8]),
    FromKey(&'a [u8]),
    Page(usize, Option<Cursor>),
}

impl<K: OwnedKey + Debug> Scanned for Typed<'_, K> {
    fn table(&self, keys: &[usize]) -> Result<Box<dyn Scans + '_>, Error> {
        let table: Table<K, (), _> = Table::open(Memory::new(), "law")?;
        for &at in keys {
            table.put(&self.values[at], &())?;
        }
        Ok(Box::new(table))
    }
}

impl<K: OwnedKey> Scans for Table<K, (), Memory> {
    fn read(&self, reverse: bool, of: Part<'_>) -> Result<(Vec<Vec<u8>>, Option<Cursor>), Error> {
        let scan = if reverse { self.scan(..).reverse() } else { self.scan(..) };
        let scan = match of {
            Part::All => scan,
            Part::First(rows) => scan.limit(rows as u64),
            Part::AfterKey(key) => scan.after_key(&K::decode(key)?),
            Part::FromKey(key) => scan.from_key(&K::decode(key)?),
            Part::Page(rows, after) => {
                let page = scan.after(after).page(rows)?;
                return Ok((page.rows.iter().map(|(key, ())| key.encode()).collect(), page.next));
            }
        };
        let mut found = Vec::new();
        for key in scan.keys() {
            found.push(key?.encode());
        }
        Ok((found, None))
    }
}

#[track_caller]
fn scanned<'a>(keys: Erased<'a, Box<dyn Scanned + 'a>>) {
    prove(cases().div_ceil(8), (keys, any::<Index>(), u8::ANY, 1..5usize), |(keys, after, limit, page)| {
        let bytes = keys.encode_all();
        // No store takes an empty key, which only raw text can have.
        let mut rows: Vec<usize> = (0..bytes.len()).filter(|&at| !bytes[at].is_empty()).collect();
        let table = keys.table(&rows).map_err(broken)?;
        rows.sort_by(|&a, &b| keys.compare(a, b));
        let mut due: Vec<Vec<u8>> = rows.iter().map(|&at| bytes[at].clone()).collect();
        due.dedup();
        for reverse in [false, true] {
            let due: Vec<_> = if reverse { due.iter().rev().cloned().collect() } else { due.clone() };
            let same = |what: &str, of: Part<'_>, due: &[Vec<u8>]| {
                let (found, _) = table.read(reverse, of).map_err(broken)?;
                equal(what, reverse, &found, due)
            };
            same("all rows", Part::All, &due)?;
            let limit = usize::from(limit) % (due.len() + 2);
            same("with a limit", Part::First(limit), &due[..limit.min(due.len())])?;
            pages(reverse, &*table, page, &due)?;
            if !due.is_empty() {
                let at = after.index(due.len());
                same("after a key", Part::AfterKey(&due[at]), &due[at + 1..])?;
                same("from a key", Part::FromKey(&due[at]), &due[at..])?;
            }
        }
        Ok(())
    });
}

fn broken(error: Error) -> TestCaseError {
    TestCaseError::fail(format!("law 6 (scans) is broken: {error}"))
}

fn equal(what: &str, reverse: bool, found: &[Vec<u8>], due: &[Vec<u8>]) -> Proof {
    let told = |keys: &[Vec<u8>]| keys.iter().map(|key| Hex(key).to_string()).collect::<Vec<_>>().join(" ");
    law(6, found == due, || format!("{what}, reverse {reverse}: expected {}, found {}", told(due), told(found)))
}

/// Reads page by page; each cursor goes through its text.
fn pages(reverse: bool, table: &dyn Scans, rows: usize, due: &[Vec<u8>]) -> Proof {
    let (mut found, mut next) = (Vec::new(), None);
    loop {
        let (page, cursor) = table.read(reverse, Part::Page(rows, next)).map_err(broken)?;
        found.extend(page);
        let Some(cursor) = cursor else { break };
        next = Some(cursor.to_string().parse().map_err(|error: crate::keys::error::CursorError| broken(error.into()))?);
    }
    equal("page by page", reverse, &found, due)
}
