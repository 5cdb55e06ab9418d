//! A sample of a table's keys.

use hbase_client::{Filter, Region, Result, Scan, Table};

use super::Keys;

/// The places of a table at which keys are read.
const PLACES: usize = 256;

/// The most of them that one region has.
const PLACES_OF_REGION: usize = 64;

/// Reads so many keys at most, without their values: in places that lie evenly over the regions, and in each of these
/// between its first and its last key. A server passes over the rows of these keys, and two more of a region.
pub(super) async fn keys(table: &Table, regions: &[Region], most: u64) -> Result<Keys> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let count = regions.len().max(1);
    let (each, step) = (most.div_ceil(count), count.div_ceil(most.max(1)));
    let places = (PLACES / count).clamp(1, PLACES_OF_REGION);
    let mut keys = Vec::new();
    for region in regions.iter().step_by(step) {
        let left = most.saturating_sub(keys.len()).min(each);
        keys.extend(of_region(table, region, left, places).await?);
    }
    Ok(keys)
}

/// The keys of a region: as many at each of its places.
async fn of_region(table: &Table, region: &Region, most: usize, places: usize) -> Result<Keys> {
    let places = places.min(most);
    let starts = match places {
        0 => return Ok(Vec::new()),
        1 => vec![region.start().to_vec()],
        _ => match ends(table, region).await? {
            Some((first, last)) => points(&first, &last, places),
            None => return Ok(Vec::new()),
        },
    };
    let mut keys = Keys::new();
    for (place, start) in starts.iter().enumerate() {
        let share = (most - keys.len()).div_ceil(places - place);
        let scan = match keys.last().filter(|last| *last >= start) {
            Some(last) => Scan::new().start_after(last),
            None => Scan::new().start(start),
        };
        keys.extend(read(table, scan.stop_before(region.end()), share).await?);
    }
    Ok(keys)
}

/// The first and the last key of a region, if it has rows.
async fn ends(table: &Table, region: &Region) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    let first = read(table, Scan::new().start(region.start()).stop_before(region.end()), 1).await?.pop();
    let backwards = Scan::new().reverse();
    let backwards = if region.end().is_empty() { backwards } else { backwards.start_after(region.end()) };
    let backwards = if region.start().is_empty() { backwards } else { backwards.stop_with(region.start()) };
    Ok(first.zip(read(table, backwards, 1).await?.pop()))
}

async fn read(table: &Table, scan: Scan, most: usize) -> Result<Keys> {
    let filter = Filter::all([Filter::first_cell(), Filter::no_values()]);
    let mut scanner = table.scan(scan.filter(&filter).limit(most as u64));
    let mut keys = Vec::new();
    while let Some(row) = scanner.next().await? {
        keys.push(row.key().to_vec());
    }
    Ok(keys)
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
    use super::points;

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
