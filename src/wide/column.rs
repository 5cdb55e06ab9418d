//! Columns: names, selections, conditions.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::{Bound, RangeBounds};

use crate::keys::error::Printable;
use crate::keys::range::KeyRange;

/// The name of a column: family and qualifier.
///
/// From text it is `family:qualifier`, split at the first colon. Text without a colon is the family's column with the
/// empty qualifier. If the qualifier is not text, or is a derived key, use a pair.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::wide::Column;
///
/// let japan = Column::from("a:jp");
/// assert_eq!((japan.family.as_str(), japan.qualifier.as_slice()), ("a", &b"jp"[..]));
/// assert_eq!(Column::from(("index", (7u8, "x").encode())).to_string(), r"index:\x07x\x00");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// The family.
    pub family: String,
    /// The qualifier, which may be empty.
    pub qualifier: Vec<u8>,
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        let (family, qualifier) = name.split_once(':').unwrap_or((name, ""));
        Self::from((family, qualifier))
    }
}

impl From<String> for Column {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<&String> for Column {
    fn from(name: &String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<&Column> for Column {
    fn from(column: &Column) -> Self {
        column.clone()
    }
}

impl<F: Into<String>, Q: Into<Vec<u8>>> From<(F, Q)> for Column {
    fn from((family, qualifier): (F, Q)) -> Self {
        Self { family: family.into(), qualifier: qualifier.into() }
    }
}

/// `family:qualifier`; bytes other than printable ASCII are written as `\x00`.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family, Printable(&self.qualifier))
    }
}

/// A comparison of values, byte by byte: the stored value on the left, the given one on the right.
#[doc(alias = "CompareOperator")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// stored < given
    Less,
    /// stored ≤ given
    LessOrEqual,
    /// stored = given
    Equal,
    /// stored ≠ given
    NotEqual,
    /// stored ≥ given
    GreaterOrEqual,
    /// stored > given
    Greater,
}

impl Compare {
    /// Returns whether the comparison holds for `stored` and `given`.
    pub fn holds(self, stored: &[u8], given: &[u8]) -> bool {
        match self {
            Self::Less => stored < given,
            Self::LessOrEqual => stored <= given,
            Self::Equal => stored == given,
            Self::NotEqual => stored != given,
            Self::GreaterOrEqual => stored >= given,
            Self::Greater => stored > given,
        }
    }
}

/// A condition on the newest version of a column.
#[doc(alias = "filter")]
#[doc(alias = "checkAndPut")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The column.
    pub column: Column,
    /// The comparison that the value must pass. `None`: the column must be absent.
    pub value: Option<(Compare, Vec<u8>)>,
}

impl Condition {
    /// The column is absent from the row.
    pub fn absent(column: impl Into<Column>) -> Self {
        Self { column: column.into(), value: None }
    }

    /// The column is present and its value passes the comparison. An absent column never does.
    pub fn value(column: impl Into<Column>, compare: Compare, given: impl Into<Vec<u8>>) -> Self {
        Self { column: column.into(), value: Some((compare, given.into())) }
    }

    /// The column has this value.
    pub fn equal(column: impl Into<Column>, value: impl Into<Vec<u8>>) -> Self {
        Self::value(column, Compare::Equal, value)
    }

    /// Returns whether the condition holds, given the value of the column's newest version.
    pub fn holds(&self, stored: Option<&[u8]>) -> bool {
        match (&self.value, stored) {
            (None, stored) => stored.is_none(),
            (Some(_), None) => false,
            (Some((compare, given)), Some(stored)) => compare.holds(stored, given),
        }
    }
}

/// The columns to read of a row, and their versions. Default: all columns, the newest version of each.
#[doc(alias = "Get")]
#[doc(alias = "filter")]
///
/// ```
/// use rowkey::wide::Columns;
///
/// // In family `visits` the qualifiers with prefix `2011-`, and one column of `user`; three versions of each.
/// let columns = Columns::all().qualifier_prefix("visits", "2011-").column("user:name").versions(3);
/// # let _ = columns;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Columns {
    /// Computed from `chosen` and `after`, and only changed by `choose`.
    families: BTreeMap<String, Vec<KeyRange>>,
    /// Maximum number of versions per column, newest first. Never more than the family keeps, if the store
    /// declares [`kept_on_read`](super::WideGuarantees::kept_on_read).
    pub versions: u32,
    /// Only versions with a timestamp in this range: start inclusive, end exclusive. See
    /// [`Self::time`](Columns::time()).
    pub time: Option<(i64, i64)>,
    /// Only versions whose value passes this comparison.
    pub value: Option<(Compare, Vec<u8>)>,
    /// Only rows for which this condition holds.
    pub rows_where: Option<Condition>,
    /// Only the first cell of each row: to count rows, or to read their keys.
    pub first_only: bool,
    /// Number of columns to skip.
    pub offset: u64,
    /// Maximum number of columns.
    pub limit: Option<u64>,
    /// Maximum number of cells at a time: a scan returns a larger row in several pieces under one key.
    pub piece: Option<NonZeroUsize>,
    chosen: BTreeMap<String, Vec<KeyRange>>,
    after: BTreeMap<String, Vec<u8>>,
}

impl Default for Columns {
    fn default() -> Self {
        Self::all()
    }
}

impl Columns {
    /// All columns, the newest version of each.
    pub const fn all() -> Self {
        Self {
            families: BTreeMap::new(),
            versions: 1,
            time: None,
            value: None,
            rows_where: None,
            first_only: false,
            offset: 0,
            limit: None,
            piece: None,
            chosen: BTreeMap::new(),
            after: BTreeMap::new(),
        }
    }

    /// One column.
    pub fn of(column: impl Into<Column>) -> Self {
        Self::all().column(column)
    }

    /// The ranges of qualifiers to read, by family. Without families, all columns of all families are read. For authors
    /// of engines.
    ///
    /// A family's ranges are sorted and merged, and begin after the qualifier of [`Self::after_qualifier`]. A family
    /// and one of its columns together are the whole family. A family with an empty list is not read.
    ///
    /// ```
    /// use rowkey::KeyRange;
    /// use rowkey::wide::Columns;
    ///
    /// let columns = Columns::of("a:y").column("a:x").column("b:q").family("b");
    /// assert_eq!(columns.families()["a"], [KeyRange::point("x"), KeyRange::point("y")]);
    /// assert_eq!(columns.families()["b"], [KeyRange::all()]);
    /// ```
    pub const fn families(&self) -> &BTreeMap<String, Vec<KeyRange>> {
        &self.families
    }

    /// Adds all columns of a family.
    #[must_use]
    pub fn family(self, family: impl Into<String>) -> Self {
        self.qualifiers_in(family, [KeyRange::all()])
    }

    /// Adds a column.
    #[must_use]
    pub fn column(self, column: impl Into<Column>) -> Self {
        let Column { family, qualifier } = column.into();
        self.qualifiers_in(family, [KeyRange::point(qualifier)])
    }

    /// Adds the columns of a family whose qualifiers begin with `prefix`.
    #[doc(alias = "ColumnPrefixFilter")]
    #[must_use]
    pub fn qualifier_prefix(self, family: impl Into<String>, prefix: impl Into<Vec<u8>>) -> Self {
        self.qualifiers_in(family, [KeyRange::prefix(prefix)])
    }

    /// Adds the columns of a family whose qualifiers are in a range, such as `"m".."n"`.
    #[doc(alias = "ColumnRangeFilter")]
    #[must_use]
    pub fn qualifier_range<Q: AsRef<[u8]>>(self, family: impl Into<String>, range: impl RangeBounds<Q>) -> Self {
        let after = |bytes: &[u8]| [bytes, b"\0"].concat();
        let start = match range.start_bound() {
            Bound::Included(start) => start.as_ref().to_vec(),
            Bound::Excluded(start) => after(start.as_ref()),
            Bound::Unbounded => Vec::new(),
        };
        let end = match range.end_bound() {
            Bound::Included(end) => Some(after(end.as_ref())),
            Bound::Excluded(end) => Some(end.as_ref().to_vec()),
            Bound::Unbounded => None,
        };
        self.qualifiers_in(family, KeyRange::new(start, end))
    }

    /// Keeps only qualifiers greater than `qualifier` in this family: use it to read the next page of a wide row.
    #[doc(alias = "ColumnPaginationFilter")]
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new());
    /// let table = Cells::open(&Memory::new(), "table", &schema)?;
    /// let columns = (0..120).fold(Mutation::new(), |m, n| m.put(format!("a:x{n:03}"), "").put(format!("a:y{n:03}"), ""));
    /// table.mutate(b"row", &columns)?;
    ///
    /// // Qualifiers with prefix `x`, 50 at a time.
    /// let some = || Columns::all().qualifier_prefix("a", "x").limit(50);
    /// let (mut pages, mut page) = (0, table.get(b"row", &some())?);
    /// while let Some(last) = page.cells().last() {
    ///     pages += 1;
    ///     page = table.get(b"row", &some().after_qualifier("a", last.qualifier))?;
    /// }
    /// assert_eq!(pages, 3);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub fn after_qualifier(mut self, family: impl Into<String>, qualifier: impl Into<Vec<u8>>) -> Self {
        let (family, qualifier) = (family.into(), qualifier.into());
        let after = self.after.entry(family.clone()).or_default();
        if *after < qualifier {
            *after = qualifier;
        }
        self.choose(family)
    }

    /// Adds the columns of a family whose qualifiers are in these ranges. For qualifiers that are derived keys, take a
    /// prefix's [`ranges`](crate::Select::ranges).
    ///
    /// ```
    /// use rowkey::wide::Columns;
    /// use rowkey::{RowKey, Select};
    ///
    /// /// An index column of an inbox, newest first.
    /// #[derive(RowKey)]
    /// struct From<'a> {
    ///     sender: &'a str,
    ///     #[rowkey(desc)]
    ///     at: i64,
    /// }
    ///
    /// let columns = Columns::all().qualifiers_in("index", From::prefix().sender("ada").ranges());
    /// # let _ = columns;
    /// ```
    #[must_use]
    pub fn qualifiers_in(mut self, family: impl Into<String>, ranges: impl IntoIterator<Item = KeyRange>) -> Self {
        let family = family.into();
        let chosen = self.chosen.entry(family.clone()).or_default();
        chosen.extend(ranges);
        *chosen = KeyRange::merged(std::mem::take(chosen));
        self.choose(family)
    }

    /// Computes a family's ranges from what is chosen of it, and from where it starts.
    fn choose(mut self, family: String) -> Self {
        let mut ranges = self.chosen.get(&family).cloned().unwrap_or_else(|| vec![KeyRange::all()]);
        if let Some(after) = self.after.get(&family) {
            let rest = KeyRange::after(after.as_slice());
            ranges = ranges.iter().filter_map(|range| range.intersect(&rest)).collect();
        }
        self.families.insert(family, ranges);
        self
    }

    /// Maximum number of versions per column, newest first. Default: 1.
    #[must_use]
    pub const fn versions(mut self, versions: u32) -> Self {
        self.versions = versions;
        self
    }

    /// Keeps only versions with a timestamp in `start..end`, in milliseconds since 1970. `end` is exclusive, so no
    /// range contains a version at `i64::MAX`.
    ///
    /// The range applies before versions are counted: a read of one version returns the newest version in the range,
    /// not the newest of all. The family's [`max_versions`](super::FamilySchema::max_versions) and
    /// [`min_versions`](super::FamilySchema::min_versions) count within the range, too, so a version that newer ones
    /// have replaced is returned until it is purged. Deletes hide versions whether the deletes are in the range or not.
    /// A condition ([`Self::rows_where`]) looks at the newest version of all.
    ///
    /// ```
    /// use rowkey::Memory;
    /// use rowkey::wide::{Cells, Columns, FamilySchema, Mutation, TableSchema, WideStore};
    ///
    /// let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(3));
    /// let table = Cells::open(&Memory::new(), "table", &schema)?;
    /// for at in [10, 20, 30] {
    ///     table.mutate(b"row", &Mutation::new().put_at("a:q", at, ""))?;
    /// }
    /// let times = |columns: Columns| -> rowkey::Result<Vec<i64>> {
    ///     Ok(table.get(b"row", &columns)?.cells().map(|cell| cell.timestamp).collect())
    /// };
    /// assert_eq!(times(Columns::all().time(10..30))?, [20]);
    /// assert_eq!(times(Columns::all().time(10..30).versions(9))?, [20, 10]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[must_use]
    pub const fn time(mut self, time: std::ops::Range<i64>) -> Self {
        self.time = Some((time.start, time.end));
        self
    }

    /// Keeps only versions whose value passes this comparison.
    #[doc(alias = "ValueFilter")]
    #[must_use]
    pub fn value(mut self, compare: Compare, given: impl Into<Vec<u8>>) -> Self {
        self.value = Some((compare, given.into()));
        self
    }

    /// Keeps only rows for which a condition on a column holds, whether that column is read or not. Stores differ in
    /// what the condition [looks at](super::WideGuarantees::row_conditions). If the column is read, without a time
    /// range, the condition means the same on all.
    #[doc(alias = "SingleColumnValueFilter")]
    #[must_use]
    pub fn rows_where(mut self, check: Condition) -> Self {
        self.rows_where = Some(check);
        self
    }

    /// Reads only the first cell of each row: to count rows, or to read their keys.
    #[doc(alias = "FirstKeyOnlyFilter")]
    #[must_use]
    pub const fn first_only(mut self) -> Self {
        self.first_only = true;
        self
    }

    /// Skips this many columns. They are still read, so [`Self::after_qualifier`] with a page's last column is cheaper.
    /// About columns with several versions see [`Self::limit`].
    #[must_use]
    pub const fn offset(mut self, columns: u64) -> Self {
        self.offset = columns;
        self
    }

    /// Maximum number of columns. Stores differ in [how many versions](super::WideGuarantees::page_versions) of each
    /// column a page has, and in how they [count the empty qualifier](super::WideGuarantees::page_empty_qualifier).
    #[must_use]
    pub const fn limit(mut self, columns: u64) -> Self {
        self.limit = Some(columns);
        self
    }

    /// Maximum number of cells at a time, at least one: a scan returns a larger row in several pieces under one key.
    /// Together with a condition ([`Self::rows_where`]) this needs a store that
    /// [supports both](super::WideGuarantees::pieces_under_conditions).
    #[doc(alias = "setBatch")]
    #[must_use]
    pub const fn piece(mut self, cells: usize) -> Self {
        self.piece = Some(match NonZeroUsize::new(cells) {
            Some(cells) => cells,
            None => NonZeroUsize::MIN,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_at_its_first_colon() {
        for (text, family, qualifier) in [("a:jp", "a", "jp"), ("a", "a", ""), ("a:", "a", ""), ("a:b:c", "a", "b:c")] {
            assert_eq!(Column::from(text), Column::from((family, qualifier)));
        }
        assert_eq!(Column::from(("a", b"\\\xff ".to_vec())).to_string(), r"a:\x5c\xff ");
    }

    #[test]
    fn ranges_of_a_family_add_up() {
        let columns = Columns::of("a:x").qualifier_range("a", "b"..="x").qualifier_range("b", "c".."c");
        assert_eq!(columns.families["a"], [KeyRange::new("b", Some("x\0")).unwrap()]);
        assert_eq!(columns.families["b"], []);
        let of_both = [Columns::of("a:x").family("a"), Columns::all().family("a").column("a:x")];
        assert!(of_both.iter().all(|columns| columns.families()["a"] == [KeyRange::all()]));
    }

    #[test]
    fn what_is_added_does_not_take_away() {
        let ranges = |columns: &Columns| columns.families()["a"].clone();
        let x = KeyRange::point("x");
        for added in ["", "w", "x", "xx", "y"] {
            let columns = Columns::of("a:x").column(("a", added));
            assert!(ranges(&columns).iter().any(|range| range.intersect(&x).as_ref() == Some(&x)), "{added}");
            let cut = columns.after_qualifier("a", "a").column("a:z");
            assert!(cut.families()["a"].iter().any(|range| range.contains(b"x")), "{added}");
        }
        assert_eq!(Columns::all().piece(0), Columns::all().piece(1));
    }

    #[test]
    fn what_is_chosen_is_cut_behind_a_qualifier() {
        let chosen = Columns::all().qualifier_prefix("a", "x").qualifier_range("a", "z"..).column("b:q");
        for (behind, left) in [
            ("", vec![KeyRange::prefix("x"), KeyRange::from_start("z")]),
            ("x1", vec![KeyRange::new("x1\0", Some("y")).unwrap(), KeyRange::from_start("z")]),
            ("y", vec![KeyRange::from_start("z")]),
            ("zz", vec![KeyRange::after("zz")]),
        ] {
            let columns = chosen.clone().after_qualifier("a", behind);
            assert_eq!(columns.families["a"], left, "{behind}");
            assert_eq!(columns.families["b"], chosen.families["b"]);
            // In any order.
            let first = Columns::all().after_qualifier("a", behind).after_qualifier("a", "");
            let same = first.qualifier_prefix("a", "x").column("b:q").qualifier_range("a", "z"..);
            assert_eq!(same.families, columns.families);
        }
        // Nothing is left, which is not the same as the whole family.
        let columns = Columns::of("a:q").after_qualifier("a", "q").after_qualifier("a", "");
        assert_eq!(columns.families["a"], []);
        let rest = Columns::all().after_qualifier("a", "q");
        assert_eq!(rest.families["a"], [KeyRange::after("q")]);
    }
}
