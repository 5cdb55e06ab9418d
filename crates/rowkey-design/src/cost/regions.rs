//! The declared split points of a table, and the regions that a query's ranges are in.

use std::collections::HashMap;

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::splits::Splits as SplitPoints;
use rowkey::untyped::TypeBuf;
use rowkey::{KeyRange, LayoutBuf};

use super::select::{Condition, Selection};
use crate::design::Splits;

/// The most regions that split points are computed for: no cluster is to have more in one table.
const MOST: u32 = 65_536;

/// The split points that a design declares, where they need no sample.
pub(crate) fn points(splits: &Splits, layout: &rowkey::LayoutBuf) -> Option<SplitPoints> {
    let few = |regions: &u32| Some(*regions).filter(|regions| *regions <= MOST);
    match splits {
        Splits::Buckets => match layout.lead() {
            Lead::Salt(salt) => SplitPoints::of_layout(salt.buckets, layout).ok(),
            _ => None,
        },
        Splits::Uniform(regions) => SplitPoints::uniform(few(regions)?).ok(),
        Splits::Hex(regions) => SplitPoints::hex(few(regions)?).ok(),
        Splits::Decimal(regions) => SplitPoints::decimal(few(regions)?).ok(),
        Splits::Keys(keys) => {
            let text = keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join("\n");
            SplitPoints::from_hex(&text).ok()
        }
        Splits::Sample { .. } => None,
    }
}

/// The number of regions that these ranges are in.
pub(crate) fn touched<'r>(splits: &SplitPoints, ranges: impl Iterator<Item = &'r KeyRange>) -> usize {
    let points: Vec<&[u8]> = splits.iter().collect();
    let span = |range: &KeyRange| {
        let first = points.partition_point(|point| *point <= range.start());
        // A region begins where the range ends: it has none of it.
        (first, range.end().map_or(points.len(), |end| points.partition_point(|point| *point < end)))
    };
    let mut spans: Vec<(usize, usize)> = ranges.map(span).collect();
    spans.sort_unstable();
    let (mut count, mut next) = (0, 0);
    for (first, last) in spans {
        count += (last + 1).saturating_sub(first.max(next));
        next = next.max(last + 1);
    }
    count
}

/// The number of regions that a query is in at most, whatever its values: of these ranges, whose values are made up, it
/// has `count`.
pub(super) fn touched_at_most(
    splits: &SplitPoints,
    ranges: &[Vec<KeyRange>],
    count: f64,
    selection: &Selection<'_>,
) -> usize {
    let next = selection.next.as_ref().map(|(field, condition)| (&field.field.ty, *condition));
    let fixed = selection.prefix();
    let layout = selection.layout();
    let width = next.filter(|(ty, condition)| is_as_wide_anywhere(ty, *condition)).and_then(|_| {
        let range = ranges.iter().flatten().next()?;
        let (fixed, start) = range.start().split_at(end_of(layout, range.start(), fixed)?);
        // A range that begins with the least value is cut short.
        let end = range.end()?.strip_prefix(fixed).filter(|_| !start.is_empty())?;
        number(end).checked_sub(number(start))
    });
    let mut groups: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for point in splits.iter() {
        // Between a key and the same with zeros after it are no rows. A point that is shorter than what is fixed lies
        // in no such range.
        let point = &point[..point.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)];
        if let Some((fixed, rest)) = end_of(layout, point, fixed).and_then(|end| point.split_at_checked(end))
            && !rest.is_empty()
        {
            groups.entry(fixed).or_default().push(rest);
        }
    }
    let inside = groups.values().map(|points| width.map_or(points.len(), |width| within(points, width))).max();
    let most = count * (1.0 + inside.unwrap_or(0) as f64);
    (most.min(splits.regions() as f64) as usize).max(touched(splits, ranges.iter().flatten()))
}

/// The most of these points, in order, that lie inside a range of this width.
fn within(points: &[&[u8]], width: u128) -> usize {
    let numbers: Vec<u128> = points.iter().map(|point| number(point)).collect();
    // What is cut off can be as much as one.
    let width = width.saturating_add(u128::from(points.iter().any(|point| point.len() > size_of::<u128>())));
    let before = |end: usize| numbers[..end].partition_point(|&number| numbers[end] - number >= width);
    (0..numbers.len()).map(|end| end + 1 - before(end)).max().unwrap_or(0)
}

/// The first bytes as a number: as many as it has.
fn number(bytes: &[u8]) -> u128 {
    let mut number = [0; size_of::<u128>()];
    number.iter_mut().zip(bytes).for_each(|(digit, byte)| *digit = *byte);
    u128::from_be_bytes(number)
}

/// True if the ranges of a condition are as wide for each value, as numbers.
fn is_as_wide_anywhere(ty: &TypeBuf, condition: Condition) -> bool {
    use Scalar::{Bool, Decimal, F32, F64, Foreign, HostPath, QuadKey, Tile, Url};
    match (ty, condition) {
        (TypeBuf::Option(inner), _) => is_as_wide_anywhere(inner, condition),
        (TypeBuf::Tuple(fields), _) => fields.first().is_some_and(|first| is_as_wide_anywhere(&first.ty, condition)),
        (TypeBuf::Scalar(scalar), Condition::StartsWith(..)) => !matches!(scalar, HostPath | Url),
        (TypeBuf::Scalar(Bool | Decimal | F32 | F64 | QuadKey(_) | Tile | Foreign(_)), _) => false,
        (TypeBuf::Scalar(scalar), Condition::Range(..)) => scalar.width().is_some(),
        _ => false,
    }
}

/// The ends of the first of the fields in a key, or in the beginning of one; none if it is shorter.
fn end_of(layout: &LayoutBuf, key: &[u8], fields: usize) -> Option<usize> {
    let fields = layout.fields().get(..fields)?;
    let widths = fields.iter().map(|field| field.ty.width().filter(|_| !field.raw));
    if let Some(width) = widths.sum::<Option<usize>>() {
        return Some(layout.lead().width() + width).filter(|end| *end <= key.len());
    }
    let of = |field: &str, name: &str| {
        field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let parts = layout.explain(key).parts;
    let last = fields.last()?;
    parts.iter().rfind(|part| part.shape != "?" && of(&part.field, &last.name)).map(|part| part.range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(0u8..3, 0..3)
    }

    proptest! {
        #[test]
        fn regions_are_those_of_the_parts(
            splits in prop::collection::btree_set(key().prop_filter("not empty", |key| !key.is_empty()), 0..8),
            ranges in prop::collection::vec((key(), prop::option::of(key())), 0..5),
        ) {
            let splits = SplitPoints::new(splits).unwrap();
            let ranges: Vec<KeyRange> = ranges.into_iter().filter_map(|(start, end)| KeyRange::new(start, end)).collect();
            let parts = ranges.iter().flat_map(|range| splits.parts(range));
            let regions: std::collections::BTreeSet<usize> = parts.map(|part| splits.region_of(part.start())).collect();
            prop_assert_eq!(touched(&splits, ranges.iter()), regions.len());
        }
    }
}
