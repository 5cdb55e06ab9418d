//! Model of a read with a filter, as the documentation describes it, worked out from all that was written.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;

use hbase_client::{Compare, Filter, IfMissing, RowPattern};

/// Families, each with how many versions it keeps.
pub(super) const FAMILIES: [(&str, usize); 3] = [("f", 3), ("g", 1), ("h", 2)];

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) family: &'static str,
    pub(super) qualifier: Vec<u8>,
    pub(super) timestamp: u64,
    pub(super) value: Vec<u8>,
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, timestamp, .. } = self;
        write!(f, "{family}:{} @{timestamp} {}", self.qualifier.escape_ascii(), self.value.escape_ascii())
    }
}

impl Cell {
    fn is_of(&self, other: &Self) -> bool {
        (self.family, &self.qualifier) == (other.family, &other.qualifier)
    }
}

/// The cells and deletes that were written to a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    /// By family, qualifier and timestamp.
    pub(super) puts: BTreeMap<(&'static str, Vec<u8>, u64), Vec<u8>>,
    /// A family's cells up to a timestamp.
    pub(super) families: Vec<(&'static str, u64)>,
    /// A column's cells up to a timestamp.
    pub(super) columns: Vec<(&'static str, Vec<u8>, u64)>,
    /// A cell.
    pub(super) versions: Vec<(&'static str, Vec<u8>, u64)>,
}

impl Written {
    /// A file has no versions beyond those that their family keeps.
    pub(super) fn flush(&mut self) {
        let kept = Read::default().cells(self);
        self.puts.retain(|(family, qualifier, timestamp), _| {
            kept.iter().any(|cell| (cell.family, &cell.qualifier, cell.timestamp) == (*family, qualifier, *timestamp))
        });
    }
}

/// The options of a read, but for its filter.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    pub(super) families: Vec<&'static str>,
    pub(super) columns: Vec<(&'static str, Vec<u8>)>,
    pub(super) times: Option<(u64, u64)>,
    pub(super) versions: usize,
    pub(super) limit: Option<usize>,
    pub(super) skip: Option<usize>,
}

impl Read {
    fn has(&self, family: &str, qualifier: &[u8]) -> bool {
        (self.families.is_empty() && self.columns.is_empty())
            || self.families.contains(&family)
            || self.columns.iter().any(|(f, q)| *f == family && q == qualifier)
    }

    /// The cells that the filter sees.
    pub(super) fn cells(&self, written: &Written) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        // The newest of each column first.
        let mut puts: Vec<_> = written.puts.iter().collect();
        puts.sort_by(|((f, q, t), _), ((f2, q2, t2), _)| (f, q, t2).cmp(&(f2, q2, t)));
        for ((family, qualifier, timestamp), value) in puts {
            let column = |(f, q, _): &&(&str, Vec<u8>, u64)| f == family && q == qualifier;
            let deleted = written.families.iter().any(|(f, until)| f == family && timestamp <= until)
                || written.columns.iter().filter(column).any(|(_, _, until)| timestamp <= until)
                || written.versions.iter().filter(column).any(|(_, _, at)| timestamp == at);
            let in_time = self.times.is_none_or(|(from, to)| (from..to).contains(timestamp));
            let cell = Cell { family, qualifier: qualifier.clone(), timestamp: *timestamp, value: value.clone() };
            let kept = FAMILIES.iter().find(|(name, _)| name == family).expect("a family").1;
            let versions = cells.iter().filter(|other| other.is_of(&cell)).count();
            if !deleted && in_time && self.has(family, qualifier) && versions < kept {
                cells.push(cell);
            }
        }
        cells
    }

    /// The cells of a row that the read returns.
    pub(super) fn row(&self, key: &[u8], written: &Written, filter: &Tree) -> Vec<Cell> {
        let cells = self.cells(written);
        let passed = filter.pass(key, &cells, (0..cells.len()).map(|at| (at, true)).collect());
        let mut row: Vec<Cell> = Vec::new();
        for (at, with_value) in passed {
            let versions = row.iter().filter(|other| other.is_of(&cells[at])).count();
            if versions < self.versions.max(1) {
                let value = if with_value { cells[at].value.clone() } else { Vec::new() };
                row.push(Cell { value, ..cells[at].clone() });
            }
        }
        let of_family = |(family, _): &(&str, usize)| {
            let cells = row.iter().filter(move |cell| cell.family == *family).cloned();
            cells.skip(self.skip.unwrap_or(0)).take(self.limit.unwrap_or(usize::MAX)).collect::<Vec<_>>()
        };
        FAMILIES.iter().flat_map(of_family).collect()
    }
}

/// A filter that the model understands.
#[derive(Debug, Clone)]
pub(super) enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    RowPrefix(Vec<u8>),
    Row(Compare, Vec<u8>),
    RowRanges(Vec<(Vec<u8>, Vec<u8>)>),
    FuzzyRow(Vec<(Vec<u8>, Vec<u8>)>),
    Family(Compare, &'static str),
    Qualifier(Compare, Vec<u8>),
    QualifierPrefix(Vec<u8>),
    QualifierRange(Option<(Vec<u8>, bool)>, Option<(Vec<u8>, bool)>),
    Columns(u32, u32),
    Value(Compare, Vec<u8>),
    ColumnValue { family: &'static str, qualifier: Vec<u8>, compare: Compare, value: Vec<u8>, if_missing: bool },
    FirstCell,
    NoValues,
}

fn is(compare: Compare, order: Ordering) -> bool {
    match compare {
        Compare::Less => order.is_lt(),
        Compare::LessOrEqual => order.is_le(),
        Compare::Equal => order.is_eq(),
        Compare::NotEqual => order.is_ne(),
        Compare::GreaterOrEqual => order.is_ge(),
        Compare::Greater => order.is_gt(),
    }
}

/// The places of the cells that pass, and whether their values do.
type Passed = Vec<(usize, bool)>;

impl Tree {
    pub(super) fn filter(&self) -> Filter {
        let end = |end: &Option<(Vec<u8>, bool)>| match end.clone() {
            Some((at, true)) => Bound::Included(at),
            Some((at, false)) => Bound::Excluded(at),
            None => Bound::Unbounded,
        };
        match self {
            Self::All(trees) => Filter::all(trees.iter().map(Self::filter)),
            Self::Any(trees) => Filter::any(trees.iter().map(Self::filter)),
            Self::RowPrefix(prefix) => Filter::row_prefix(prefix),
            Self::Row(compare, key) => Filter::row(*compare, key),
            Self::RowRanges(ranges) => Filter::row_ranges(ranges.iter().map(|(start, end)| start..end)),
            Self::FuzzyRow(patterns) => Filter::fuzzy_row(patterns.iter().map(|(key, mask)| {
                let any = (0..mask.len()).filter(|at| mask[*at] == 1);
                any.fold(RowPattern::new(key), |pattern, at| pattern.any(at..at + 1))
            })),
            Self::Family(compare, family) => Filter::family(*compare, family),
            Self::Qualifier(compare, qualifier) => Filter::qualifier(*compare, qualifier),
            Self::QualifierPrefix(prefix) => Filter::qualifier_prefix(prefix),
            Self::QualifierRange(from, to) => Filter::qualifier_range((end(from), end(to))),
            Self::Columns(limit, offset) => Filter::columns(*limit, *offset),
            Self::Value(compare, value) => Filter::value(*compare, value),
            Self::ColumnValue { family, qualifier, compare, value, if_missing } => {
                let if_missing = if *if_missing { IfMissing::Pass } else { IfMissing::Skip };
                Filter::column_value(family, qualifier, *compare, value, if_missing)
            }
            Self::FirstCell => Filter::first_cell(),
            Self::NoValues => Filter::no_values(),
        }
    }

    /// Returns whether an `any` in it has `column_value` beside a filter of cells.
    pub(super) fn is_mixed(&self) -> bool {
        match self {
            Self::All(trees) => trees.iter().any(Self::is_mixed),
            Self::Any(trees) => {
                let of_cells = |tree: &Self| tree.has(&|leaf| !leaf.is_of_rows());
                trees.iter().any(Self::is_mixed)
                    || (trees.len() > 1 && trees.iter().any(Self::has_values) && trees.iter().any(of_cells))
            }
            _ => false,
        }
    }

    /// Returns whether `cells_per_family` is refused with it.
    pub(super) fn needs_whole_rows(&self) -> bool {
        self.has(&|leaf| matches!(leaf, Self::ColumnValue { .. } | Self::Columns(..) | Self::FirstCell))
    }

    fn has_values(&self) -> bool {
        self.has(&|leaf| matches!(leaf, Self::ColumnValue { .. }))
    }

    fn has(&self, what: &dyn Fn(&Self) -> bool) -> bool {
        match self {
            Self::All(trees) | Self::Any(trees) => trees.iter().any(|tree| tree.has(what)),
            leaf => what(leaf),
        }
    }

    fn is_of_rows(&self) -> bool {
        matches!(
            self,
            Self::RowPrefix(_) | Self::Row(..) | Self::RowRanges(_) | Self::FuzzyRow(_) | Self::ColumnValue { .. }
        )
    }

    /// The cells of `seen` that pass; `row` has all cells that are read.
    fn pass(&self, key: &[u8], row: &[Cell], seen: Passed) -> Passed {
        let whole = |passes: bool| if passes { seen.clone() } else { Vec::new() };
        let cells = |passes: &dyn Fn(&Cell) -> bool| seen.iter().copied().filter(|(at, _)| passes(&row[*at])).collect();
        match self {
            Self::All(trees) => trees.iter().fold(seen, |seen, tree| tree.pass(key, row, seen)),
            Self::Any(trees) => {
                let passed: Vec<_> = trees.iter().map(|tree| tree.pass(key, row, seen.clone())).collect();
                let one = |(at, _): &(usize, bool)| {
                    let mut of_each = passed.iter().flatten().filter(|(other, _)| other == at).peekable();
                    of_each.peek()?;
                    Some((*at, of_each.all(|(_, with_value)| *with_value)))
                };
                seen.iter().filter_map(one).collect()
            }
            Self::RowPrefix(prefix) => whole(key.starts_with(prefix)),
            Self::Row(compare, other) => whole(is(*compare, key.cmp(other))),
            Self::RowRanges(ranges) => {
                whole(ranges.iter().any(|(start, end)| key >= &start[..] && (end.is_empty() || key < &end[..])))
            }
            Self::FuzzyRow(patterns) => {
                let fits = |(pattern, mask): &(Vec<u8>, Vec<u8>)| {
                    key.len() >= pattern.len()
                        && key.iter().zip(pattern).zip(mask).all(|((byte, other), mask)| *mask == 1 || byte == other)
                };
                whole(patterns.iter().any(fits))
            }
            Self::Family(compare, family) => cells(&|cell| is(*compare, cell.family.cmp(family))),
            Self::Qualifier(compare, other) => cells(&|cell| is(*compare, cell.qualifier.cmp(other))),
            Self::QualifierPrefix(prefix) => cells(&|cell| cell.qualifier.starts_with(prefix)),
            Self::QualifierRange(from, to) => cells(&|cell| {
                let order = |other: &Vec<u8>| cell.qualifier.cmp(other);
                from.as_ref().is_none_or(|(at, with)| order(at).is_gt() || (*with && order(at).is_eq()))
                    && to.as_ref().is_none_or(|(at, with)| order(at).is_lt() || (*with && order(at).is_eq()))
            }),
            Self::Columns(limit, offset) => {
                let mut newest: Passed = Vec::new();
                for (at, with_value) in seen {
                    if newest.last().is_none_or(|(last, _)| !row[*last].is_of(&row[at])) {
                        newest.push((at, with_value));
                    }
                }
                newest.into_iter().skip(*offset as usize).take(*limit as usize).collect()
            }
            Self::Value(compare, other) => cells(&|cell| is(*compare, cell.value.cmp(other))),
            Self::ColumnValue { family, qualifier, compare, value, if_missing } => {
                let newest = row.iter().find(|cell| cell.family == *family && cell.qualifier == *qualifier);
                whole(newest.map_or(*if_missing, |cell| is(*compare, cell.value.cmp(value))))
            }
            Self::FirstCell => seen.into_iter().take(1).collect(),
            Self::NoValues => seen.into_iter().map(|(at, _)| (at, false)).collect(),
        }
    }
}
