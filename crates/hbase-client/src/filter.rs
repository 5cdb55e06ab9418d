use bytes::Bytes;
use prost::Message;

use crate::columns::wrong_family;
use crate::pb;

/// What the server leaves out of rows before it sends them.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    message: pb::Filter,
    wrong: Option<&'static str>,
}

/// How something is compared with a given value. `Less` is met by what is less than the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Less than the value.
    Less,
    /// At most the value.
    LessOrEqual,
    /// The value itself.
    Equal,
    /// Anything else.
    NotEqual,
    /// At least the value.
    GreaterOrEqual,
    /// Greater than the value.
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

pub(crate) fn binary(value: &[u8]) -> pb::Comparator {
    let comparable = pb::ByteArrayComparable { value: Some(Bytes::copy_from_slice(value)) };
    pb::Comparator {
        name: "org.apache.hadoop.hbase.filter.BinaryComparator".into(),
        serialized_comparator: Some(pb::BinaryComparator { comparable }.encode_to_vec().into()),
    }
}

fn bytes(bytes: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(bytes.as_ref())
}

impl Filter {
    fn new(class: &str, message: &impl Message) -> Self {
        let name = format!("org.apache.hadoop.hbase.filter.{class}");
        let message = pb::Filter { name, serialized_filter: Some(message.encode_to_vec().into()) };
        Self { message, wrong: None }
    }

    fn compared(class: &str, compare: Compare, value: impl AsRef<[u8]>) -> Self {
        let compare_op = compare.of_cell().into();
        let compare_filter = pb::CompareFilter { compare_op, comparator: Some(binary(value.as_ref())) };
        Self::new(class, &pb::ComparedFilter { compare_filter })
    }

    fn list(operator: pb::filter_list::Operator, filters: impl IntoIterator<Item = Self>) -> Self {
        let (filters, wrong): (Vec<_>, Vec<_>) =
            filters.into_iter().map(|filter| (filter.message, filter.wrong)).unzip();
        let list = Self::new("FilterList", &pb::FilterList { operator: operator.into(), filters });
        Self { wrong: wrong.into_iter().flatten().next(), ..list }
    }

    pub(crate) fn to_pb(&self) -> pb::Filter {
        self.message.clone()
    }

    /// What is wrong with it, if so.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        self.wrong
    }

    /// What passes all of these.
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::list(pb::filter_list::Operator::MustPassAll, filters)
    }

    /// What passes one of these.
    pub fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::list(pb::filter_list::Operator::MustPassOne, filters)
    }

    /// Rows whose key begins so. A scan still starts where it is told to.
    pub fn row_prefix(prefix: impl AsRef<[u8]>) -> Self {
        Self::new("PrefixFilter", &pb::PrefixFilter { prefix: Some(bytes(prefix)) })
    }

    /// Rows by their key.
    pub fn row(compare: Compare, key: impl AsRef<[u8]>) -> Self {
        Self::compared("RowFilter", compare, key)
    }

    /// Rows whose key is in one of these ranges: from a key up to, and without, another. An empty end is the table's.
    pub fn row_ranges<K: AsRef<[u8]>>(ranges: impl IntoIterator<Item = (K, K)>) -> Self {
        let range = |(start, end): (K, K)| pb::RowRange {
            start_row: Some(bytes(start)),
            start_row_inclusive: Some(true),
            stop_row: Some(bytes(end)),
            stop_row_inclusive: Some(false),
        };
        let row_range_list = ranges.into_iter().map(range).collect();
        Self::new("MultiRowRangeFilter", &pb::MultiRowRangeFilter { row_range_list })
    }

    /// Rows whose key has these bytes; where the mask is 1, any byte. Keys shorter than the pattern may come too.
    pub fn fuzzy_row<K: AsRef<[u8]>>(patterns: impl IntoIterator<Item = (K, K)>) -> Self {
        let pair = |(key, mask)| pb::BytesBytesPair { first: bytes(key), second: bytes(mask) };
        let fuzzy_keys_data = patterns.into_iter().map(pair).collect();
        Self::new("FuzzyRowFilter", &pb::FuzzyRowFilter { fuzzy_keys_data })
    }

    /// Cells by their family.
    pub fn family(compare: Compare, family: impl AsRef<[u8]>) -> Self {
        Self::compared("FamilyFilter", compare, family)
    }

    /// Cells by their qualifier.
    pub fn qualifier(compare: Compare, qualifier: impl AsRef<[u8]>) -> Self {
        Self::compared("QualifierFilter", compare, qualifier)
    }

    /// Cells whose qualifier begins so.
    pub fn qualifier_prefix(prefix: impl AsRef<[u8]>) -> Self {
        Self::new("ColumnPrefixFilter", &pb::ColumnPrefixFilter { prefix: bytes(prefix) })
    }

    /// Cells whose qualifier is in a range, each end with whether it belongs to it. `None` is no end.
    pub fn qualifier_range(from: Option<(&[u8], bool)>, to: Option<(&[u8], bool)>) -> Self {
        Self::new(
            "ColumnRangeFilter",
            &pb::ColumnRangeFilter {
                min_column: from.map(|(from, _)| bytes(from)),
                min_column_inclusive: Some(from.is_none_or(|(_, inclusive)| inclusive)),
                max_column: to.map(|(to, _)| bytes(to)),
                max_column_inclusive: Some(to.is_some_and(|(_, inclusive)| inclusive)),
            },
        )
    }

    /// So many columns of a row, after as many others.
    pub fn columns(limit: u32, offset: u32) -> Self {
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let (limit, offset) = (number(limit), Some(number(offset)));
        Self::new("ColumnPaginationFilter", &pb::ColumnPaginationFilter { limit, offset, column_offset: None })
    }

    /// Cells by their value.
    pub fn value(compare: Compare, value: impl AsRef<[u8]>) -> Self {
        Self::compared("ValueFilter", compare, value)
    }

    /// Rows by the newest value of one column, which the scan must read. `if_missing`: whether rows without it pass.
    pub fn column_value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        compare: Compare,
        value: impl AsRef<[u8]>,
        if_missing: bool,
    ) -> Self {
        let wrong = wrong_family(family.as_ref());
        let filter = Self::new(
            "SingleColumnValueFilter",
            &pb::SingleColumnValueFilter {
                column_family: Some(bytes(family)),
                column_qualifier: Some(bytes(qualifier)),
                compare_op: compare.of_cell().into(),
                comparator: binary(value.as_ref()),
                filter_if_missing: Some(!if_missing),
                latest_version_only: Some(true),
            },
        );
        Self { wrong, ..filter }
    }

    /// The first cell of each row.
    pub fn first_cell() -> Self {
        Self::new("FirstKeyOnlyFilter", &pb::FirstKeyOnlyFilter {})
    }

    /// Cells without their values.
    pub fn no_values() -> Self {
        Self::new("KeyOnlyFilter", &pb::KeyOnlyFilter { len_as_val: false })
    }
}
