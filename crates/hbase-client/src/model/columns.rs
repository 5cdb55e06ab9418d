//! Columns, versions and times that a `Get` or a `Scan` reads.

use std::ops::Range;

use bytes::Bytes;

use crate::model::filter::Filter;
use crate::model::names::wrong_family;
use crate::pb;

/// The columns, versions and times that are read of a row. Part of [`Get`](crate::Get) and [`Scan`](crate::Scan).
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    columns: Vec<pb::Column>,
    filter: Option<Filter>,
    pub(crate) time_range: Option<pb::TimeRange>,
    pub(crate) versions: Option<u32>,
    pub(crate) no_cache: bool,
    pub(crate) cells_limit: Option<u32>,
    pub(crate) cells_offset: Option<u32>,
}

impl Columns {
    pub(crate) fn family(&mut self, family: &[u8]) {
        self.columns.retain(|column| column.family != family);
        self.columns.push(pb::Column { family: Bytes::copy_from_slice(family), qualifier: Vec::new() });
    }

    pub(crate) fn column(&mut self, family: &[u8], qualifier: &[u8]) {
        let qualifier = Bytes::copy_from_slice(qualifier);
        match self.columns.iter_mut().find(|column| column.family == family) {
            // The whole family was asked for already.
            Some(column) if column.qualifier.is_empty() => {}
            // Servers take the qualifiers for sorted.
            Some(column) => {
                if let Err(at) = column.qualifier.binary_search(&qualifier) {
                    column.qualifier.insert(at, qualifier);
                }
            }
            None => {
                let family = Bytes::copy_from_slice(family);
                self.columns.push(pb::Column { family, qualifier: vec![qualifier] });
            }
        }
    }

    pub(crate) fn filter(&mut self, filter: &Filter) {
        self.filter = Some(filter.clone());
    }

    pub(crate) fn time_range(&mut self, range: Range<u64>) {
        self.time_range = Some(time_range(range));
    }

    pub(crate) fn to_pb(&self) -> Vec<pb::Column> {
        self.columns.clone()
    }

    /// The number of cells of each family that are read, and of those skipped before. Servers add the two, and have no
    /// numbers beyond those of Java.
    pub(crate) fn cells_to_pb(&self) -> (Option<u32>, Option<u32>) {
        let most = i32::MAX as u32;
        let offset = self.cells_offset.map(|offset| offset.min(most));
        (self.cells_limit.map(|limit| limit.min(most - offset.unwrap_or(0))), offset)
    }

    pub(crate) fn filter_to_pb(&self, reverse: bool) -> Option<pb::Filter> {
        self.filter.as_ref().map(|filter| filter.to_pb(reverse))
    }

    /// `Some(false)` if servers may not put off the families that the filter does not need to decide on a row. They
    /// can't in reverse, and refuse such a filter then; and they take a row for empty if all cells of the others are
    /// skipped.
    pub(crate) fn on_demand_to_pb(&self, reverse: bool) -> Option<bool> {
        (self.filter.is_some() && (reverse || self.cells_offset.is_some())).then_some(false)
    }

    /// The reason why the read is invalid, if it is. Servers refuse some such reads as if a retry could succeed.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        let family = self.columns.iter().find_map(|column| wrong_family(&column.family));
        let filter = self.filter.as_ref().and_then(Filter::wrong);
        let cells = match (self.cells_limit, &self.filter) {
            // Servers read one.
            (Some(0), _) => Some("at most 0 cells of each family are asked for"),
            (Some(_), Some(filter)) if filter.needs_whole_rows() => Some(
                "`cells_per_family` with a filter that needs whole rows (`column_value`, `columns`, `first_cell`): \
                 a server leaves a family behind these cells; `all([…, columns(limit, offset)])` limits a row's columns",
            ),
            _ => None,
        };
        family.or(filter).or(cells).or(self.time_range.as_ref().and_then(wrong_times))
    }
}

pub(crate) fn time_range(range: Range<u64>) -> pb::TimeRange {
    let millis = |time: u64| time.min(i64::MAX as u64);
    pb::TimeRange { from: Some(millis(range.start)), to: Some(millis(range.end)) }
}

/// A range that ends where it begins has no cells, and may be asked for.
pub(crate) fn wrong_times(range: &pb::TimeRange) -> Option<&'static str> {
    (range.from() > range.to()).then_some("a time range ends before it begins")
}

/// The settings that `Get` and `Scan` have in common.
macro_rules! columns {
    () => {
        /// Reads a family. Default: all families.
        #[doc(alias = "addFamily")]
        #[must_use]
        pub fn family(mut self, family: impl AsRef<[u8]>) -> Self {
            self.columns.family(family.as_ref());
            self
        }

        /// Reads a column.
        #[doc(alias = "addColumn")]
        #[must_use]
        pub fn column(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
            self.columns.column(family.as_ref(), qualifier.as_ref());
            self
        }

        /// Reads at most this number of versions of each column. Default: 1.
        #[doc(alias = "readVersions")]
        #[doc(alias = "setMaxVersions")]
        #[must_use]
        pub fn versions(mut self, versions: u32) -> Self {
            self.columns.versions = Some(versions.max(1).min(i32::MAX as u32));
            self
        }

        /// Reads cells whose timestamps, in milliseconds since 1970, are in a range.
        #[doc(alias = "setTimeRange")]
        #[must_use]
        pub fn time_range(mut self, range: ::std::ops::Range<u64>) -> Self {
            self.columns.time_range(range);
            self
        }

        /// Reads the cells that pass this filter.
        #[doc(alias = "setFilter")]
        #[must_use]
        pub fn filter(mut self, filter: &$crate::Filter) -> Self {
            self.columns.filter(filter);
            self
        }

        /// Reads at most `limit` cells of each family, of those that pass the filter.
        ///
        /// Refused: none at all; and a filter with [`column_value`](crate::Filter::column_value),
        /// [`columns`](crate::Filter::columns) or [`first_cell`](crate::Filter::first_cell), which would not see what
        /// follows in the family. `all([…, columns(limit, offset)])` limits the columns of a row.
        #[doc(alias = "setMaxResultsPerColumnFamily")]
        #[must_use]
        pub fn cells_per_family(mut self, limit: u32) -> Self {
            self.columns.cells_limit = Some(limit);
            self
        }

        /// Skips the first `offset` cells of each family, of those that pass the filter.
        #[doc(alias = "setRowOffsetPerColumnFamily")]
        #[must_use]
        pub fn skip_cells_per_family(mut self, offset: u32) -> Self {
            self.columns.cells_offset = Some(offset);
            self
        }

        /// Sets whether the server keeps the blocks that it reads in its cache. Default: true.
        #[doc(alias = "setCacheBlocks")]
        #[must_use]
        pub fn cache_blocks(mut self, cache: bool) -> Self {
            self.columns.no_cache = !cache;
            self
        }
    };
}
pub(crate) use columns;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::filter::{Compare, IfMissing};

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "it is refused")]
    fn what_cannot_be_read_is_told() {
        let wrong = |change: &dyn Fn(&mut Columns)| {
            let mut columns = Columns::default();
            change(&mut columns);
            columns.wrong()
        };
        let filter = |family: &str| Filter::column_value(family, "q", Compare::Equal, "v", IfMissing::Pass);
        let listed =
            |family| Filter::all([Filter::first_cell(), Filter::any([filter(family), Filter::row_prefix("r")])]);
        assert_eq!(wrong(&|columns| columns.column(b"f", b"")), None);
        assert_eq!(wrong(&|columns| columns.time_range(5..5)), None);
        assert_eq!(wrong(&|columns| columns.filter(&listed("f"))), None);
        let family = Some("a family's name is empty");
        assert_eq!(wrong(&|columns| columns.column(b"", b"q")), family);
        assert_eq!(wrong(&|columns| columns.family(b"")), family);
        assert!(wrong(&|columns| columns.family(&[b'f'; 128])).is_some());
        assert_eq!(wrong(&|columns| columns.filter(&filter(""))), family);
        assert_eq!(wrong(&|columns| columns.filter(&listed(""))), family);
        assert!(wrong(&|columns| columns.time_range(5..3)).is_some());
    }

    #[test]
    fn cells_of_a_family_are_limited_where_a_server_can() {
        let limited = |limit, filter: Option<Filter>| {
            let columns =
                Columns { cells_limit: Some(limit), cells_offset: Some(u32::MAX), filter, ..Default::default() };
            (columns.wrong().is_some(), columns.cells_to_pb())
        };
        let most = i32::MAX as u32;
        assert_eq!(limited(u32::MAX, None), (false, (Some(0), Some(most))));
        assert!(limited(0, None).0);
        assert!(!limited(1, Some(Filter::value(Compare::Equal, "v"))).0);
        let value = || Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Pass);
        for whole in [value(), Filter::columns(1, 0), Filter::all([Filter::row_prefix("a"), Filter::first_cell()])] {
            assert!(limited(1, Some(whole)).0);
        }
        let offset = Columns { cells_limit: Some(5), cells_offset: Some(3), ..Default::default() };
        assert_eq!(offset.cells_to_pb(), (Some(5), Some(3)));
    }

    #[test]
    fn families_are_not_put_off_where_a_server_cannot() {
        let of = |filter, cells_offset, reverse| {
            Columns { filter, cells_offset, ..Default::default() }.on_demand_to_pb(reverse)
        };
        let filter = || Some(Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Skip));
        assert_eq!(of(filter(), None, false), None);
        assert_eq!(of(filter(), None, true), Some(false));
        assert_eq!(of(filter(), Some(1), false), Some(false));
        assert_eq!(of(None, Some(1), true), None);
    }

    #[test]
    fn columns_are_sorted_and_a_family_has_all_of_its() {
        let mut columns = Columns::default();
        for (family, qualifier) in [(b"f", b"b"), (b"g", b"x"), (b"f", b"a"), (b"f", b"b")] {
            columns.column(family, qualifier);
        }
        columns.family(b"g");
        columns.column(b"g", b"y");
        let read: Vec<_> = columns.to_pb().into_iter().map(|column| (column.family, column.qualifier)).collect();
        assert_eq!(read, [("f".into(), vec!["a".into(), "b".into()]), ("g".into(), vec![])]);
    }
}
