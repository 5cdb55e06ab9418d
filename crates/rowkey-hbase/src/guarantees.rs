//! The guarantees of tables in HBase.

use rowkey::wide::{
    ClockOf, CounterTimes, DeleteLatest, Deletes, EditOrder, EmptyValues, PageVersions, RepeatedCounters,
    RowConditions, TimestampUnit, Timestamps, UntimedDeletes, UntimedPuts, WideGuarantees, WideLimits,
};

use crate::scan::LONGEST_KEY;

/// The greatest number stands for the server's time.
pub(crate) const TIMESTAMPS: Timestamps =
    Timestamps { first: 0, last: i64::MAX - 1, unit: TimestampUnit::Milliseconds };

pub(crate) const LIMITS: WideLimits = WideLimits::none().row(LONGEST_KEY);

pub(crate) fn guarantees(clock: ClockOf) -> WideGuarantees {
    let mut guarantees = WideGuarantees::none();
    guarantees.atomic_rows = true;
    guarantees.timestamps = Some(TIMESTAMPS);
    guarantees.clock = Some(clock);
    guarantees.untimed_puts = Some(UntimedPuts::AtClock);
    guarantees.untimed_deletes = Some(UntimedDeletes::UntilClock);
    guarantees.put_after_delete = true;
    guarantees.edit_order = Some(EditOrder::DeletesLast);
    guarantees.deletes = Some(Deletes::Hide);
    guarantees.delete_family_until = true;
    // Its time is always the server's, so with another clock it is before or after what is put with it.
    guarantees.delete_latest = (clock == ClockOf::Server).then_some(DeleteLatest::MarksNothing);
    guarantees.kept_on_read = true;
    guarantees.increment = true;
    guarantees.counter_times = Some(CounterTimes::AfterValue);
    guarantees.repeated_counters = Some(RepeatedCounters::Cumulative);
    guarantees.check_and_mutate = true;
    guarantees.empty_values = Some(EmptyValues::Compared);
    guarantees.validated_first = true;
    guarantees.page_versions = Some(PageVersions::Newest);
    guarantees.page_empty_qualifier = true;
    guarantees.row_conditions = Some(RowConditions::OnRead);
    guarantees.pieces_under_conditions = true;
    guarantees.empty_reads = true;
    guarantees.split_points = true;
    guarantees.limits = LIMITS;
    guarantees
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of differences, from the documentation of `rowkey::wide`.
    const TABLE: &str = include_str!("../../../src/wide/mod.rs");

    /// The guarantee of each row, and HBase's column.
    fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
        TABLE.lines().filter_map(|line| {
            let (_, rest) = line.rsplit_once("](WideGuarantees::")?;
            let (guarantee, _) = rest.split_once(')')?;
            Some((guarantee, line.strip_prefix("//! | ")?.split(" | ").nth(1)?))
        })
    }

    #[test]
    fn they_are_those_of_the_table_of_differences() {
        let of = guarantees(ClockOf::Server);
        // What the table says of HBase, or of this crate, and whether it is declared.
        let declared = [
            ("atomic_rows", "yes", of.atomic_rows),
            ("snapshot_scans", "no", !of.snapshot_scans),
            (
                "timestamps",
                "0 to `i64::MAX` - 1",
                of.timestamps.is_some_and(|at| (at.first, at.last) == (0, i64::MAX - 1)),
            ),
            ("clock", "the server's; with `rowkey-hbase` this process's, if", of.clock == Some(ClockOf::Server)),
            ("untimed_puts", "has the clock's time, and is hidden", of.untimed_puts == Some(UntimedPuts::AtClock)),
            ("untimed_deletes", "the version stays", of.untimed_deletes == Some(UntimedDeletes::UntilClock)),
            ("put_after_delete", "with `rowkey-hbase` is returned", of.put_after_delete),
            ("edit_order", "deletes hide puts, whatever their order", of.edit_order == Some(EditOrder::DeletesLast)),
            ("deletes", "hides the write", of.deletes == Some(Deletes::Hide)),
            ("delete_family_until", "supported", of.delete_family_until),
            ("delete_latest", "writes a marker", of.delete_latest == Some(DeleteLatest::MarksNothing)),
            ("deleted_for_good", "reappears", !of.deleted_for_good),
            ("kept_on_read", "are not returned", of.kept_on_read),
            ("unkept_until_purge", "with a flush or a compaction", !of.unkept_until_purge),
            ("counter_times", "after the value before", of.counter_times == Some(CounterTimes::AfterValue)),
            ("increment", "supported", of.increment),
            (
                "repeated_counters",
                "adds the second to the first's sum",
                of.repeated_counters == Some(RepeatedCounters::Cumulative),
            ),
            ("check_and_mutate", "supported", of.check_and_mutate),
            ("empty_values", "is absent, and compares as any other", of.empty_values == Some(EmptyValues::Compared)),
            ("validated_first", "`rowkey-hbase` refuses it", of.validated_first),
            ("page_versions", "has the newest version of each", of.page_versions == Some(PageVersions::Newest)),
            ("page_empty_qualifier", "with `rowkey-hbase` as one column", of.page_empty_qualifier),
            ("row_conditions", "treats the column as absent", of.row_conditions == Some(RowConditions::OnRead)),
            ("pieces_under_conditions", "with `rowkey-hbase` supported", of.pieces_under_conditions),
            ("empty_reads", "`rowkey-hbase` returns nothing", of.empty_reads),
            ("split_points", "yes", of.split_points),
            ("limits", "32,767 bytes", of.limits.row == Some(LONGEST_KEY)),
        ];
        let rows: Vec<_> = rows().collect();
        assert_eq!(rows.len(), declared.len(), "{rows:?}");
        for ((row, hbase), (guarantee, said, is_declared)) in rows.into_iter().zip(declared) {
            assert_eq!(row, guarantee);
            assert!(hbase.contains(said), "{guarantee}: the table says {hbase:?}");
            assert!(is_declared, "{guarantee}: {hbase}");
        }
    }
}
