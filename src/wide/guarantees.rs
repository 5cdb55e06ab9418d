//! The guarantees of a wide store.

use super::check::WideLimits;
use super::mutation::{Edit, Mutation};
use crate::store::error::Error;

/// The guarantees of a wide store. An engine starts from [`none`](Self::none) and declares what it has, field by field.
/// The conformance suite (`conformance::wide`) checks that and no more.
///
/// `false` and `None` promise nothing. A field that says "supported" means: without it the store refuses the operation
/// with [`Error::Unsupported`](crate::Error::Unsupported). The declarations of the engines are in
/// [the table of differences](super#where-engines-differ).
#[doc(alias = "capabilities")]
#[doc(alias = "ACID")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::{Cells, FamilySchema, TableSchema, UntimedPuts, WideGuarantees, WideStore};
///
/// // The declaration of an engine, by its author.
/// const fn of_my_engine() -> WideGuarantees {
///     let mut guarantees = WideGuarantees::none();
///     guarantees.atomic_rows = true;
///     guarantees.untimed_puts = Some(UntimedPuts::AtClock);
///     guarantees
/// }
/// assert!(!of_my_engine().snapshot_scans);
///
/// // The check of a program.
/// let store = Cells::open(&Memory::new(), "t", &TableSchema::new().family("a", FamilySchema::new()))?;
/// assert_eq!(store.guarantees().untimed_puts, Some(UntimedPuts::Latest));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideGuarantees {
    /// True if a mutation of a row is atomic: read in full or not at all, also after a crash.
    pub atomic_rows: bool,
    /// True if a scan reads a snapshot: the table as it was when the scan was opened, whatever is written meanwhile.
    pub snapshot_scans: bool,
    /// True if a scan waits for something slow (a network, a server), so that reading ahead in threads pays off.
    pub slow_scans: bool,

    /// The range of timestamps. Others are refused with [`Error::Timestamp`](crate::Error::Timestamp). `None`: writes
    /// with a timestamp are not supported.
    pub timestamps: Option<Timestamps>,
    /// The clock that stamps a write without a timestamp.
    pub clock: Option<ClockOf>,
    /// A put without a timestamp, if the column has a version or a delete marker with a later time than the clock's.
    pub untimed_puts: Option<UntimedPuts>,
    /// A delete of a column, a family or a row without a timestamp, if there are versions with a later time than the
    /// clock's.
    pub untimed_deletes: Option<UntimedDeletes>,
    /// True if a put without a timestamp is returned right after a delete without one, if one clock stamps both and
    /// does not go back: else see [`untimed_puts`](Self::untimed_puts). If `false`, the delete may hide the put when
    /// both are written in the same millisecond.
    pub put_after_delete: bool,
    /// The order in which edits of a mutation without timestamps take effect.
    pub edit_order: Option<EditOrder>,

    /// The effect of a delete on later writes with a timestamp that it covers.
    pub deletes: Option<Deletes>,
    /// True if [`Mutation::delete_family_until`](super::Mutation::delete_family_until) and
    /// [`Mutation::delete_row_until`](super::Mutation::delete_row_until) are supported.
    pub delete_family_until: bool,
    /// The effect of [`Mutation::delete_latest`](super::Mutation::delete_latest) on a column without a version; `None`
    /// if it is not supported.
    pub delete_latest: Option<DeleteLatest>,
    /// True if deleted data never reappears, whatever the store cleans up and when. If `false`, a version that was
    /// written after a delete that covers it may reappear when the delete's marker is dropped.
    pub deleted_for_good: bool,

    /// True if every read applies [`max_versions`](super::FamilySchema::max_versions),
    /// [`min_versions`](super::FamilySchema::min_versions) and [`ttl`](super::FamilySchema::ttl). If `false`, more
    /// versions may be returned until the store cleans up. Versions that the family keeps are always returned.
    pub kept_on_read: bool,
    /// True if versions that a family no longer keeps stay stored until a purge, so that deleting a newer version
    /// uncovers them. If `false`, they may be removed at any time. An increment may always remove the value before it.
    pub unkept_until_purge: bool,

    /// True if [`WideStore::increment`](super::WideStore::increment) is supported and atomic under concurrent callers.
    pub increment: bool,
    /// The timestamp of a counter.
    pub counter_times: Option<CounterTimes>,
    /// The effect of an increment that contains a counter twice.
    pub repeated_counters: Option<RepeatedCounters>,
    /// True if [`WideStore::check_and_mutate`](super::WideStore::check_and_mutate) is supported and atomic under
    /// concurrent callers.
    pub check_and_mutate: bool,
    /// The meaning of empty values in a check: the column's, or the given one.
    pub empty_values: Option<EmptyValues>,
    /// True if an invalid mutation (to a family that the table does not have) is refused even if its check fails. If
    /// `false`, the check may fail first.
    pub validated_first: bool,

    /// The versions of a column in a page of columns ([`Columns::limit`](super::Columns::limit()),
    /// [`Columns::offset`](super::Columns::offset())).
    pub page_versions: Option<PageVersions>,
    /// True if a page counts the empty qualifier as one column, however many versions it has.
    pub page_empty_qualifier: bool,
    /// The cells that the condition on a row ([`Columns::rows_where`](super::Columns::rows_where())) is checked
    /// against.
    pub row_conditions: Option<RowConditions>,
    /// True if a scan supports a condition on its rows together with [pieces](super::Columns::piece()). If not, the
    /// scan's first batch is the error.
    pub pieces_under_conditions: bool,
    /// True if a read that asks for nothing (a time range without a millisecond of 1970 or later, no version, a limit
    /// of no column) returns nothing. If `false`, it may be refused, or read without the bound. A scan with a limit of
    /// no row returns none on every store.
    pub empty_reads: bool,

    /// True if a table created with [split points](crate::store::NewTable::split_at) is split into regions there, as
    /// [`WideStore::split_points`](super::WideStore::split_points) then returns.
    pub split_points: bool,
    /// Maximum lengths of row keys, qualifiers and values.
    pub limits: WideLimits,
}

impl WideGuarantees {
    /// No promises.
    pub const fn none() -> Self {
        Self {
            atomic_rows: false,
            snapshot_scans: false,
            slow_scans: false,
            timestamps: None,
            clock: None,
            untimed_puts: None,
            untimed_deletes: None,
            put_after_delete: false,
            edit_order: None,
            deletes: None,
            delete_family_until: false,
            delete_latest: None,
            deleted_for_good: false,
            kept_on_read: false,
            unkept_until_purge: false,
            increment: false,
            counter_times: None,
            repeated_counters: None,
            check_and_mutate: false,
            empty_values: None,
            validated_first: false,
            page_versions: None,
            page_empty_qualifier: false,
            row_conditions: None,
            pieces_under_conditions: false,
            empty_reads: false,
            split_points: false,
            limits: WideLimits::none(),
        }
    }
}

/// The timestamps of cells: their range, in milliseconds since 1970, and the unit that the engine stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// The first timestamp: 0, or 1 if the engine uses 0 for something else.
    pub first: i64,
    /// The last timestamp, inclusive.
    pub last: i64,
    /// The unit that the engine stores, as its other clients see it.
    pub unit: TimestampUnit,
}

impl Timestamps {
    /// Checks all timestamps of a mutation. For authors of engines, to call before a write.
    ///
    /// # Errors
    ///
    /// [`Error::Timestamp`] with the first that is out of range.
    pub fn check(&self, mutation: &Mutation) -> Result<(), Error> {
        let mut given = mutation.edits().iter().filter_map(Edit::timestamp);
        given.find(|at| !(self.first..=self.last).contains(at)).map_or(Ok(()), |at| Err(Error::Timestamp(at)))
    }
}

/// A unit of timestamps in an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimestampUnit {
    /// Milliseconds, as in the API.
    Milliseconds,
    /// Microseconds: a thousand per millisecond of the API.
    Microseconds,
}

impl TimestampUnit {
    /// Number of units per millisecond.
    pub const fn per_millisecond(self) -> i64 {
        match self {
            Self::Milliseconds => 1,
            Self::Microseconds => 1000,
        }
    }

    /// All milliseconds since 1970 that an `i64` of this unit can represent.
    pub const fn timestamps(self) -> Timestamps {
        Timestamps { first: 0, last: i64::MAX / self.per_millisecond(), unit: self }
    }
}

/// The clock that stamps writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClockOf {
    /// The server's clock. Several servers of a table may disagree.
    Server,
    /// The clock of the process that writes. Several processes may disagree.
    Process,
}

/// Puts without a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntimedPuts {
    /// A put is the latest write, so the next read returns it. Later versions of its column, and deletes that hide it,
    /// are removed for good.
    Latest,
    /// A put has the clock's time as if it were given. Later versions stay, and stay newer.
    AtClock,
}

/// Deletes of a column, a family or a row without a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntimedDeletes {
    /// All versions are removed, whatever their timestamps.
    All,
    /// Versions up to the clock's time are removed. Later ones stay.
    UntilClock,
}

/// The order in which edits of a mutation without timestamps take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EditOrder {
    /// They take effect in order.
    AsGiven,
    /// Deletes hide what the mutation puts, whatever the order. [`delete_latest`](super::Mutation::delete_latest) uses
    /// the row as it was before the mutation.
    DeletesLast,
}

/// The effect of a delete on later writes with a timestamp that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deletes {
    /// It hides them, by a marker, until the store drops the marker.
    Hide,
    /// Nothing: it removes what is stored now.
    Erase,
}

/// The effect of [`Mutation::delete_latest`](super::Mutation::delete_latest) on a column without a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeleteLatest {
    /// Nothing.
    OfWhatIsThere,
    /// It writes a marker with the clock's time, which hides what the same mutation puts.
    MarksNothing,
}

/// The timestamps of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CounterTimes {
    /// An increment is a write without a timestamp as a put is.
    AsPuts,
    /// An increment has a later timestamp than the value before, so many in one millisecond run ahead of the clock. A
    /// put or a delete at the clock's time that comes soon after them is hidden.
    AfterValue,
}

/// The effect of an increment that contains a counter twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepeatedCounters {
    /// The second amount is added to the sum of the first.
    Cumulative,
    /// Each amount is added to the value before the increment. The last sum is kept.
    Independent,
}

/// Empty values in a [`Condition`](super::Condition).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyValues {
    /// An empty value is a value, and compares as any other.
    AsValues,
    /// A column with an empty value counts as absent. In a comparison with the empty value an absent column is equal to
    /// it, and every operator but [`NotEqual`](super::Compare::NotEqual) means [`Equal`](super::Compare::Equal).
    AsAbsent,
    /// In a comparison an empty value is a value, and compares as any other. For
    /// [`Condition::absent`](super::Condition::absent) it counts as absent.
    Compared,
}

/// The versions of a column in a page of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PageVersions {
    /// As many as are asked for.
    AsAsked,
    /// Only the newest that is asked for.
    Newest,
}

/// The cells that a condition on a row is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowConditions {
    /// The newest version of its column, whatever is read of the row. A column of a family that the table does not have
    /// is refused.
    OnRow,
    /// The versions that are read of the row. A column that is not read, that has no such family, or that has no
    /// version in the time range counts as absent.
    OnRead,
}
