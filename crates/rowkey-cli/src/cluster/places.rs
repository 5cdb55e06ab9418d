//! The places of a table at which a sample of its keys is read, and what each of them is asked for.

use super::Keys;
use super::range::{Order, Range, Rows};
use super::region::Region;

/// The most places of a table.
const PLACES: usize = 1024;

/// The times that places are drawn for keys that are still due: at first for few, from which it is learned what keys
/// look like.
const ROUNDS: usize = 8;

/// The rounds for few keys.
const LEARNING: usize = 2;

/// The part of the keys that is read in each of these.
const FIRST: usize = 8;

/// Reads `most` keys, or all where the regions have fewer, from places that are drawn evenly over them: one key at
/// each, but where that leaves some to be read. Keys that one region lacks are read from the others. No more rows are
/// passed over than those of the keys, and two of each region; servers count a row more for each read that finds fewer
/// than it asks for.
pub(super) async fn sample<R: Rows>(rows: &R, regions: Vec<Range>, most: usize) -> Result<Keys, R::Error> {
    let count = regions.len().max(1);
    let of_region = (PLACES / count).min(most.div_ceil(count));
    let (mut keys, ranges) = match of_region {
        ..2 => (Keys::new(), regions),
        _ => drawn(rows, regions, most.min(PLACES)).await?,
    };
    keys.extend(following(rows, ranges, most - keys.len()).await?);
    keys.sort_unstable();
    Ok(keys)
}

/// Reads a key at each of `most` places, and returns the ranges of those that were not read.
async fn drawn<R: Rows>(rows: &R, ranges: Vec<Range>, most: usize) -> Result<(Keys, Vec<Range>), R::Error> {
    let mut regions = Vec::new();
    for (seed, range) in (0..).zip(ranges) {
        regions.extend(Region::of(rows, range, seed).await?);
    }
    let mut count = 0;
    for round in 0..ROUNDS {
        let due = (most - count).min(if round < LEARNING { most.div_ceil(FIRST) } else { most });
        let with_more = regions.iter().filter(|region| region.has_more).count();
        for (region, share) in regions.iter_mut().filter(|region| region.has_more).zip(shares(due, with_more)) {
            region.draw(rows, share).await?;
        }
        count = regions.iter().map(|region| region.keys.len()).sum();
    }
    let ranges = regions.iter_mut().flat_map(|region| std::mem::take(&mut region.unread)).collect();
    Ok((regions.into_iter().flat_map(|region| region.keys).collect(), ranges))
}

/// Reads `most` keys, or all where the ranges have fewer: the first ones of each.
async fn following<R: Rows>(rows: &R, mut places: Vec<Range>, most: usize) -> Result<Keys, R::Error> {
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
    Ok(keys)
}

/// A number in `count` even parts, of which it is the sum.
fn shares(all: usize, count: usize) -> impl Iterator<Item = usize> {
    let before = move |at: usize| (all as u128 * at as u128).div_ceil(count as u128);
    (0..count).map(move |at| usize::try_from(before(at + 1) - before(at)).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use futures_util::FutureExt as _;
    use rowkey_design::internal::drawn::mix;

    use super::super::guess::Guess;
    use super::super::in_memory::InMemory;
    use super::{Keys, Range, sample, shares};

    /// A sample of regions with these numbers of rows; the rows that are passed over are within their limit.
    fn sampled(of_regions: &[usize], most: usize) -> Keys {
        let start = |region: usize| u32::try_from(region).unwrap().to_be_bytes().to_vec();
        let end = |region: usize| if region == of_regions.len() { Vec::new() } else { start(region) };
        let regions: Vec<Range> = (0..of_regions.len())
            .map(|at| Range { start: if at == 0 { vec![] } else { start(at) }, is_after: false, end: end(at + 1) })
            .collect();
        let keys = of_regions.iter().enumerate();
        let keys = keys.flat_map(|(at, rows)| (0..*rows).map(move |row| [start(at), start(row * row)].concat()));
        let rows = InMemory::of(keys);
        let Ok(read) = sample(&rows, regions, most).now_or_never().unwrap();
        let distinct: BTreeSet<_> = read.iter().cloned().collect();
        assert!(distinct.len() == read.len() && read.is_sorted() && distinct.is_subset(&rows.keys), "{of_regions:?}");
        assert_eq!(read.len(), most.min(rows.keys.len()), "{most} of {of_regions:?}");
        let drawn = read.len().min(super::PLACES);
        assert!(rows.counted.get() <= read.len() + 2 * drawn + 4 * of_regions.len(), "{most} of {of_regions:?}");
        assert!(rows.calls.get() <= read.len() + 4 * of_regions.len() + 2 * drawn, "{most} of {of_regions:?}");
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
        let counts = [0, 1, 2, 3].map(|region| of(&keys, region));
        assert!(counts.iter().all(|count| count.abs_diff(125) < 8), "{counts:?}");
        // Nearly all of a small region, and what it lacks from both of the others.
        let keys = sampled(&[3000, 10, 3000], 610);
        let [first, small, last] = [0, 1, 2].map(|region| of(&keys, region));
        assert!(first.abs_diff(last) < 10 && (8..=10).contains(&small), "{first} {small} {last}");
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

    /// Rows that are written over a day, by their times and numbers.
    fn of_a_day(key: impl Fn(u64, u64) -> Vec<u8>) -> InMemory {
        const ROWS: u64 = 20_000;
        let at = |row: u64| 1_795_824_000_000 + row * (86_400_000 / ROWS) + mix(row) % 4000;
        InMemory::of((0..ROWS).map(|row| key(at(row), row)))
    }

    #[test]
    fn the_layout_of_a_sample_is_the_same_however_many_keys_it_has() {
        let of = |rows: &InMemory, most: usize| {
            let all = Range { start: vec![], is_after: false, end: vec![] };
            let Ok(keys) = sample(rows, vec![all], most).now_or_never().unwrap();
            assert_eq!(keys.len(), most);
            let guess = Guess::of("t", Some(&keys), &[]);
            (guess.key.map_or(String::new(), |key| key.layout.shape().to_string()), guess.words)
        };
        let random = |row: u64, most: u64| mix(row ^ 0xabcd) % most;
        let binary = |at: u64, row: u64| [&at.to_be_bytes()[..], &(row as u32).to_be_bytes()].concat();
        let reversed = |at: u64, row: u64| [&(u64::MAX - at).to_be_bytes()[..], &(row as u32).to_be_bytes()].concat();
        let of_user = |at: u64, row: u64| format!("user{:04}|{at}", random(row, 1000)).into_bytes();
        let of_many = |at: u64, row: u64| format!("user{:04}|{at}", random(row, 5000)).into_bytes();
        let hashed =
            |_: u64, row: u64| format!("{:032x}", u128::from(mix(row)) << 64 | u128::from(mix(!row))).into_bytes();
        let numbered = |at: u64, row: u64| [&(random(row, 3000) as u32).to_be_bytes()[..], &at.to_be_bytes()].concat();
        let text = |at: u64, row: u64| format!("{at}|{row:06}").into_bytes();
        for (rows, due) in [
            (of_a_day(binary), "u64, u32"),
            (of_a_day(reversed), "u64 desc, u32"),
            (of_a_day(text), "dec[13 '|'], dec[6]"),
            (of_a_day(of_user), "const['user0'], dec[3 '|'], dec[13]"),
            (of_a_day(of_many), "const['user'], dec[4 '|'], dec[13]"),
            (of_a_day(hashed), "hexbytes[32]"),
            (of_a_day(numbered), "u32, u64"),
        ] {
            for most in [50, 256, 1000, 3000] {
                let (shape, words) = of(&rows, most);
                assert_eq!(shape, due, "{most}: {words}");
            }
        }
    }
}
