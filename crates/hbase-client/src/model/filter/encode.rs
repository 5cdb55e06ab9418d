//! The classes of HBase that a filter is built of, and how they stand in lists so that each sees the cells that it has
//! to see.
//!
//! HBase's lists have rules of their own. A class may tell the server to seek: to a key that it names (a hint), to the
//! next column, to the next family. A seek passes over cells that another filter of the list has to see, and over the
//! markers of deletes; in reverse, `any` takes the farthest of several hints for the nearest. So:
//!
//! - Rows are skipped by one class alone, `MultiRowRangeFilter` or `FuzzyRowFilter`, at the top.
//! - Columns are sought only where nothing else has to see what lies between, and never from a cell with an empty
//!   qualifier, behind which the marker of a deleted family may stand.
//! - All else that may seek stands in an `any` beside a filter that passes nothing and does not seek: of such a list
//!   the server takes the shorter step.

use bytes::Bytes;
use prost::Message;

use super::keys::{Keys, Range};
use super::tree::{ColumnValue, Node, Pattern, QualifierRange};
use super::{Compare, pb};
use crate::model::names::LONGEST_KEY;

const PACKAGE: &str = "org.apache.hadoop.hbase.filter";

/// The farthest seek of a filter of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seeks {
    No,
    /// To the next column or family.
    Steps,
    /// To a column that it names.
    Hints,
}

pub(super) fn encode(node: &Node, reverse: bool) -> pb::Filter {
    let nodes = match node {
        Node::All(nodes) => nodes,
        node => std::slice::from_ref(node),
    };
    let mut filters = match of_keys(nodes).collect::<Vec<_>>()[..] {
        // Two classes that skip rows can fail together: at its end one of them gives no hint, which a list then
        // compares. `FuzzyRowFilter` in reverse loses rows, or seeks the same row for ever.
        [Node::Fuzzy(patterns)] if !reverse => vec![skipping(patterns), still(fuzzy(patterns))],
        [Node::Keys(keys), ref fuzzies @ ..] => {
            let ranges = (!keys.is_all()).then(|| skipping_to(keys, reverse));
            ranges.into_iter().chain(fuzzies.iter().map(|node| part(node, Seeks::No))).collect()
        }
        ref fuzzies => fuzzies.iter().map(|node| part(node, Seeks::No)).collect(),
    };
    filters.extend(behind_keys(nodes, Seeks::Hints));
    list(true, filters)
}

fn of_keys(nodes: &[Node]) -> impl Iterator<Item = &Node> {
    nodes.iter().filter(|node| matches!(node, Node::Keys(_) | Node::Fuzzy(_)))
}

/// Those of an `all` that are not of keys. Each sees what those before it let pass; those that decide on rows see all.
fn behind_keys(nodes: &[Node], seeks: Seeks) -> Vec<pb::Filter> {
    let others = nodes.iter().filter(|node| !matches!(node, Node::Keys(_) | Node::Fuzzy(_)));
    let (rows, cells): (Vec<_>, Vec<_>) = others.partition(|node| node.is_of_rows());
    let mut seeks = if rows.iter().any(|node| node.has_values()) { Seeks::No } else { seeks };
    let mut filters: Vec<_> = rows.into_iter().map(|node| part(node, Seeks::No)).collect();
    for node in cells {
        if let (Node::Any(nodes), Seeks::Hints) = (node, seeks) {
            filters.extend(QualifierRange::around(nodes).map(|range| qualifiers(&range, seeks)));
        }
        filters.push(part(node, seeks));
        // A filter that counts has to see each cell.
        if node.counts() {
            seeks = Seeks::No;
        }
    }
    filters
}

/// A filter anywhere in a tree. Of rows it tells the list that it stands in whether they pass.
fn part(node: &Node, seeks: Seeks) -> pb::Filter {
    match node {
        Node::Keys(keys) => comparing(keys),
        Node::Fuzzy(patterns) => fuzzy(patterns),
        Node::ColumnValue(column) => column_value(column),
        Node::Family(compare, family) => steps(compared("FamilyFilter", *compare, family), seeks),
        Node::Qualifier(compare, qualifier) => compared("QualifierFilter", *compare, qualifier),
        Node::QualifierRange(range) => qualifiers(range, seeks),
        Node::Value(compare, value) => compared("ValueFilter", *compare, value),
        Node::Columns { limit, offset } => {
            let page = pb::ColumnPaginationFilter { limit: *limit, offset: Some(*offset), column_offset: None };
            // By itself it takes each version of an empty qualifier for a column: a server does not seek from there.
            steps(list_of(false, vec![class("ColumnPaginationFilter", &page)]), seeks)
        }
        Node::FirstCell => steps(class("FirstKeyOnlyFilter", &pb::FirstKeyOnlyFilter {}), seeks),
        Node::NoValues => class("KeyOnlyFilter", &pb::KeyOnlyFilter { len_as_val: false }),
        Node::Custom { class, message } => pb::Filter { name: class.clone(), serialized_filter: Some(message.clone()) },
        // It takes no step that one of these does not take.
        Node::Any(nodes) => {
            let any = list(false, nodes.iter().map(|node| part(node, Seeks::Steps)).collect());
            if node.is_of_rows() { any } else { steps(any, seeks) }
        }
        Node::All(nodes) => {
            let keys = of_keys(nodes).map(|node| part(node, Seeks::No));
            list(true, keys.chain(behind_keys(nodes, seeks.min(Seeks::Steps))).collect())
        }
        // Refused before it is sent.
        Node::Wrong(_) => comparing(&Keys::range(b"", Some(b""))),
    }
}

fn class(name: &str, message: &impl Message) -> pb::Filter {
    pb::Filter { name: format!("{PACKAGE}.{name}"), serialized_filter: Some(message.encode_to_vec().into()) }
}

fn list(all: bool, mut filters: Vec<pb::Filter>) -> pb::Filter {
    if filters.len() == 1 { filters.swap_remove(0) } else { list_of(all, filters) }
}

fn list_of(all: bool, filters: Vec<pb::Filter>) -> pb::Filter {
    use pb::filter_list::Operator::{MustPassAll, MustPassOne};
    let operator = if all { MustPassAll } else { MustPassOne }.into();
    class("FilterList", &pb::FilterList { operator, filters })
}

/// The same filter, which makes the server read one cell after the other.
fn still(filter: pb::Filter) -> pb::Filter {
    list(false, vec![filter, compared("QualifierFilter", Compare::Less, b"")])
}

fn steps(filter: pb::Filter, seeks: Seeks) -> pb::Filter {
    if seeks == Seeks::No { still(filter) } else { filter }
}

fn comparator(name: &str, message: &impl Message) -> pb::Comparator {
    let name = format!("{PACKAGE}.{name}");
    pb::Comparator { name, serialized_comparator: Some(message.encode_to_vec().into()) }
}

pub(crate) fn binary(value: &[u8]) -> pb::Comparator {
    let comparable = pb::ByteArrayComparable { value: Some(Bytes::copy_from_slice(value)) };
    comparator("BinaryComparator", &pb::BinaryComparator { comparable })
}

fn compared_by(name: &str, compare: Compare, comparator: pb::Comparator) -> pb::Filter {
    let compare_filter = pb::CompareFilter { compare_op: compare.of_cell().into(), comparator: Some(comparator) };
    class(name, &pb::ComparedFilter { compare_filter })
}

fn compared(name: &str, compare: Compare, value: &[u8]) -> pb::Filter {
    compared_by(name, compare, binary(value))
}

/// Goes from range to range. It doesn't tell lists that a row does not pass.
fn skipping_to(keys: &Keys, reverse: bool) -> pb::Filter {
    let range = |start: &Bytes, end: Option<&Bytes>| {
        // In reverse a server takes an end that is empty for the least of them.
        let greatest = (end.is_none() && reverse).then(|| Bytes::from_static(&[u8::MAX; LONGEST_KEY]));
        pb::RowRange {
            start_row: Some(start.clone()),
            start_row_inclusive: Some(true),
            stop_row_inclusive: Some(greatest.is_some()),
            stop_row: Some(greatest.or(end.cloned()).unwrap_or_default()),
        }
    };
    let mut row_range_list: Vec<_> = keys.ranges().iter().map(|keys| range(&keys.start, keys.end.as_ref())).collect();
    if row_range_list.is_empty() {
        // Has only the empty key, which no row has.
        row_range_list.push(range(&Bytes::new(), Some(&Bytes::from_static(&[0]))));
    }
    class("MultiRowRangeFilter", &pb::MultiRowRangeFilter { row_range_list })
}

/// Compares each row's key. (`PrefixFilter` reads beyond a key that is shorter than the prefix.)
fn comparing(keys: &Keys) -> pb::Filter {
    let row = |compare, key: &[u8]| compared("RowFilter", compare, key);
    let range = |Range { start, end }: &Range| {
        let start = (!start.is_empty() || end.is_none()).then(|| row(Compare::GreaterOrEqual, start));
        list(true, start.into_iter().chain(end.as_ref().map(|end| row(Compare::Less, end))).collect())
    };
    match keys.ranges() {
        [] => row(Compare::Less, b""),
        ranges => list(false, ranges.iter().map(range).collect()),
    }
}

/// Goes from match to match. It also passes keys that are shorter than a pattern and have what there is of it.
fn skipping(patterns: &[Pattern]) -> pb::Filter {
    let pair = |pattern: &Pattern| {
        // A mask without any 1 is another form of it for servers, in which a 0 is any byte.
        let more = pattern.iter().all(Option::is_some).then_some(None);
        let (key, mask): (Vec<u8>, Vec<u8>) =
            pattern.iter().copied().chain(more).map(|byte| (byte.unwrap_or(0), u8::from(byte.is_none()))).unzip();
        pb::BytesBytesPair { first: key.into(), second: mask.into() }
    };
    class("FuzzyRowFilter", &pb::FuzzyRowFilter { fuzzy_keys_data: patterns.iter().map(pair).collect() })
}

/// Compares each row's key.
fn fuzzy(patterns: &[Pattern]) -> pb::Filter {
    const DOT_ALL: i32 = 32;
    let text = |pattern: &Pattern| {
        let part = |same: &[Option<u8>]| match same {
            [None, ..] => format!(".{{{}}}", same.len()),
            bytes => bytes.iter().flatten().map(|byte| format!("\\x{byte:02x}")).collect(),
        };
        pattern.chunk_by(|a, b| a.is_none() == b.is_none()).map(part).collect::<String>()
    };
    let patterns = patterns.iter().map(text).collect::<Vec<_>>().join("|");
    let regex = pb::RegexStringComparator {
        pattern: format!("\\A(?:{patterns})"),
        pattern_flags: DOT_ALL,
        charset: "ISO-8859-1".into(),
        engine: Some("JAVA".into()),
    };
    compared_by("RowFilter", Compare::Equal, comparator("RegexStringComparator", &regex))
}

fn column_value(column: &ColumnValue) -> pb::Filter {
    let message = pb::SingleColumnValueFilter {
        column_family: Some(column.family.clone()),
        column_qualifier: Some(column.qualifier.clone()),
        compare_op: column.compare.of_cell().into(),
        comparator: binary(&column.value),
        filter_if_missing: Some(!column.if_missing),
        latest_version_only: Some(true),
    };
    class("SingleColumnValueFilter", &message)
}

fn qualifiers(range: &QualifierRange, seeks: Seeks) -> pb::Filter {
    let qualifier = |compare, qualifier: &[u8]| compared("QualifierFilter", compare, qualifier);
    if seeks < Seeks::Hints {
        let bound = |bound: &Option<(Bytes, bool)>, with, without| {
            bound.as_ref().map(|(at, inclusive)| qualifier(if *inclusive { with } else { without }, at))
        };
        let from = bound(&range.from, Compare::GreaterOrEqual, Compare::Greater);
        let to = bound(&range.to, Compare::LessOrEqual, Compare::Less);
        return list(true, from.into_iter().chain(to).collect());
    }
    // All qualifiers are at or behind the empty one: nothing has to be sought.
    let from = range.from.as_ref().filter(|(from, inclusive)| !from.is_empty() || !inclusive);
    let columns = pb::ColumnRangeFilter {
        min_column: from.map(|(from, _)| from.clone()),
        min_column_inclusive: Some(from.is_none_or(|(_, inclusive)| *inclusive)),
        max_column: range.to.as_ref().map(|(to, _)| to.clone()),
        max_column_inclusive: Some(range.to.as_ref().is_some_and(|(_, inclusive)| *inclusive)),
    };
    let columns = class("ColumnRangeFilter", &columns);
    if from.is_none() {
        return columns;
    }
    // A list asks each class that seeks for its hint, also behind one that lets a cell not pass; but not a list in it.
    list(true, vec![qualifier(Compare::Greater, b""), list_of(true, vec![columns])])
}

#[cfg(test)]
mod tests {
    use std::ops::Bound;

    use super::super::{Filter, IfMissing, RowPattern};
    use super::*;

    /// The classes of a message, lists in brackets.
    fn classes(filter: &pb::Filter) -> String {
        let name = filter.name.strip_prefix("org.apache.hadoop.hbase.filter.").expect("HBase's");
        if name != "FilterList" {
            return name.strip_suffix("Filter").expect("a filter").into();
        }
        let list = pb::FilterList::decode(filter.serialized_filter.clone().expect("a message")).expect("a list");
        let filters: Vec<_> = list.filters.iter().map(classes).collect();
        match list.operator() {
            pb::filter_list::Operator::MustPassAll => format!("all[{}]", filters.join(" ")),
            pb::filter_list::Operator::MustPassOne => format!("any[{}]", filters.join(" ")),
        }
    }

    fn sent(filter: &Filter) -> String {
        classes(&filter.to_pb(false))
    }

    #[test]
    fn classes_seek_only_where_they_may() {
        let (value, prefix) =
            (Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Skip), Filter::qualifier_prefix("q"));
        let (page, family) = (Filter::columns(1, 1), Filter::family(Compare::Equal, "f"));
        let hint = "all[Qualifier all[ColumnRange]]";
        assert_eq!(sent(&prefix), hint);
        assert_eq!(sent(&Filter::qualifier_prefix("")), "ColumnRange");
        assert_eq!(
            sent(&Filter::qualifier_range::<&str>((Bound::Excluded(""), Bound::Unbounded))),
            "all[Qualifier all[ColumnRange]]"
        );
        assert_eq!(sent(&Filter::all([family.clone(), prefix.clone()])), format!("all[Family {hint}]"));
        assert_eq!(sent(&Filter::any([family.clone(), prefix.clone()])), "any[Family all[Qualifier Qualifier]]");
        let ranges = Filter::any([prefix.clone(), Filter::qualifier_prefix("x")]);
        assert_eq!(sent(&ranges), format!("all[{hint} any[all[Qualifier Qualifier] all[Qualifier Qualifier]]]"));
        // A row's value is seen first, and nothing seeks over it.
        let beside = Filter::all([prefix.clone(), family.clone(), page.clone(), value.clone()]);
        let still = "any[Family Qualifier] any[any[ColumnPagination] Qualifier]";
        assert_eq!(sent(&beside), format!("all[SingleColumnValue all[Qualifier Qualifier] {still}]"));
        assert_eq!(sent(&Filter::all([value.clone(), Filter::no_values()])), "all[SingleColumnValue KeyOnly]");
        // A filter that counts sees each cell that is before it.
        let counted = Filter::all([prefix.clone(), page.clone(), family.clone()]);
        assert_eq!(sent(&counted), format!("all[{hint} any[ColumnPagination] any[Family Qualifier]]"));
        let nested = Filter::any([Filter::all([page, family]), prefix]);
        let one = "all[any[ColumnPagination] any[Family Qualifier]]";
        assert_eq!(sent(&nested), format!("any[{one} all[Qualifier Qualifier]]"));
    }

    #[test]
    fn one_class_at_the_top_skips_rows() {
        let (prefix, fuzzy) = (Filter::row_prefix("r"), Filter::fuzzy_row([RowPattern::new("ab").any(1..2)]));
        let value = Filter::column_value("f", "q", Compare::Equal, "v", IfMissing::Skip);
        assert_eq!(sent(&prefix), "MultiRowRange");
        assert_eq!(sent(&Filter::any([])), "MultiRowRange");
        assert_eq!(sent(&Filter::all([])), "all[]");
        assert_eq!(sent(&fuzzy), "all[FuzzyRow any[Row Qualifier]]");
        assert_eq!(classes(&fuzzy.to_pb(true)), "Row");
        assert_eq!(sent(&Filter::all([fuzzy.clone(), prefix.clone()])), "all[MultiRowRange Row]");
        assert_eq!(sent(&Filter::any([fuzzy, value, prefix])), "any[all[Row Row] Row SingleColumnValue]");
    }

    #[test]
    fn patterns_are_sent_as_servers_read_them() {
        let patterns = [RowPattern::new("abc").any(1..2), RowPattern::new("ab")];
        let message = Filter::fuzzy_row(patterns).to_pb(true).serialized_filter;
        let row = pb::ComparedFilter::decode(message.expect("a message")).expect("a filter of rows");
        let comparator = row.compare_filter.comparator.expect("a comparator");
        let regex = pb::RegexStringComparator::decode(comparator.serialized_comparator.expect("a message"));
        assert_eq!(regex.expect("a regular expression").pattern, "\\A(?:\\x61.{1}\\x63|\\x61\\x62)");
        let skipping = skipping(&[vec![Some(b'a'), None], vec![Some(b'a'), Some(b'b')]]).serialized_filter;
        let skipping = pb::FuzzyRowFilter::decode(skipping.expect("a message")).expect("a filter of rows");
        let pair =
            |key: &'static [u8], mask: &'static [u8]| pb::BytesBytesPair { first: key.into(), second: mask.into() };
        assert_eq!(skipping.fuzzy_keys_data, [pair(b"a\0", &[0, 1]), pair(b"ab\0", &[0, 0, 1])]);
    }
}
