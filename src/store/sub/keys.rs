//! Keys with a table's prefix, and what is left of the store's promises.

use crate::keys::range::KeyRange;
use crate::store::error::Error;
use crate::store::{Atomicity, Batch, Guarantees, Limits, Write};

pub(super) const REGISTER: u8 = 0xff;

pub(super) fn register_key(name: &str) -> Vec<u8> {
    [&[REGISTER], name.as_bytes()].concat()
}

pub(super) fn prefix(name: &str) -> Vec<u8> {
    let mut prefix = Vec::with_capacity(name.len() + 1);
    for &byte in name.as_bytes() {
        match byte {
            0 | 1 => prefix.extend([1, byte + 1]),
            _ => prefix.push(byte),
        }
    }
    prefix.push(0);
    prefix
}

pub(super) fn ranges_under(prefix: &[u8], ranges: &[KeyRange]) -> Vec<KeyRange> {
    let table = KeyRange::prefix(prefix);
    let end_of = |range: &KeyRange| match range.end() {
        Some(end) => Some([prefix, end].concat()),
        None => table.end().map(<[u8]>::to_vec),
    };
    ranges.iter().filter_map(|range| KeyRange::new([prefix, range.start()].concat(), end_of(range))).collect()
}

pub(super) fn under(prefix: &[u8], batch: &Batch, beneath: &mut Batch) {
    for write in batch.writes() {
        let key = [prefix, write.key()].concat();
        match write {
            Write::Put(_, value) => beneath.put(key, value),
            Write::Delete(_) => beneath.delete(key),
        };
    }
}

/// The maximum key length depends on the table's name, so a database does not declare one.
pub(super) fn across_tables(beneath: Guarantees) -> Guarantees {
    let batch = if beneath.batch >= Atomicity::Table { Atomicity::Database } else { Atomicity::Row };
    let limits = Limits { key: None, table_name: None, ..beneath.limits };
    Guarantees { batch, split_points: false, limits, ..beneath }
}

pub(super) fn of_table(beneath: Guarantees, prefix: &[u8]) -> Guarantees {
    let promised = across_tables(beneath);
    let key = beneath.limits.key.map(|key| key.saturating_sub(prefix.len()));
    Guarantees { limits: Limits { key, ..promised.limits }, ..promised }
}

pub(super) fn stray_row() -> Error {
    Error::engine("the store beneath returned a row outside of the ranges it was asked for")
}
