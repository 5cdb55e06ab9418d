//! A filter as it was asked for. What no server can do, or HBase would do otherwise, is found where a filter is made.

use bytes::Bytes;

use super::Compare;
use super::keys::Keys;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Rows by their keys.
    Keys(Keys),
    /// Rows whose key has one of these patterns.
    Fuzzy(Vec<Pattern>),
    /// Rows by a value.
    ColumnValue(ColumnValue),
    Family(Compare, Bytes),
    Qualifier(Compare, Bytes),
    QualifierRange(QualifierRange),
    Value(Compare, Bytes),
    Columns {
        limit: i32,
        offset: i32,
    },
    FirstCell,
    NoValues,
    Custom {
        class: String,
        message: Bytes,
    },
    /// Two or more, none of them `All`, at most one `Keys`.
    All(Vec<Node>),
    /// Two or more, none of them `Any`, at most one `Keys`.
    Any(Vec<Node>),
    /// A filter that can't be asked for, and the reason.
    Wrong(&'static str),
}

/// Bytes of a key; `None` is any byte.
pub(super) type Pattern = Vec<Option<u8>>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnValue {
    pub(super) family: Bytes,
    pub(super) qualifier: Bytes,
    pub(super) compare: Compare,
    pub(super) value: Bytes,
    pub(super) if_missing: bool,
}

/// Each end with whether it belongs to the range.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QualifierRange {
    pub(super) from: Option<(Bytes, bool)>,
    pub(super) to: Option<(Bytes, bool)>,
}

impl QualifierRange {
    /// The range that has all of these filters' qualifiers, if these are ranges.
    pub(super) fn around(nodes: &[Node]) -> Option<Self> {
        let ranges = nodes.iter().map(|node| match node {
            Node::QualifierRange(range) => Some(range),
            _ => None,
        });
        let ranges = ranges.collect::<Option<Vec<_>>>()?;
        // With its qualifier an end begins sooner, and ends later.
        let from = ranges.iter().map(|range| range.from.as_ref()).collect::<Option<Vec<_>>>();
        let to = ranges.iter().map(|range| range.to.as_ref()).collect::<Option<Vec<_>>>();
        let from = from.and_then(|from| from.into_iter().min_by_key(|(at, inclusive)| (at, !inclusive)));
        let to = to.and_then(|to| to.into_iter().max());
        Some(Self { from: from.cloned(), to: to.cloned() })
    }
}

/// The things that a filter decides on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Rows by their keys alone.
    Keys,
    /// Rows, after their cells have been seen.
    Rows,
    /// Cells, by themselves and the cells before them.
    Cells,
    /// Rows and cells.
    Both,
}

/// Lists in lists: beyond it a server's stack, or that of this process, may not be enough.
const DEEPEST: usize = 32;

const MIXED: &str = "a filter: `any` has `column_value` beside a filter of cells, and HBase decides on a row only after \
                     its cells; read with each alone, or put `column_value` and an `any` of the cells into `all`";
const TOO_DEEP: &str = "a filter: more than 32 lists in each other";

impl Node {
    /// The reason why the filter is invalid, if it is.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        match self {
            Self::Wrong(why) => Some(why),
            _ => None,
        }
    }

    pub(super) fn all(nodes: impl IntoIterator<Item = Self>) -> Self {
        let (mut keys, mut others) = (Keys::all(), Vec::new());
        let flat = |node| match node {
            Self::All(nodes) => nodes,
            node => vec![node],
        };
        for node in nodes.into_iter().flat_map(flat) {
            match node {
                Self::Keys(these) => keys = keys.intersection(&these),
                node => others.push(node),
            }
        }
        if !keys.is_all() || others.is_empty() {
            others.insert(0, Self::Keys(keys));
        }
        Self::list(others, Self::All)
    }

    pub(super) fn any(nodes: impl IntoIterator<Item = Self>) -> Self {
        let (mut keys, mut others) = (Vec::new(), Vec::new());
        let flat = |node| match node {
            Self::Any(nodes) => nodes,
            node => vec![node],
        };
        for node in nodes.into_iter().flat_map(flat) {
            match node {
                Self::Keys(these) => keys.push(these),
                node => others.push(node),
            }
        }
        let keys = Keys::union(keys);
        if !keys.ranges().is_empty() || others.is_empty() {
            others.insert(0, Self::Keys(keys));
        }
        let mixed =
            |of: &[Of]| of.len() > 1 && of.iter().any(|of| of.has_values()) && of.iter().any(|of| of.has_cells());
        if mixed(&others.iter().map(Self::of).collect::<Vec<_>>()) && others.iter().all(|node| node.wrong().is_none()) {
            return Self::Wrong(MIXED);
        }
        Self::list(others, Self::Any)
    }

    fn list(mut nodes: Vec<Self>, list: fn(Vec<Self>) -> Self) -> Self {
        if let Some(wrong) = nodes.iter().find_map(Self::wrong) {
            return Self::Wrong(wrong);
        }
        if nodes.len() == 1 {
            return nodes.swap_remove(0);
        }
        let list = list(nodes);
        if list.depth() > DEEPEST { Self::Wrong(TOO_DEEP) } else { list }
    }

    fn depth(&self) -> usize {
        1 + self.nodes().iter().map(Self::depth).max().unwrap_or(0)
    }

    /// Those of a list.
    fn nodes(&self) -> &[Self] {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes,
            _ => &[],
        }
    }

    fn of(&self) -> Of {
        match self {
            Self::Keys(_) | Self::Fuzzy(_) => Of::Keys,
            Self::ColumnValue(_) => Of::Rows,
            Self::All(nodes) | Self::Any(nodes) => {
                let of: Vec<_> = nodes.iter().map(Self::of).collect();
                match (of.iter().any(|of| of.has_values()), of.iter().any(|of| of.has_cells())) {
                    (false, false) => Of::Keys,
                    (true, false) => Of::Rows,
                    (false, true) => Of::Cells,
                    (true, true) => Of::Both,
                }
            }
            _ => Of::Cells,
        }
    }

    /// Returns whether the filter needs to see a column before it can decide on a row.
    pub(super) fn has_values(&self) -> bool {
        self.of().has_values()
    }

    /// Returns whether the filter passes rows, or not, as a whole.
    pub(super) fn is_of_rows(&self) -> bool {
        !self.of().has_cells()
    }

    /// Returns whether the cells that pass depend on those that were seen before.
    pub(super) fn counts(&self) -> bool {
        self.has(&|leaf| matches!(leaf, Self::Columns { .. } | Self::FirstCell | Self::Custom { .. }))
    }

    /// Returns whether the filter has another meaning where a server leaves a family before its end.
    pub(super) fn needs_whole_rows(&self) -> bool {
        self.has(&|leaf| matches!(leaf, Self::Columns { .. } | Self::FirstCell | Self::ColumnValue(_)))
    }

    fn has(&self, what: &dyn Fn(&Self) -> bool) -> bool {
        what(self) || self.nodes().iter().any(|node| node.has(what))
    }
}

impl Of {
    fn has_values(self) -> bool {
        matches!(self, Self::Rows | Self::Both)
    }

    fn has_cells(self) -> bool {
        matches!(self, Self::Cells | Self::Both)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Filter, IfMissing, RowPattern};
    use super::*;

    fn value() -> Filter {
        Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Skip)
    }

    fn cell() -> Filter {
        Filter::qualifier(Compare::Equal, "q")
    }

    #[test]
    fn what_no_list_can_do_is_told() {
        let row = || Filter::row_prefix("r");
        for right in [
            Filter::all([value(), cell()]),
            Filter::all([Filter::any([value(), row(), value()]), Filter::any([cell(), row()])]),
            Filter::any([Filter::all([value(), row()]), value()]),
            Filter::any([Filter::all([value(), cell()])]),
            Filter::any([Filter::fuzzy_row([RowPattern::new("a")]), value()]),
        ] {
            assert_eq!(right.wrong(), None, "{right:?}");
        }
        for wrong in [
            Filter::any([value(), cell()]),
            Filter::any([Filter::all([value(), cell()]), row()]),
            Filter::any([Filter::any([value(), row()]), Filter::any([row(), cell()])]),
            Filter::all([row(), Filter::any([Filter::no_values(), value()])]),
        ] {
            assert!(wrong.wrong().is_some_and(|why| why.contains("`any` has `column_value`")), "{wrong:?}");
        }
    }

    #[test]
    fn filters_that_servers_refuse_or_misread_are_told() {
        for (wrong, why) in [
            (Filter::row_ranges::<&str>([]), "no ranges"),
            (Filter::row_ranges(["a".."b", "c".."b"]), "ends before it begins"),
            (Filter::fuzzy_row([]), "no patterns"),
            (Filter::fuzzy_row([RowPattern::new("")]), "is empty"),
            (Filter::fuzzy_row([RowPattern::new("ab").any(1..3)]), "not within"),
            (Filter::fuzzy_row([RowPattern::new("ab"), RowPattern::new("ab").any(3..3)]), "not within"),
            (Filter::fuzzy_row([RowPattern::new([0; 40_000])]), "longer than"),
            (Filter::column_value("", "q", Compare::Equal, "v", IfMissing::Pass), "family"),
            (Filter::custom("", []), "class"),
        ] {
            for wrong in [wrong.clone(), Filter::all([cell(), wrong.clone()]), Filter::any([wrong, value(), cell()])] {
                assert!(wrong.wrong().is_some_and(|told| told.contains(why)), "{wrong:?}");
            }
        }
        assert_eq!(Filter::row_ranges(["a".."a", "b"..""]).wrong(), None);
    }

    #[test]
    fn lists_may_be_deep_but_not_without_end() {
        let deep = |lists: usize| {
            let list = |filter, at| match at % 2 {
                0 => Filter::all([filter, cell()]),
                _ => Filter::any([filter, cell()]),
            };
            (0..lists).fold(cell(), list)
        };
        assert_eq!(deep(30).wrong(), None);
        assert!(deep(100_000).wrong().is_some_and(|why| why.contains("lists in each other")));
        // Lists of one, and of their own kind, are not deeper.
        let flat = (0..1000).fold(cell(), |filter, _| Filter::any([Filter::all([filter]), cell()]));
        assert_eq!(flat.wrong(), None);
    }

    #[test]
    fn filters_of_keys_become_one_set() {
        let row = |compare| Filter::row(compare, "m");
        assert_eq!(Filter::any([row(Compare::Less), row(Compare::GreaterOrEqual)]), Filter::all([]));
        assert_eq!(Filter::all([row(Compare::Less), row(Compare::Greater)]), Filter::any([]));
        let both = Filter::all([row(Compare::GreaterOrEqual), Filter::row_prefix("m")]);
        assert_eq!(both, Filter::row_ranges(["m".."n"]));
        assert_eq!(Filter::any([Filter::any([]), cell()]), cell());
        assert_eq!(Filter::all([Filter::all([]), cell()]), cell());
    }

    #[test]
    fn ranges_of_qualifiers_have_one_around_them() {
        let end = |end: Option<(&'static str, bool)>| end.map(|(at, with)| (at.into(), with));
        let range = |from, to| QualifierRange { from: end(from), to: end(to) };
        let around = |ranges: [QualifierRange; 2]| QualifierRange::around(&ranges.map(Node::QualifierRange));
        let (from, to) = (Some(("b", true)), Some(("d", false)));
        let one = range(from, to);
        let other = |from, to| around([one.clone(), range(from, to)]);
        assert_eq!(other(Some(("a", false)), Some(("d", true))), Some(range(Some(("a", false)), Some(("d", true)))));
        assert_eq!(other(Some(("b", false)), Some(("c", true))), Some(one.clone()));
        assert_eq!(other(None, to), Some(range(None, to)));
        assert_eq!(other(from, None), Some(range(from, None)));
        assert_eq!(QualifierRange::around(&[Node::QualifierRange(one), Node::FirstCell]), None);
    }
}
