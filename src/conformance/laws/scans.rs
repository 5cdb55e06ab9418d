//! Law 6: scans of a table.

use std::cmp::Ordering;
use std::fmt::Debug;

use proptest::collection::vec;
use proptest::num::u8;
use proptest::prelude::any;
use proptest::sample::Index;
use proptest::strategy::Strategy;
use proptest::test_runner::TestCaseError;

use super::{Proof, cases, law, prove};
use crate::keys::cursor::Cursor;
use crate::keys::error::Hex;
use crate::keys::key::OwnedKey;
use crate::keys::lead::Lead;
use crate::store::Memory;
use crate::store::error::Error;
use crate::table::{Table, TableScan};

/// Tests law 6 for a key type: a scan of a table, with its salt buckets merged, returns all rows in the order of
/// `compare`, forward and in reverse, with any limit, after any key, and page by page.
///
/// Keys with a digest have the order of their bytes; `compare` is not used for them. A case makes about a dozen scans, so
/// there are an eighth as many cases as [`cases`] says.
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
    prove(
        cases().div_ceil(8),
        (vec(keys, 0..24), any::<Index>(), u8::ANY, 1..5usize),
        |(mut keys, after, limit, page)| {
            // No store takes an empty key, which only raw text can have.
            keys.retain(|key| !key.encode().is_empty());
            let table: Table<K, (), _> = Table::open(Memory::new(), "law").map_err(broken)?;
            for key in &keys {
                table.put(key, &()).map_err(broken)?;
            }
            keys.sort_by(&order);
            keys.dedup_by(|a, b| a.encode() == b.encode());
            let due: Vec<Vec<u8>> = keys.iter().map(K::encode).collect();
            for reverse in [false, true] {
                let scan = || if reverse { table.scan(..).reverse() } else { table.scan(..) };
                let due: Vec<_> = if reverse { due.iter().rev().cloned().collect() } else { due.clone() };
                same("all rows", reverse, scan(), &due)?;
                let limit = usize::from(limit) % (due.len() + 2);
                same("with a limit", reverse, scan().limit(limit as u64), &due[..limit.min(due.len())])?;
                pages(reverse, &scan, page, &due)?;
                if !due.is_empty() {
                    let at = after.index(due.len());
                    let key = K::decode(&due[at]).map_err(|error| broken(error.into()))?;
                    same("after a key", reverse, scan().after_key(&key), &due[at + 1..])?;
                    same("from a key", reverse, scan().from_key(&key), &due[at..])?;
                }
            }
            Ok(())
        },
    );
}

fn broken(error: Error) -> TestCaseError {
    TestCaseError::fail(format!("law 6 (scans) is broken: {error}"))
}

fn same<K: OwnedKey>(what: &str, reverse: bool, scan: TableScan<K, ()>, due: &[Vec<u8>]) -> Proof {
    let found: Result<Vec<_>, _> = scan.keys().map(|key| key.map(|key| key.encode())).collect();
    equal(what, reverse, &found.map_err(broken)?, due)
}

fn equal(what: &str, reverse: bool, found: &[Vec<u8>], due: &[Vec<u8>]) -> Proof {
    let told = |keys: &[Vec<u8>]| keys.iter().map(|key| Hex(key).to_string()).collect::<Vec<_>>().join(" ");
    law(6, found == due, || format!("{what}, reverse {reverse}: expected {}, found {}", told(due), told(found)))
}

/// Reads page by page; each cursor goes through its text.
fn pages<K: OwnedKey>(reverse: bool, scan: &impl Fn() -> TableScan<K, ()>, rows: usize, due: &[Vec<u8>]) -> Proof {
    let (mut found, mut next) = (Vec::new(), None::<Cursor>);
    loop {
        let page = scan().after(next).page(rows).map_err(broken)?;
        found.extend(page.rows.iter().map(|(key, ())| key.encode()));
        let Some(cursor) = page.next else { break };
        next = Some(cursor.to_string().parse().map_err(|error: crate::keys::error::CursorError| broken(error.into()))?);
    }
    equal("page by page", reverse, &found, due)
}
