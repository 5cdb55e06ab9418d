//! Filters: what is asked for (`tree`, `keys`, `row_pattern`), and of which classes of HBase it is built (`encode`).

mod encode;
mod keys;
mod row_pattern;
mod tree;

use std::ops::{Bound, Range, RangeBounds};

use bytes::Bytes;

pub(crate) use self::encode::binary;
use self::keys::{Keys, prefix_end};
pub use self::row_pattern::RowPattern;
use self::tree::{ColumnValue, Node, QualifierRange};
use crate::model::names::wrong_family;
use crate::pb;

/// The rows without the column of a [`Filter::column_value`].
#[doc(alias = "setFilterIfMissing")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IfMissing {
    /// They pass.
    Pass,
    /// They are skipped.
    Skip,
}

/// A filter of rows and cells, evaluated by the region server.
///
/// A filter sees the cells that are read: of the families and columns, and in the time range, of the
/// [`Get`](crate::Get) or [`Scan`](crate::Scan), and of each column as many versions as its family keeps, the newest
/// first. The number of [`versions`](crate::Scan::versions) counts what passes: with one version, `value(Equal, "old")`
/// passes an older cell of a column whose newest value is another one. `all([columns(u32::MAX, 0), value(Equal,
/// "old")])` looks at the newest alone.
///
/// It means the same in a get, in a scan, and in reverse, alone and in [`all`](Self::all) and [`any`](Self::any).
/// HBase's own lists of filters do not: there a filter that seeks to the next column, family or row passes over cells
/// that another one had to see, and over the markers of deletes, so that deleted cells come back. So the classes of
/// HBase that a filter is sent as may be others than in Java, and what would be wrong with any of them is an error of
/// the kind [`Invalid`](crate::ErrorKind::Invalid) when it is used.
///
/// ```
/// use hbase_client::{Compare, Filter, IfMissing, Scan};
///
/// let visits = Filter::column_value("f", "state", Compare::Equal, "open", IfMissing::Skip);
/// let columns = Filter::any([Filter::qualifier_prefix("page:"), Filter::qualifier(Compare::Equal, "title")]);
/// let scan = Scan::new().filter(&Filter::all([visits, columns]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Filter(Node);

/// A comparison operator. `Less` matches values less than the operand.
#[doc(alias = "CompareOperator")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Less than the operand.
    Less,
    /// Less than the operand, or equal to it.
    LessOrEqual,
    /// Equal to the operand.
    Equal,
    /// Not equal to the operand.
    NotEqual,
    /// Greater than the operand, or equal to it.
    GreaterOrEqual,
    /// Greater than the operand.
    Greater,
}

impl Compare {
    /// For filters, which ask how the cell is to the value.
    fn of_cell(self) -> pb::CompareType {
        match self {
            Self::Less => pb::CompareType::Less,
            Self::LessOrEqual => pb::CompareType::LessOrEqual,
            Self::Equal => pb::CompareType::Equal,
            Self::NotEqual => pb::CompareType::NotEqual,
            Self::GreaterOrEqual => pb::CompareType::GreaterOrEqual,
            Self::Greater => pb::CompareType::Greater,
        }
    }

    /// For conditions, which ask how the value is to the cell.
    pub(crate) fn of_value(self) -> pb::CompareType {
        match self {
            Self::Less => pb::CompareType::Greater,
            Self::LessOrEqual => pb::CompareType::GreaterOrEqual,
            Self::GreaterOrEqual => pb::CompareType::LessOrEqual,
            Self::Greater => pb::CompareType::Less,
            Self::Equal | Self::NotEqual => self.of_cell(),
        }
    }
}

fn bytes(bytes: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(bytes.as_ref())
}

impl Filter {
    pub(crate) fn to_pb(&self, reverse: bool) -> pb::Filter {
        encode::encode(&self.0, reverse)
    }

    /// The reason why the filter is invalid, if it is.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        self.0.wrong()
    }

    /// Returns whether the filter has another meaning where a server leaves a family before its end.
    pub(crate) fn needs_whole_rows(&self) -> bool {
        self.0.needs_whole_rows()
    }

    /// Applies one filter after the other: each sees what those before it let pass. Without any, everything passes.
    ///
    /// The order matters to what counts, [`columns`](Self::columns) and [`first_cell`](Self::first_cell):
    /// `all([qualifier_prefix("a"), columns(3, 0)])` passes three columns that begin with `a`. Filters of rows see the
    /// whole row, wherever they stand.
    ///
    /// [`column_value`](Self::column_value) makes the other filters of its list read each cell of a row, without
    /// seeking.
    #[doc(alias = "FilterList")]
    #[doc(alias = "MUST_PASS_ALL")]
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self(Node::all(filters.into_iter().map(|filter| filter.0)))
    }

    /// Passes what one or more of these pass. Without any, nothing passes.
    ///
    /// Filters in it do not seek: each row, and each of its cells, is read unless none of them has a use for it. Of row
    /// keys alone ([`row`](Self::row), [`row_prefix`](Self::row_prefix), [`row_ranges`](Self::row_ranges)) it is as
    /// fast as `row_ranges`; of ranges of qualifiers alone it reads from the first to the last of them.
    ///
    /// Refused: [`column_value`](Self::column_value) beside a filter of cells, as HBase decides on a row only when its
    /// cells have passed. `all([column_value, any(cells)])` is possible, and `any` of several `column_value` and
    /// filters of rows.
    #[doc(alias = "FilterList")]
    #[doc(alias = "MUST_PASS_ONE")]
    pub fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self(Node::any(filters.into_iter().map(|filter| filter.0)))
    }

    /// Passes rows whose key begins with a prefix. It goes straight to them.
    #[doc(alias = "PrefixFilter")]
    pub fn row_prefix(prefix: impl AsRef<[u8]>) -> Self {
        Self(Node::Keys(Keys::prefix(prefix.as_ref())))
    }

    /// Passes rows by their key. It goes straight to them.
    #[doc(alias = "RowFilter")]
    pub fn row(compare: Compare, key: impl AsRef<[u8]>) -> Self {
        Self(Node::Keys(Keys::compared(compare, key.as_ref())))
    }

    /// Passes rows whose key is in one of these ranges: `row_ranges(["a".."c", "x"..""])`. An empty end is the table's.
    /// It goes from range to range.
    ///
    /// Refused: no range at all, and a range that ends before it begins.
    #[doc(alias = "MultiRowRangeFilter")]
    pub fn row_ranges<K: AsRef<[u8]>>(ranges: impl IntoIterator<Item = Range<K>>) -> Self {
        let mut sets = Vec::new();
        for Range { start, end } in ranges {
            let (start, end) = (start.as_ref(), Some(end.as_ref()).filter(|end| !end.is_empty()));
            if end.is_some_and(|end| end < start) {
                return Self(Node::Wrong("a filter: a range of rows ends before it begins"));
            }
            sets.push(Keys::range(start, end));
        }
        Self(if sets.is_empty() { Node::Wrong("a filter: no ranges of rows") } else { Node::Keys(Keys::union(sets)) })
    }

    /// Passes rows whose key begins with one of these patterns. A key that is shorter than the pattern does not pass.
    ///
    /// Alone, or in [`all`](Self::all) without other filters of row keys, it goes from match to match; elsewhere, and
    /// in reverse, each key is looked at.
    ///
    /// Refused: no pattern at all, one without a byte, and one with [any](RowPattern::any) bytes past its end.
    #[doc(alias = "FuzzyRowFilter")]
    pub fn fuzzy_row(patterns: impl IntoIterator<Item = RowPattern>) -> Self {
        Self(match patterns.into_iter().map(RowPattern::checked).collect::<Result<Vec<_>, _>>() {
            Ok(patterns) if patterns.is_empty() => Node::Wrong("a filter: no patterns of rows"),
            Ok(patterns) => Node::Fuzzy(patterns),
            Err(wrong) => Node::Wrong(wrong),
        })
    }

    /// Passes cells by their family. Others are skipped without being read.
    #[doc(alias = "FamilyFilter")]
    pub fn family(compare: Compare, family: impl AsRef<[u8]>) -> Self {
        Self(Node::Family(compare, bytes(family)))
    }

    /// Passes cells by their qualifier. The server reads all cells: [`qualifier_range`](Self::qualifier_range) and
    /// [`qualifier_prefix`](Self::qualifier_prefix) can be faster in long rows, and
    /// [`column`](crate::Scan::column) is if the columns are known.
    #[doc(alias = "QualifierFilter")]
    pub fn qualifier(compare: Compare, qualifier: impl AsRef<[u8]>) -> Self {
        Self(Node::Qualifier(compare, bytes(qualifier)))
    }

    /// Passes cells whose qualifier begins with a prefix: a [`qualifier_range`](Self::qualifier_range), as fast as
    /// that.
    #[doc(alias = "ColumnPrefixFilter")]
    pub fn qualifier_prefix(prefix: impl AsRef<[u8]>) -> Self {
        let prefix = prefix.as_ref();
        Self(Node::QualifierRange(QualifierRange {
            from: Some((bytes(prefix), true)),
            to: prefix_end(prefix).map(|end| (end, false)),
        }))
    }

    /// Passes cells whose qualifier is in a range: `qualifier_range("a".."c")`.
    ///
    /// Alone, and in [`all`](Self::all), it goes straight to the first of them (in reverse it reads those before it, as
    /// HBase does), and reads none behind the last one. It reads all cells of a row in [`any`](Self::any), beside
    /// [`column_value`](Self::column_value), and behind [`columns`](Self::columns), [`first_cell`](Self::first_cell)
    /// and [`custom`](Self::custom).
    #[doc(alias = "ColumnRangeFilter")]
    pub fn qualifier_range<Q: AsRef<[u8]>>(range: impl RangeBounds<Q>) -> Self {
        let end = |end: Bound<&Q>| match end {
            Bound::Included(at) => Some((bytes(at), true)),
            Bound::Excluded(at) => Some((bytes(at), false)),
            Bound::Unbounded => None,
        };
        let (from, to) = (end(range.start_bound()), end(range.end_bound()));
        Self(Node::QualifierRange(QualifierRange { from, to }))
    }

    /// Passes the newest cells of at most `limit` columns of each row, after skipping `offset`. It reads no further.
    #[doc(alias = "ColumnPaginationFilter")]
    pub fn columns(limit: u32, offset: u32) -> Self {
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        // Servers add them.
        let (limit, offset) = (number(limit), number(offset));
        Self(Node::Columns { limit: limit.min(i32::MAX - offset), offset })
    }

    /// Passes cells by their value, of each version by itself.
    #[doc(alias = "ValueFilter")]
    pub fn value(compare: Compare, value: impl AsRef<[u8]>) -> Self {
        Self(Node::Value(compare, bytes(value)))
    }

    /// Passes rows by the newest value of one column among the cells that are read: a column or family that is not read
    /// is missing.
    ///
    /// Refused: an empty family.
    #[doc(alias = "SingleColumnValueFilter")]
    pub fn column_value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        compare: Compare,
        value: impl AsRef<[u8]>,
        if_missing: IfMissing,
    ) -> Self {
        if let Some(wrong) = wrong_family(family.as_ref()) {
            return Self(Node::Wrong(wrong));
        }
        let (family, qualifier, value) = (bytes(family), bytes(qualifier), bytes(value));
        let if_missing = if_missing == IfMissing::Pass;
        Self(Node::ColumnValue(ColumnValue { family, qualifier, compare, value, if_missing }))
    }

    /// Passes the first cell of each row. It reads no more of a family than that.
    #[doc(alias = "FirstKeyOnlyFilter")]
    pub fn first_cell() -> Self {
        Self(Node::FirstCell)
    }

    /// Passes cells with one of these timestamps, in milliseconds since 1970. In a list it stands as a filter of cells.
    ///
    /// A server asks filters before it counts versions: an older version passes although a newer one does not. To ask
    /// whether the newest one has a timestamp, put [`first_cell`](Self::first_cell) of its column before it.
    ///
    /// Refused: none, and one over `i64::MAX`.
    #[doc(alias = "TimestampsFilter")]
    pub fn timestamps(timestamps: impl IntoIterator<Item = u64>) -> Self {
        let timestamps: Result<Vec<i64>, _> = timestamps.into_iter().map(i64::try_from).collect();
        match timestamps {
            Ok(timestamps) if !timestamps.is_empty() => {
                let message = pb::TimestampsFilter { timestamps, can_hint: None };
                Self::custom("org.apache.hadoop.hbase.filter.TimestampsFilter", prost::Message::encode_to_vec(&message))
            }
            Ok(_) => Self(Node::Wrong("a filter: no timestamps")),
            Err(_) => Self(Node::Wrong("a filter: a timestamp over i64::MAX")),
        }
    }

    /// Passes all cells, without their values. Other filters still see these.
    #[doc(alias = "KeyOnlyFilter")]
    pub fn no_values() -> Self {
        Self(Node::NoValues)
    }

    /// Makes a filter of any class that the servers have: its full name in Java, and its message as Java's
    /// `toByteArray` gives it.
    ///
    /// It is sent as it is. Alone it does what HBase does. In a list it stands as a filter of cells: in an
    /// [`all`](Self::all) it sees what those before it let pass, but where it seeks, the other filters of the list do
    /// not see the cells between; and an [`any`](Self::any) does not know whether it drops a row. A class that the
    /// servers do not have is their error.
    ///
    /// ```
    /// # use hbase_client::Filter;
    /// // The first ten rows of each region. The message has one field, a number.
    /// let page = Filter::custom("org.apache.hadoop.hbase.filter.PageFilter", [0x08, 10]);
    /// ```
    ///
    /// Refused: an empty name.
    pub fn custom(class: impl Into<String>, message: impl AsRef<[u8]>) -> Self {
        let class = class.into();
        if class.is_empty() {
            return Self(Node::Wrong("a filter: the name of its class is empty"));
        }
        Self(Node::Custom { class, message: bytes(message) })
    }
}
