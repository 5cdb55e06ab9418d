//! A region of which keys are read at places that are drawn, and the ranges of it that are not read.

use rowkey_design::internal::drawn::mix;

use super::Keys;
use super::range::{Order, Range, Rows};
use super::spread::Spread;

/// The keys that tell how others begin and end.
const KNOWN: usize = 8;

/// The least balance of crossed places that had a key near them, and twice those that had none, with which others
/// follow.
const CROSSED: i64 = -4;

/// A region with rows.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) keys: Keys,
    /// The ranges in order, without a key that was read and those of which is known that they have none.
    pub(super) unread: Vec<Range>,
    /// False if places that were drawn had no other key.
    pub(super) has_more: bool,
    first: Vec<u8>,
    last: Vec<u8>,
    random: u64,
    /// The places that had no key.
    misses: usize,
    /// The even places of the last draw that were far from their keys, less those that were near.
    jumps: i64,
    /// The balance of crossed places.
    crossings: i64,
}

impl Region {
    /// Reads the first and the last key of a range; none if it has no rows.
    pub(super) async fn of<R: Rows>(rows: &R, range: Range, seed: u64) -> Result<Option<Self>, R::Error> {
        let Some(first) = rows.read(&range, Order::Forwards, 1).await?.pop() else { return Ok(None) };
        let last = rows.read(&range, Order::Backwards, 1).await?.pop().unwrap_or_else(|| first.clone());
        let unread = vec![Range { start: first.clone(), is_after: false, end: range.end }];
        Ok(Some(Self {
            keys: Keys::new(),
            unread,
            has_more: true,
            first,
            last,
            random: mix(seed),
            misses: 0,
            jumps: 0,
            crossings: 0,
        }))
    }

    /// Reads the key that follows on each of `count` places: one in each even part of the region. Once some keys are
    /// known, every other place begins as one of them and ends as another, if even places are far from their keys.
    pub(super) async fn draw<R: Rows>(&mut self, rows: &R, count: usize) -> Result<(), R::Error> {
        let spread = Spread::new(&self.first, &self.last, &self.keys);
        let before = self.keys.len();
        let may_cross = before >= KNOWN && std::mem::take(&mut self.jumps) > 0;
        let step = u64::MAX / (count as u64).max(1);
        for at in 0..count as u64 {
            // Most keys are read, if more places have none.
            if self.misses > self.keys.len() {
                break;
            }
            let even = spread.at(at * step + self.random(step));
            let crossed = if at % 2 == 1 && may_cross { self.crossed() } else { None };
            match crossed {
                Some((place, cut)) => {
                    let found = self.read_at(rows, place.clone()).await?;
                    let is_near = found.is_some_and(|found| found.starts_with(&place[..cut]));
                    self.crossings += if is_near { 1 } else { -2 };
                }
                None => {
                    let found = self.read_at(rows, even.clone()).await?;
                    self.jumps += found.map_or(0, |found| if jumps(&even, &found) { 1 } else { -1 });
                }
            }
        }
        self.has_more = count == 0 || self.keys.len() > before && self.misses <= self.keys.len();
        Ok(())
    }

    /// The beginning of a key, with the end of another, and where that begins. None if these are a key that was read,
    /// next to which others would be no sample; and once too few keys were found behind such beginnings.
    fn crossed(&mut self) -> Option<(Vec<u8>, usize)> {
        if self.crossings < CROSSED {
            return None;
        }
        let [one, other] = [(); 2].map(|()| self.random(self.keys.len() as u64) as usize);
        let at = self.random(self.keys[one].len() as u64 + 1) as usize;
        let (one, other) = (&self.keys[one], &self.keys[other]);
        let crossed = [&one[..at], other.get(at..).unwrap_or_default()].concat();
        (crossed != *one && crossed != *other).then_some((crossed, at))
    }

    /// A random number below another.
    fn random(&mut self, below: u64) -> u64 {
        self.random = mix(self.random);
        self.random % below.max(1)
    }

    /// Reads the first unread key from a place on, if there is one before the next that was read.
    async fn read_at<R: Rows>(&mut self, rows: &R, place: Vec<u8>) -> Result<Option<Vec<u8>>, R::Error> {
        let at = self.unread.partition_point(|range| range.start <= place).saturating_sub(1);
        let Some(range) = self.unread.get(at).cloned() else { return Ok(None) };
        if !range.end.is_empty() && range.end <= place {
            return Ok(None);
        }
        let (start, is_after) =
            if place > range.start { (place, false) } else { (range.start.clone(), range.is_after) };
        let found = rows
            .read(&Range { start: start.clone(), is_after, end: range.end.clone() }, Order::Forwards, 1)
            .await?
            .pop();
        let before = Range { end: start.clone(), ..range.clone() };
        let behind = found.clone().map(|key| Range { start: key, is_after: true, end: range.end });
        let rest = (before.start < start).then_some(before).into_iter().chain(behind);
        self.unread.splice(at..=at, rest);
        self.misses += usize::from(found.is_none());
        self.keys.extend(found.clone());
        Ok(found)
    }
}

/// True if a key differs from the place at which it was found before its last two bytes.
fn jumps(place: &[u8], key: &[u8]) -> bool {
    let alike = place.iter().zip(key).take_while(|(a, b)| a == b).count();
    alike + 2 < key.len()
}
