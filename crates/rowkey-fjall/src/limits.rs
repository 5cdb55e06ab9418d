//! The guarantees of the engine, and the limits of its keys, values and names.

use rowkey::Error;
use rowkey::store::{Atomicity, Batch, Guarantees, Limits};

pub(crate) const LONGEST_NAME: usize = 254;
pub(crate) const LONGEST_KEY: usize = 65_535;
/// The engine's lengths have 32 bits, including that of a block, and of a value that compression made longer.
const LONGEST_VALUE: usize = 1 << 30;
pub(crate) const LIMITS: Limits = Limits::none().key(LONGEST_KEY).value(LONGEST_VALUE).table_name(LONGEST_NAME);
pub(crate) const PROMISES: Guarantees = Guarantees::none()
    .batch(Atomicity::Database)
    .snapshot_scans(true)
    .increment(true)
    .compare_and_write(true)
    .transactions(true)
    .limits(LIMITS);

/// Checks all writes, and the names of their tables.
pub(crate) fn check_all<'b>(batches: impl IntoIterator<Item = (&'b str, &'b Batch)>) -> Result<(), Error> {
    batches.into_iter().try_for_each(|(name, batch)| {
        LIMITS.check_table_name(name)?;
        LIMITS.check(name, batch)
    })
}

/// Returns whether a row can have this key. The engine is not called for other keys.
pub(crate) fn can_be(key: &[u8]) -> bool {
    (1..=LONGEST_KEY).contains(&key.len())
}
