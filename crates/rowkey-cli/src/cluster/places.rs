//! The places of a table at which a sample of its keys is read, and what each of them is asked for.

use super::Keys;

/// The places of a table.
const PLACES: usize = 256;

/// The most of them that one region has.
const PLACES_OF_REGION: usize = 64;

/// Keys that lie side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: Vec<u8>,
    /// True if the start is not one of them.
    pub(super) is_after: bool,
    /// The key before which it ends; empty without an end.
    pub(super) end: Vec<u8>,
}

/// An order in which rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Forwards,
    Backwards,
}

/// Rows whose keys are read.
pub(super) trait Rows {
    type Error;

    /// The first `most` keys of a range in an order; all, where it has fewer.
    async fn read(&self, range: &Range, order: Order, most: usize) -> Result<Keys, Self::Error>;
}

/// Reads `most` keys, or all where the regions have fewer, from places that lie evenly over them. Keys that one place
/// lacks are read from the others. No more rows are passed over than those of the keys, and two of each region.
pub(super) async fn sample<R: Rows>(rows: &R, regions: Vec<Range>, most: usize) -> Result<Keys, R::Error> {
    let mut places = places(rows, regions, most).await?;
    let mut keys = Keys::new();
    while keys.len() < most && !places.is_empty() {
        let shares = shares(most - keys.len(), places.len());
        let mut with_more = Vec::new();
        for (mut place, share) in places.into_iter().zip(shares) {
            if share > 0 {
                let read = rows.read(&place, Order::Forwards, share).await?;
                let last = read.last().filter(|_| read.len() >= share);
                let Some(last) = last else {
                    keys.extend(read);
                    continue;
                };
                (place.start, place.is_after) = (last.clone(), true);
                keys.extend(read);
            }
            with_more.push(place);
        }
        places = with_more;
    }
    keys.sort_unstable();
    Ok(keys)
}

/// A number in `count` even parts, of which it is the sum.
fn shares(all: usize, count: usize) -> impl Iterator<Item = usize> {
    let before = move |at: usize| (all as u128 * at as u128).div_ceil(count as u128);
    (0..count).map(move |at| usize::try_from(before(at + 1) - before(at)).unwrap_or(usize::MAX))
}

/// The places of regions; none of those that have no rows, if a region has several.
async fn places<R: Rows>(rows: &R, regions: Vec<Range>, most: usize) -> Result<Vec<Range>, R::Error> {
    let count = regions.len().max(1);
    let of_region = (PLACES / count).clamp(1, PLACES_OF_REGION).min(most.div_ceil(count));
    if of_region < 2 {
        return Ok(regions);
    }
    let mut places = Vec::new();
    for region in regions {
        let first = rows.read(&region, Order::Forwards, 1).await?.pop();
        let Some(first) = first else { continue };
        let last = rows.read(&region, Order::Backwards, 1).await?.pop();
        let mut starts = points(&first, &last.unwrap_or_else(|| first.clone()), of_region);
        starts.dedup();
        starts.retain(|start| region.end.is_empty() || *start < region.end);
        let ends = starts.iter().skip(1).cloned().chain([region.end.clone()]).collect::<Vec<_>>();
        places.extend(starts.into_iter().zip(ends).map(|(start, end)| Range { start, is_after: false, end }));
    }
    Ok(places)
}

/// Places between two keys, evenly: as the bytes behind what both begin with are a number.
fn points(first: &[u8], last: &[u8], count: usize) -> Keys {
    let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
    let number = |key: &[u8]| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(&key[shared..]).for_each(|(to, from)| *to = *from);
        u64::from_be_bytes(bytes)
    };
    let (from, span) = (number(first), number(last).saturating_sub(number(first)));
    let point = |at: usize| {
        let offset = u128::from(span) * at as u128 / count as u128;
        [&first[..shared], &from.saturating_add(u64::try_from(offset).unwrap_or(span)).to_be_bytes()].concat()
    };
    std::iter::once(first.to_vec()).chain((1..count).map(point)).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;
    use std::convert::Infallible;
    use std::ops::Bound;

    use futures_util::FutureExt as _;

    use super::{Keys, Order, Range, Rows, points, sample, shares};

    /// Rows in memory, with the numbers of calls and of rows that were passed over.
    struct InMemory {
        keys: BTreeSet<Vec<u8>>,
        calls: Cell<usize>,
        passed: Cell<usize>,
    }

    impl Rows for InMemory {
        type Error = Infallible;

        async fn read(&self, range: &Range, order: Order, most: usize) -> Result<Keys, Infallible> {
            let Range { start, is_after, end } = range;
            assert!(end.is_empty() || start < end, "{range:?}");
            let start = if *is_after { Bound::Excluded(start) } else { Bound::Included(start) };
            let end = if end.is_empty() { Bound::Unbounded } else { Bound::Excluded(end) };
            let all = self.keys.range::<Vec<u8>, _>((start, end)).cloned();
            let read: Keys = match order {
                Order::Forwards => all.take(most).collect(),
                Order::Backwards => all.rev().take(most).collect(),
            };
            self.calls.set(self.calls.get() + 1);
            self.passed.set(self.passed.get() + read.len());
            Ok(read)
        }
    }

    /// A sample of regions with these numbers of rows; the rows that are passed over are within their limit.
    fn sampled(of_regions: &[usize], most: usize) -> Keys {
        let start = |region: usize| u32::try_from(region).unwrap().to_be_bytes().to_vec();
        let end = |region: usize| if region == of_regions.len() { Vec::new() } else { start(region) };
        let regions: Vec<Range> = (0..of_regions.len())
            .map(|at| Range { start: if at == 0 { vec![] } else { start(at) }, is_after: false, end: end(at + 1) })
            .collect();
        let keys = of_regions.iter().enumerate();
        let keys = keys.flat_map(|(at, rows)| (0..*rows).map(move |row| [start(at), start(row * row)].concat()));
        let rows = InMemory { keys: keys.collect(), calls: Cell::new(0), passed: Cell::new(0) };
        let Ok(read) = sample(&rows, regions, most).now_or_never().unwrap();
        let distinct: BTreeSet<_> = read.iter().cloned().collect();
        assert!(distinct.len() == read.len() && read.is_sorted() && distinct.is_subset(&rows.keys), "{of_regions:?}");
        assert_eq!(read.len(), most.min(rows.keys.len()), "{most} of {of_regions:?}");
        assert!(rows.passed.get() <= read.len() + 2 * of_regions.len(), "{most} of {of_regions:?}");
        assert!(rows.calls.get() <= read.len() + 3 * of_regions.len() + super::PLACES, "{most} of {of_regions:?}");
        read
    }

    #[test]
    fn what_a_region_has_not_is_read_from_the_others() {
        for of_regions in [
            &[3000, 0, 0, 0][..],
            &[0, 0, 0, 3000],
            &[0, 3, 3000, 1],
            &[400, 600],
            &[1; 300],
            &[700],
            &[0; 5],
            &[],
            &[[0; 600].as_slice(), &[3000], &[0; 400]].concat(),
        ] {
            for most in [1, 2, 5, 7, 64, 500, 1000, 100_000] {
                sampled(of_regions, most);
            }
        }
    }

    #[test]
    fn a_sample_lies_evenly_over_regions_and_in_them() {
        let of = |keys: &Keys, region: u8| keys.iter().filter(|key| key[3] == region).count();
        let keys = sampled(&[3000; 4], 500);
        assert_eq!([0, 1, 2, 3].map(|region| of(&keys, region)), [125; 4]);
        // All of a small region, and what it lacks from both of the others.
        let keys = sampled(&[3000, 10, 3000], 610);
        let [first, small, last] = [0, 1, 2].map(|region| of(&keys, region));
        assert!(first.abs_diff(last) < 10 && small == 10, "{first} {small} {last}");
        // Not the beginning of a region alone.
        let rows: Vec<u32> = sampled(&[3000, 0, 0], 300)
            .iter()
            .map(|key| u32::from_be_bytes([key[4], key[5], key[6], key[7]]))
            .collect();
        assert!(*rows.last().unwrap() > 2900 * 2900, "{rows:?}");
        // Of more regions than keys, not the first ones alone.
        let regions: Vec<u8> = sampled(&[9; 200], 4).iter().map(|key| key[3]).collect();
        assert_eq!(regions, [0, 50, 100, 150]);
    }

    #[test]
    fn parts_of_a_number_are_even_and_sum_up() {
        for (all, count) in [(0, 3), (1, 4), (7, 3), (9, 3), (1000, 7), (usize::MAX, 2)] {
            let parts: Vec<usize> = shares(all, count).collect();
            assert_eq!((parts.len(), parts.iter().sum::<usize>()), (count, all));
            assert!(parts.iter().all(|part| all / count <= *part && *part <= all.div_ceil(count)), "{parts:?}");
        }
    }

    #[test]
    fn places_lie_evenly_between_two_keys() {
        let of =
            |first: &[u8], last: &[u8]| points(first, last, 4).iter().map(|key| key[..3].to_vec()).collect::<Vec<_>>();
        assert_eq!(of(b"a\0\0", b"a\x80\0"), [b"a\0\0", b"a\x20\0", b"a\x40\0", b"a\x60\0"]);
        assert_eq!(of(&[0, 0, 0], &[255, 255, 255])[1..3], [vec![0x3f, 0xff, 0xff], vec![0x7f, 0xff, 0xff]]);
        // A key that is the beginning of another, and one key alone.
        assert_eq!(of(b"abc", b"abcd\xff"), [b"abc"; 4]);
        assert_eq!(of(b"abc", b"abc"), [b"abc"; 4]);
        assert_eq!(points(b"", b"", 2), [vec![], vec![0; 8]]);
    }

    #[test]
    fn places_are_in_order_and_none_is_behind_the_last() {
        let (mut keys, mut random) = (Vec::new(), 7u64);
        for length in 0..40 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            keys.push(random.to_be_bytes().repeat(2)[..length % 14].to_vec());
        }
        keys.sort();
        for pair in keys.windows(2) {
            let all = points(&pair[0], &pair[1], 9);
            assert!(all.len() == 9 && all[0] == pair[0] && all.is_sorted(), "{pair:?} {all:?}");
            let end = [&pair[1][..], &[0; 8]].concat();
            assert!(all.iter().all(|point| *point <= end), "{pair:?} {all:?}");
        }
    }
}
