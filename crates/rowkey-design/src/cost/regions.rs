//! The declared split points of a table, and the regions that a query's ranges are in.

use rowkey::KeyRange;
use rowkey::lead::Lead;
use rowkey::splits::Splits as SplitPoints;

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

/// How many regions these ranges are in.
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
