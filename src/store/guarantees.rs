//! The guarantees of a store: atomicity, snapshots, counters, transactions, limits.

use super::limits::Limits;

/// The guarantees of a store beyond key order. An engine starts from [`none`](Self::none) and declares what it has, so
/// a promise that is added here later is not made by engines that do not declare it.
#[doc(alias = "capabilities")]
#[doc(alias = "isolation")]
#[doc(alias = "ACID")]
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
    /// The part of a batch that is atomic.
    pub batch: Atomicity,
    /// True if a scan reads a snapshot: the table as it was when the scan was opened, whatever is written meanwhile.
    pub snapshot_scans: bool,
    /// True if [`Store::increment`](super::Store::increment) is supported and atomic under concurrent callers.
    pub increment: bool,
    /// True if [`Store::compare_and_write`](super::Store::compare_and_write) is supported and atomic under concurrent
    /// callers.
    pub compare_and_write: bool,
    /// True if [`Store::transact`](super::Store::transact) is supported and serializable. With [`Atomicity::Database`]
    /// this includes [`Database::transact`](super::Database::transact).
    pub transactions: bool,
    /// True if a scan waits for something slow (a network, a server), so that reading ahead in threads pays off.
    pub slow_scans: bool,
    /// True if a table created with [split points](super::NewTable::split_at) is split into regions there, as
    /// [`Store::split_points`](super::Store::split_points) then returns.
    pub split_points: bool,
    /// Maximum lengths of keys, values and names.
    pub limits: Limits,
}

impl Guarantees {
    /// No promises: each row of a batch is written separately, no counters, no conditions, no transactions, unknown
    /// limits.
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

    /// Sets [`batch`](Self::batch).
    #[must_use]
    pub const fn batch(mut self, batch: Atomicity) -> Self {
        self.batch = batch;
        self
    }

    /// Sets [`snapshot_scans`](Self::snapshot_scans).
    #[must_use]
    pub const fn snapshot_scans(mut self, snapshot_scans: bool) -> Self {
        self.snapshot_scans = snapshot_scans;
        self
    }

    /// Sets [`increment`](Self::increment).
    #[must_use]
    pub const fn increment(mut self, increment: bool) -> Self {
        self.increment = increment;
        self
    }

    /// Sets [`compare_and_write`](Self::compare_and_write).
    #[must_use]
    pub const fn compare_and_write(mut self, compare_and_write: bool) -> Self {
        self.compare_and_write = compare_and_write;
        self
    }

    /// Sets [`transactions`](Self::transactions).
    #[must_use]
    pub const fn transactions(mut self, transactions: bool) -> Self {
        self.transactions = transactions;
        self
    }

    /// Sets [`slow_scans`](Self::slow_scans).
    #[must_use]
    pub const fn slow_scans(mut self, slow_scans: bool) -> Self {
        self.slow_scans = slow_scans;
        self
    }

    /// Sets [`split_points`](Self::split_points).
    #[must_use]
    pub const fn split_points(mut self, split_points: bool) -> Self {
        self.split_points = split_points;
        self
    }

    /// Sets [`limits`](Self::limits).
    #[must_use]
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The part of a batch that is atomic: read in full or not at all, also after a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Atomicity {
    /// Each row separately.
    #[default]
    Row,
    /// A batch to one table.
    Table,
    /// A batch across tables.
    Database,
}
