//! What a store promises.

use super::limits::Limits;

/// What a store promises beyond the order of its keys. It starts from nothing, so that what is added here later is promised by
/// nobody who does not say so.
///
/// ```
/// use rowkey::store::{Atomicity, Guarantees};
///
/// const PROMISES: Guarantees = Guarantees::none().batch(Atomicity::Table).increment(true);
/// assert!(PROMISES.increment && !PROMISES.transactions);
/// assert_eq!(Guarantees::none(), Guarantees::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guarantees {
    /// How much of a batch is applied as one.
    pub batch: Atomicity,
    /// Whether a scan shows the table as it was when it was opened, whatever is written meanwhile.
    pub snapshot_scans: bool,
    /// Whether [`Store::increment`](super::Store::increment) is there, and loses nothing under concurrent callers.
    pub increment: bool,
    /// Whether [`Store::compare_and_write`](super::Store::compare_and_write) is there, and holds under concurrent callers.
    pub compare_and_write: bool,
    /// Whether [`Store::transact`](super::Store::transact) is there, and holds under concurrent callers; of a database's tables,
    /// whether [`Database::transact`](super::Database::transact) is.
    pub transactions: bool,
    /// Whether a scan waits on something slow (a network, a server), so that reading ahead in threads pays.
    pub slow_scans: bool,
    /// Whether a table that is made with [split points](super::NewTable::split_at) has regions that meet there, which
    /// [`Store::split_points`](super::Store::split_points) returns.
    pub split_points: bool,
    /// How long keys, values and names can be.
    pub limits: Limits,
}

impl Guarantees {
    /// Nothing: each row of a batch by itself, no counters, no conditions, no limits that are known.
    pub const fn none() -> Self {
        Self {
            batch: Atomicity::Row,
            snapshot_scans: false,
            increment: false,
            compare_and_write: false,
            transactions: false,
            slow_scans: false,
            split_points: false,
            limits: Limits::none(),
        }
    }

    /// The same with [`batch`](Self::batch).
    #[must_use]
    pub const fn batch(mut self, batch: Atomicity) -> Self {
        self.batch = batch;
        self
    }

    /// The same with [`snapshot_scans`](Self::snapshot_scans).
    #[must_use]
    pub const fn snapshot_scans(mut self, snapshot_scans: bool) -> Self {
        self.snapshot_scans = snapshot_scans;
        self
    }

    /// The same with [`increment`](Self::increment).
    #[must_use]
    pub const fn increment(mut self, increment: bool) -> Self {
        self.increment = increment;
        self
    }

    /// The same with [`compare_and_write`](Self::compare_and_write).
    #[must_use]
    pub const fn compare_and_write(mut self, compare_and_write: bool) -> Self {
        self.compare_and_write = compare_and_write;
        self
    }

    /// The same with [`transactions`](Self::transactions).
    #[must_use]
    pub const fn transactions(mut self, transactions: bool) -> Self {
        self.transactions = transactions;
        self
    }

    /// The same with [`slow_scans`](Self::slow_scans).
    #[must_use]
    pub const fn slow_scans(mut self, slow_scans: bool) -> Self {
        self.slow_scans = slow_scans;
        self
    }

    /// The same with [`split_points`](Self::split_points).
    #[must_use]
    pub const fn split_points(mut self, split_points: bool) -> Self {
        self.split_points = split_points;
        self
    }

    /// The same with [`limits`](Self::limits).
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// How much of a batch is applied as one: seen whole or not at all, and after a crash too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atomicity {
    /// Each row by itself.
    #[default]
    Row,
    /// A batch in one table.
    Table,
    /// A batch across tables.
    Database,
}
