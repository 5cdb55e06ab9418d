//! What a wide store promises.

use super::check::WideLimits;
use super::mutation::{Edit, Mutation};
use crate::store::error::Error;

/// What a wide store promises. By default nothing: an engine says what it has, field by field, and the
/// suite (`conformance::wide`) asks for that and no more.
///
/// `false` and `None` promise nothing: a program that relies on either of two ways asks first. Where a field says that an
/// operation "is there", a store without it refuses the operation with [`Error::Unsupported`](crate::Error::Unsupported). What
/// each engine declares is in [the table of differences](super#where-engines-differ).
///
/// ```
/// use rowkey::Memory;
/// use rowkey::wide::{Cells, FamilySchema, TableSchema, UntimedPuts, WideGuarantees, WideStore};
///
/// // What the author of a store writes.
/// const fn of_my_engine() -> WideGuarantees {
///     let mut guarantees = WideGuarantees::none();
///     guarantees.atomic_rows = true;
///     guarantees.untimed_puts = Some(UntimedPuts::AtClock);
///     guarantees
/// }
/// assert!(!of_my_engine().snapshot_scans);
///
/// // What a program asks.
/// let store = Cells::open(&Memory::new(), "t", &TableSchema::new().family("a", FamilySchema::new()))?;
/// assert_eq!(store.guarantees().untimed_puts, Some(UntimedPuts::Latest));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WideGuarantees {
    /// Whether a mutation of a row is seen whole or not at all, and after a crash too.
    pub atomic_rows: bool,
    /// Whether a scan shows the table as it was when it was opened, whatever is written meanwhile.
    pub snapshot_scans: bool,
    /// Whether a scan waits on something slow, so that reading ahead in threads pays.
    pub slow_scans: bool,

    /// The timestamps that writes can have; others are refused with [`Error::Timestamp`](crate::Error::Timestamp). `None`: a write
    /// with a timestamp is not there.
    pub timestamps: Option<Timestamps>,
    /// Whose clock stamps a write without a timestamp.
    pub clock: Option<ClockOf>,
    /// What a put without a timestamp does where the column has a version, or a delete marker, of a later time than the clock's.
    pub untimed_puts: Option<UntimedPuts>,
    /// What a delete of a column, a family or a row without a timestamp does to versions of a later time than the clock's.
    pub untimed_deletes: Option<UntimedDeletes>,
    /// Whether a put without a timestamp right after a delete without one is there. Otherwise the delete can hide it, where both
    /// are written in one millisecond.
    pub put_after_delete: bool,
    /// How edits of one mutation without timestamps work on each other.
    pub edit_order: Option<EditOrder>,

    /// What a delete does to what is written after it with a timestamp that it covers.
    pub deletes: Option<Deletes>,
    /// Whether [`Mutation::delete_family_until`](super::Mutation::delete_family_until) and
    /// [`Mutation::delete_row_until`](super::Mutation::delete_row_until) are there.
    pub delete_family_until: bool,
    /// Whether [`Mutation::delete_latest`](super::Mutation::delete_latest) is there, and what it does where nothing is.
    pub delete_latest: Option<DeleteLatest>,
    /// Whether what was deleted is never seen again, whatever the store cleans up and when. Otherwise a version that was written
    /// after a delete that covers it can come back once the delete's marker is dropped.
    pub deleted_for_good: bool,

    /// Whether every read keeps to [`max_versions`](super::FamilySchema::max_versions),
    /// [`min_versions`](super::FamilySchema::min_versions) and [`ttl`](super::FamilySchema::ttl). Otherwise more versions can be read
    /// until the store cleans up; those that are to be kept are always there.
    pub kept_on_read: bool,
    /// Whether versions that a family keeps no longer stay until somebody asks for a purge, so that a delete of a newer one uncovers
    /// them. Otherwise they go at any time. An increment may drop the value before it in any case.
    pub unkept_until_purge: bool,

    /// Whether [`WideStore::increment`](super::WideStore::increment) is there, and loses nothing under concurrent callers.
    pub increment: bool,
    /// What a counter that comes twice in one increment does.
    pub repeated_counters: Option<RepeatedCounters>,
    /// Whether [`WideStore::check_and_mutate`](super::WideStore::check_and_mutate) is there, and holds under concurrent callers.
    pub check_and_mutate: bool,
    /// How a check takes an empty value, the column's or the one that is compared with.
    pub empty_values: Option<EmptyValues>,
    /// Whether a mutation that is not valid (a family that the table does not have) is refused whatever its check says. Otherwise the
    /// check may fail first.
    pub validated_first: bool,

    /// What a page of columns ([`Columns::limit`](super::Columns::limit()), [`Columns::offset`](super::Columns::offset())) has of a column
    /// with several versions.
    pub page_versions: Option<PageVersions>,
    /// Whether a page counts the empty qualifier as one column, however many versions it has.
    pub page_empty_qualifier: bool,
    /// What the condition on a row ([`Columns::rows_where`](super::Columns::rows_where())) looks at.
    pub row_conditions: Option<RowConditions>,
    /// Whether a scan can have both a condition on its rows and [pieces](super::Columns::piece()); the scan's first batch is the refusal.
    pub pieces_under_conditions: bool,
    /// Whether a read that asks for nothing (a time range without a millisecond of 1970 or later, no version, a limit of no column)
    /// returns nothing. Otherwise it can be refused, or taken for a read without the bound. A scan whose limit is no row has none on every store.
    pub empty_reads: bool,

    /// Whether a table that is made with [split points](crate::store::NewTable::split_at) has regions that meet there, which
    /// [`WideStore::split_points`](super::WideStore::split_points) returns.
    pub split_points: bool,
    /// How long row keys, qualifiers and values can be.
    pub limits: WideLimits,
}

impl WideGuarantees {
    /// No promise at all.
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

/// Timestamps of cells: a range, in milliseconds since 1970 as the API counts them, and the unit in which the engine keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// The first: 0, or 1 where the engine has another use for 0.
    pub first: i64,
    /// The last.
    pub last: i64,
    /// The unit in which the engine keeps them, as another of its clients sees them.
    pub unit: TimestampUnit,
}

impl Timestamps {
    /// Whether a store that has these takes all timestamps of a mutation; it asks before it begins.
    ///
    /// # Errors
    ///
    /// [`Error::Timestamp`] with the first that it does not take.
    pub fn check(&self, mutation: &Mutation) -> Result<(), Error> {
        let mut given = mutation.edits().iter().filter_map(Edit::timestamp);
        given.find(|at| !(self.first..=self.last).contains(at)).map_or(Ok(()), |at| Err(Error::Timestamp(at)))
    }
}

/// A unit of timestamps in an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimestampUnit {
    /// Those of the API.
    Milliseconds,
    /// A thousand to each of the API's.
    Microseconds,
}

impl TimestampUnit {
    /// How many there are in a millisecond.
    pub const fn per_millisecond(self) -> i64 {
        match self {
            Self::Milliseconds => 1,
            Self::Microseconds => 1000,
        }
    }

    /// All milliseconds since 1970 that an `i64` of this unit holds.
    pub const fn timestamps(self) -> Timestamps {
        Timestamps { first: 0, last: i64::MAX / self.per_millisecond(), unit: self }
    }
}

/// Whose clock stamps writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClockOf {
    /// The server's: several servers of a table can disagree.
    Server,
    /// That of the process that writes: several processes can disagree.
    Process,
}

/// Puts without a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntimedPuts {
    /// A put is the latest write there is, so it is what is read next. Later versions of its column go for good, and so do deletes
    /// that hide it.
    Latest,
    /// A put has the clock's time as if it were given: later versions stay, and stay newer.
    AtClock,
}

/// Deletes of a column, a family or a row without a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UntimedDeletes {
    /// All versions go, whatever their timestamps.
    All,
    /// The versions up to the clock's time go; later ones stay.
    UntilClock,
}

/// How edits of one mutation work on each other, where they have no timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EditOrder {
    /// They take effect in their order.
    AsGiven,
    /// Deletes hide what the mutation puts, whatever the order; [`delete_latest`](super::Mutation::delete_latest) looks at the row as
    /// it was before the mutation.
    DeletesLast,
}

/// What a delete does to later writes with timestamps that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Deletes {
    /// It hides them, by a marker, until the store drops the marker.
    Hide,
    /// Nothing: it takes what is there.
    Erase,
}

/// What [`Mutation::delete_latest`](super::Mutation::delete_latest) does where no version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeleteLatest {
    /// Nothing.
    OfWhatIsThere,
    /// It writes a marker with the clock's time, which hides what the same mutation puts.
    MarksNothing,
}

/// A counter that comes twice in one increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RepeatedCounters {
    /// The second amount is added to the first's sum.
    Cumulative,
    /// Each amount is added to the value before the increment, and the last sum is kept.
    Independent,
}

/// Empty values in a [`Condition`](super::Condition).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyValues {
    /// An empty value is there, and compares as any other.
    AsValues,
    /// A column with an empty value counts as absent. In a comparison with the empty value an absent column equals it, and every operator
    /// but [`NotEqual`](super::Compare::NotEqual) is read as [`Equal`](super::Compare::Equal).
    AsAbsent,
}

/// Versions of a column in a page of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PageVersions {
    /// As many as are asked for.
    AsAsked,
    /// The newest that is asked for.
    Newest,
}

/// What a condition on a row looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RowConditions {
    /// The newest version of its column, whatever is read of the row. A column of a family that the table does not have is refused.
    OnRow,
    /// What is read of the row: a column that is not read, of no family, or without a version in the time range counts as absent.
    OnRead,
}
