//! A region of which keys are read at places that are drawn, and the ranges of it that are not read.

use rowkey_design::internal::drawn::mix;

use super::Keys;
use super::range::{Order, Range, Rows};
use super::spread::Spread;

/// The keys that tell how others begin and end.
const KNOWN: usize = 8;

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
}

impl Region {
    /// Reads the first and the last key of a range; none if it has no rows.
    pub(super) async fn of<R: Rows>(rows: &R, range: Range, seed: u64) -> Result<Option<Self>, R::Error> {
        let Some(first) = rows.read(&range, Order::Forwards, 1).await?.pop() else { return Ok(None) };
        let last = rows.read(&range, Order::Backwards, 1).await?.pop().unwrap_or_else(|| first.clone());
        let unread = vec![Range { start: first.clone(), is_after: false, end: range.end }];
        Ok(Some(Self { keys: Keys::new(), unread, has_more: true, first, last, random: mix(seed), misses: 0 }))
    }

    /// Reads the key that follows on each of `count` places: one in each even part of the region. Once some keys are
    /// known, every other place begins as one of them and ends as another.
    pub(super) async fn draw<R: Rows>(&mut self, rows: &R, count: usize) -> Result<(), R::Error> {
        let spread = Spread::new(&self.first, &self.last, &self.keys);
        let before = self.keys.len();
        let step = u64::MAX / (count as u64).max(1);
        for at in 0..count as u64 {
            // Most keys are read, if more places have none.
            if self.misses > self.keys.len() {
                break;
            }
            let even = spread.at(at * step + self.random(step));
            let place = if at % 2 == 1 && before >= KNOWN { self.crossed() } else { even };
            self.read_at(rows, place).await?;
        }
        self.has_more = count == 0 || self.keys.len() > before && self.misses <= self.keys.len();
        Ok(())
    }

    /// The beginning of a key, with the end of another.
    fn crossed(&mut self) -> Vec<u8> {
        let [one, other] = [(); 2].map(|()| self.random(self.keys.len() as u64) as usize);
        let at = self.random(self.keys[one].len() as u64 + 1) as usize;
        let (one, other) = (&self.keys[one], &self.keys[other]);
        [&one[..at], other.get(at..).unwrap_or_default()].concat()
    }

    /// A random number below another.
    fn random(&mut self, below: u64) -> u64 {
        self.random = mix(self.random);
        self.random % below.max(1)
    }

    /// Reads the first unread key from a place on, if there is one before the next that was read.
    async fn read_at<R: Rows>(&mut self, rows: &R, place: Vec<u8>) -> Result<(), R::Error> {
        let at = self.unread.partition_point(|range| range.start <= place).saturating_sub(1);
        let Some(range) = self.unread.get(at).cloned() else { return Ok(()) };
        if !range.end.is_empty() && range.end <= place {
            return Ok(());
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
        self.keys.extend(found);
        Ok(())
    }
}
