//! Position of a scan: what is left to be read, and in which region.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::cluster::regions::Place;
use crate::model::region::Region;
use crate::model::rows::Rows;
use crate::model::scan::Scan;

/// The position of a scan: the rows that are still to be read. It is right at any time, so a scan can go on from it
/// after any fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) from: Bytes,
    pub(super) inclusive: bool,
    stop: Bytes,
    stop_inclusive: bool,
    reverse: bool,
    /// Rows that may still come.
    pub(super) left: Option<u64>,
}

impl Position {
    pub(super) fn new(scan: &Scan) -> Self {
        Self {
            from: scan.start.clone(),
            inclusive: scan.start_inclusive || scan.start.is_empty(),
            stop: scan.stop.clone(),
            stop_inclusive: scan.stop_inclusive,
            reverse: scan.reverse,
            left: scan.limit,
        }
    }

    /// The place of the region that has the next rows.
    pub(super) fn place(&self) -> Place<'_> {
        match (self.reverse, self.inclusive) {
            (true, _) if self.from.is_empty() => Place::Before(&[]),
            (true, false) => Place::Before(&self.from),
            _ => Place::At(&self.from),
        }
    }

    /// Returns whether rows come in order, behind `last` (or its row itself, if it is only a part), and not behind the
    /// scan's end. `is_part`: whether more of a row's cells follow.
    pub(super) fn takes(&self, rows: &Rows, last: Option<&[u8]>, is_part: impl Fn(usize) -> bool) -> bool {
        let order = |row: &[u8], other: &[u8]| if self.reverse { other.cmp(row) } else { row.cmp(other) };
        // A scan in reverse that begins at the table's end has no first row.
        let anywhere = self.from.is_empty() && self.inclusive;
        let (mut before, mut again) = match last {
            Some(last) => (Some(last), true),
            None => ((!anywhere).then_some(&self.from[..]), self.inclusive),
        };
        for (at, row) in rows.iter().enumerate() {
            let key = row.key();
            let behind = before.is_none_or(|before| match order(key, before) {
                Ordering::Greater => true,
                Ordering::Equal => again,
                Ordering::Less => false,
            });
            if !behind {
                return false;
            }
            (before, again) = (Some(key), is_part(at));
        }
        let last = rows.iter().next_back().filter(|_| !self.stop.is_empty());
        let Some(key) = last.map(|row| row.key()) else { return true };
        match order(key, &self.stop) {
            Ordering::Less => true,
            Ordering::Equal => self.stop_inclusive,
            Ordering::Greater => false,
        }
    }

    /// A row has been read to its end.
    pub(super) fn passed(&mut self, row: Bytes) {
        (self.from, self.inclusive) = (row, false);
        self.left = self.left.map(|left| left.saturating_sub(1));
    }

    /// Rows have been read to their ends. False if that would be more than may come: then nothing changes.
    pub(super) fn passed_all(&mut self, rows: &Rows) -> bool {
        let left = self.left.map(|left| left.checked_sub(rows.len() as u64));
        if left == Some(None) {
            return false;
        }
        self.left = left.flatten();
        if let Some(last) = rows.iter().next_back() {
            (self.from, self.inclusive) = (Bytes::copy_from_slice(last.key()), false);
        }
        true
    }

    /// A region has been read to its end. False if that was the last one.
    pub(super) fn leave(&mut self, region: &Region) -> bool {
        let (end, last) = match self.reverse {
            false => {
                let end = region.end();
                let behind = *end > self.stop || (*end == self.stop && !self.stop_inclusive);
                (end, !self.stop.is_empty() && behind)
            }
            true => (region.start(), !self.stop.is_empty() && *region.start() <= self.stop),
        };
        if end.is_empty() || last {
            return false;
        }
        (self.from, self.inclusive) = (end.clone(), !self.reverse);
        true
    }

    /// Returns whether there is nothing left to read.
    pub(super) fn is_at_end(&self) -> bool {
        self.left == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::region::tests::region;
    use crate::model::row::Row;
    use crate::pb;

    fn of(scan: &Scan) -> Position {
        Position::new(scan)
    }

    #[test]
    fn a_scan_goes_from_region_to_region() {
        let mut position = of(&Scan::new());
        assert_eq!(position.place(), Place::At(b""));
        assert!(position.leave(&region("", "m", 1)));
        assert_eq!(position.place(), Place::At(b"m"));
        position.passed("n".into());
        assert_eq!((position.place(), position.inclusive), (Place::At(b"n"), false));
        assert!(!position.leave(&region("m", "", 1)));
    }

    #[test]
    fn a_scan_in_reverse_goes_to_the_region_before() {
        let mut position = of(&Scan::new().reverse());
        assert_eq!(position.place(), Place::Before(b""));
        assert!(position.leave(&region("m", "", 1)));
        assert_eq!(position.place(), Place::Before(b"m"));
        assert!(!position.leave(&region("", "m", 1)));
        assert_eq!(of(&Scan::new().reverse().start("k")).place(), Place::At(b"k"));
        assert_eq!(of(&Scan::new().reverse().start_after("k")).place(), Place::Before(b"k"));
    }

    #[test]
    fn the_stop_ends_a_scan_in_its_region() {
        let m = region("", "m", 1);
        assert!(!of(&Scan::new().stop_before("m")).leave(&m));
        assert!(of(&Scan::new().stop_with("m")).leave(&m));
        assert!(!of(&Scan::new().stop_with("l")).leave(&m));
        assert!(of(&Scan::new().stop_before("n")).leave(&m));
        let m = region("m", "", 1);
        assert!(!of(&Scan::new().reverse().stop_with("m")).leave(&m));
        assert!(!of(&Scan::new().reverse().stop_before("m")).leave(&m));
        assert!(of(&Scan::new().reverse().stop_before("l")).leave(&m));
    }

    #[test]
    fn a_limit_counts_rows() {
        let mut position = of(&Scan::new().limit(2));
        position.passed("a".into());
        assert!(!position.is_at_end());
        position.passed("b".into());
        assert!(position.is_at_end());
    }

    #[test]
    fn many_rows_are_passed_at_once_if_they_may_come() {
        let row = |key: &&str| {
            let cell = pb::Cell { row: Some(Bytes::copy_from_slice(key.as_bytes())), ..Default::default() };
            Row::of_messages(&[cell]).unwrap()
        };
        let rows = |keys: &[&str]| Rows::from(keys.iter().map(row).collect::<Vec<_>>());
        let (three, mut position) = (rows(&["a", "b", "c"]), of(&Scan::new().limit(4)));
        assert!(position.passed_all(&three));
        assert_eq!((&*position.from, position.inclusive, position.left), (&b"c"[..], false, Some(1)));
        let before = position.clone();
        assert!(!position.passed_all(&rows(&["a", "b"])));
        assert_eq!(position, before);
        assert!(position.passed_all(&rows(&["a"])) && position.is_at_end());
        assert!(of(&Scan::new()).passed_all(&three));
    }
}
