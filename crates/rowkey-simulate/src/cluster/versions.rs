//! Versions of rows that are overwritten: how many of them a file has.
//!
//! Row by row it is known which writes are of one key. Of a sample, an event stands for writes of the rows around its
//! key, so that two events are hardly ever of the same. The rows that there are being known, so many writes that come
//! to them as chance has it leave `rows × E[min(versions, Poisson(writes / rows))]`.

use super::rows::{Kind, Part, Row, Rows};

/// The rows that are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Rows from this second on; older ones have expired.
    pub(crate) since_s: u32,
    /// True if tombstones go, as they do where all files of a region become one (`COMPACT_DROP_DELETES`).
    pub(crate) drops_tombstones: bool,
    /// The most writes of a key that are kept, the last; none: all.
    pub(crate) versions: Option<u32>,
    /// The rows that there are, where what is written are versions of these.
    pub(crate) among: Option<Among>,
}

/// The rows of which versions are merged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Among {
    /// The number of them.
    pub(crate) rows: f64,
    /// The rows that a key of the sample stands for.
    pub(crate) each: u32,
    /// True of a memstore, which has all that was written; files have what is left of that.
    pub(crate) is_flush: bool,
}

impl Among {
    /// The versions that are left of the events of one key: they stand for those of as many rows as a key of the sample
    /// does, or, where each stands for more, for those of rows around it.
    pub(super) fn of_key(self, counts: impl Iterator<Item = u32> + Clone, keep: &Keep) -> u32 {
        let most = counts.clone().max().unwrap_or(0);
        if self.each <= 1 {
            return counts.last().unwrap_or(0);
        }
        let rows = f64::from(self.each);
        let writes = counts.map(|count| self.writes(f64::from(count) / rows, keep)).sum();
        let left = (rows * keep.left(writes)).round().min(f64::from(u32::MAX)) as u32;
        most.max(left)
    }

    /// The writes of a row of which a part has so many versions.
    fn writes(self, versions: f64, keep: &Keep) -> f64 {
        if self.is_flush { versions } else { keep.writes(versions) }
    }

    /// Merged rows, of which so many are left as are if they are versions of these.
    pub(super) fn thinned(self, merged: Rows, parts: &[Part<'_>], keep: &Keep) -> Rows {
        let puts = |rows: &mut dyn Iterator<Item = &Row>| {
            let puts = rows.filter(|row| row.kind == Kind::Put && row.t_s >= keep.since_s);
            puts.fold((0.0, 1), |(sum, most), row| (sum + f64::from(row.count), row.count.max(most)))
        };
        let (found, most) = puts(&mut merged.rows(0..merged.len()));
        // The keys say it, where none stands for more rows than are of it.
        if most <= self.each || self.rows <= 0.0 {
            return merged;
        }
        let writes = match self.is_flush {
            true => found / self.rows,
            false => {
                let files = parts.iter().map(|(rows, range)| puts(&mut rows.rows(range.clone())).0);
                files.map(|file| keep.writes(file / self.rows)).sum()
            }
        };
        let part = self.rows * keep.left(writes) / found;
        if part < 1.0 { scaled(&merged, part) } else { merged }
    }
}

/// Rows of which a part is left: what is cut from one goes on to the next.
fn scaled(rows: &Rows, part: f64) -> Rows {
    let (mut scaled, mut before, mut given) = (Rows::default(), 0.0, 0.0);
    for at in 0..rows.len() {
        let mut row = *rows.row(at);
        if row.kind == Kind::Put {
            before += f64::from(row.count) * part;
            row.count = (before - given).round().max(0.0) as u32;
            given += f64::from(row.count);
        }
        if row.count > 0 {
            scaled.push(rows.key(at), row);
        }
    }
    scaled
}

/// The versions from which on their number is what is written, up to the most: chance takes little from it.
const MANY: u32 = 64;

impl Keep {
    /// The versions of a row that are left of so many writes, on average.
    fn left(&self, writes: f64) -> f64 {
        let most = self.versions.unwrap_or(u32::MAX);
        if most > MANY || writes.is_infinite() {
            return writes.min(f64::from(most));
        }
        // The sum of the chances of more than 0, 1, 2 … writes.
        let (mut term, mut up_to, mut left) = (libm::exp(-writes), 0.0, 0.0);
        for number in 0..most {
            up_to += term;
            left += 1.0 - up_to;
            term *= writes / f64::from(number + 1);
        }
        left.max(0.0)
    }

    /// The writes that leave so many versions of a row.
    fn writes(&self, left: f64) -> f64 {
        let most = f64::from(self.versions.unwrap_or(u32::MAX));
        if left >= most * (1.0 - 1e-9) {
            return f64::INFINITY;
        }
        if self.versions == Some(1) {
            return -libm::log1p(-left);
        }
        // No more than some dozens of writes leave less than all but a part in a thousand million.
        let (mut low, mut high) = (left, 2.0 * most + 64.0);
        for _ in 0..48 {
            let middle = (low + high) / 2.0;
            if self.left(middle) < left { low = middle } else { high = middle }
        }
        (low + high) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::Keep;

    fn keep(versions: u32) -> Keep {
        Keep { since_s: 0, drops_tombstones: false, versions: Some(versions), among: None }
    }

    #[test]
    fn versions_that_are_left_tell_the_writes() {
        for versions in [1, 2, 3, 10, 64, 1000] {
            let keep = keep(versions);
            for writes in [0.0, 0.001, 0.5, 1.0, f64::from(versions) / 2.0] {
                let left = keep.left(writes);
                assert!(left <= writes && left <= f64::from(versions));
                assert!((keep.writes(left) - writes).abs() < 1e-6, "{versions} {writes} {left}");
            }
            assert_eq!(keep.left(keep.writes(f64::from(versions))), f64::from(versions));
        }
        // One of four rows is not written by ln 4 writes a row.
        assert!((keep(1).left(4f64.ln()) - 0.75).abs() < 1e-12);
    }
}
