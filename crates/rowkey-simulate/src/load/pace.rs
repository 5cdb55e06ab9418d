//! The pace of a drawn load: its rate at each time, which its design says, and which no event needs to be counted for.

use super::Drawn;
use super::clock::Clock;
use super::drawn::{Does, Source};

/// The pace of the writes and of the reads of a load. Of reads there is none where queries go by different shapes, as it
/// is not known how much each counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    writes: Vec<Paced>,
    reads: Vec<Paced>,
}

/// A load by a clock: so many times so much.
#[derive(Clone, Debug)]
struct Paced {
    clock: Clock,
    count: u64,
    each: f64,
}

impl Pace {
    fn of(&self, reads: bool) -> &[Paced] {
        if reads { &self.reads } else { &self.writes }
    }

    /// True if it is known.
    pub(crate) fn is_known(&self, reads: bool) -> bool {
        !self.of(reads).is_empty()
    }

    /// The sum between two times in seconds, in some measure; none if it is not known.
    pub(crate) fn between(&self, reads: bool, from: f64, to: f64) -> Option<f64> {
        let of = self.of(reads);
        (!of.is_empty()).then(|| of.iter().map(|paced| paced.before(to) - paced.before(from)).sum())
    }

    /// The highest rate between two times, in the same measure; none where rates do not go up and down together, as it
    /// is not known where each goes, and where one is assumed.
    pub(crate) fn most(&self, reads: bool, from: f64, to: f64) -> Option<f64> {
        let of = Self::together(self.of(reads))?;
        let going = of.iter().filter(|paced| paced.goes_on(from));
        Some(going.map(|paced| paced.each * paced.clock.most(from, to)).sum())
    }

    /// The part of the time between two times in which the rate is above a limit; none where rates do not go together.
    pub(crate) fn above(&self, reads: bool, from: f64, to: f64, limit: f64) -> Option<f64> {
        let of = Self::together(self.of(reads))?;
        let going: Vec<&Paced> = of.iter().filter(|paced| paced.goes_on(from)).collect();
        let Some(first) = going.first() else { return Some(0.0) };
        let times: f64 = going.iter().map(|paced| paced.each * paced.clock.mean() / first.clock.mean()).sum();
        Some((first.clock.above(from, to, limit / times) / (to - from)).clamp(0.0, 1.0))
    }

    /// Those whose rates are declared, and go up and down together.
    fn together(of: &[Paced]) -> Option<&[Paced]> {
        let is_as = |two: &[Paced]| two[0].clock.goes_as(&two[1].clock);
        let is_declared = |of: &&[Paced]| !of.is_empty() && of.iter().all(|paced| paced.clock.is_declared);
        Some(of).filter(is_declared).filter(|of| of.windows(2).all(is_as))
    }
}

impl Paced {
    fn before(&self, time: f64) -> f64 {
        self.each * self.clock.before(time).min(self.count as f64)
    }

    /// True if more come after a time.
    fn goes_on(&self, time: f64) -> bool {
        self.clock.before(time) < self.count as f64
    }
}

impl Drawn<'_> {
    /// The pace of its events.
    pub(crate) fn pace(&self) -> Pace {
        let paced = |source: &Source<'_>, each: f64| Paced { clock: source.clock.clone(), count: source.count, each };
        let writes = self.sources.iter().filter(|source| !source.reads());
        let writes =
            writes.map(|source| paced(source, if matches!(source.does, Does::Replace(_)) { 2.0 } else { 1.0 }));
        let reads = |source: &&Source<'_>| source.reads() || matches!(source.does, Does::Put(_, true));
        let mut reads: Vec<Paced> = self.sources.iter().filter(reads).map(|source| paced(source, 1.0)).collect();
        if !reads.windows(2).all(|two| two[0].clock.goes_as(&two[1].clock)) {
            reads.clear();
        }
        Pace { writes: writes.collect(), reads }
    }

    /// The shortest time, in seconds, in which a rate goes its own way: of writes, and of reads, that do not go up and
    /// down together, so that their peaks within a time are not known. None if there are no such.
    pub(crate) fn shortest_apart(&self) -> Option<f64> {
        let of = [false, true].map(|reads| {
            let is_of = move |source: &&Source<'_>| match reads {
                true => source.reads() || matches!(source.does, Does::Put(_, true)),
                false => !source.reads(),
            };
            let of = || self.sources.iter().filter(is_of);
            let is_as = of().zip(of().skip(1)).all(|(one, other)| one.clock.goes_as(&other.clock));
            of().filter_map(|source| source.clock.shortest()).filter(|_| !is_as).min_by(f64::total_cmp)
        });
        of.into_iter().flatten().min_by(f64::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use rowkey_design::{Design, File};

    use super::Pace;
    use crate::load::{Drawn, Options};

    fn of(writes: &[&str], queries: &[&str]) -> Pace {
        let part = |kind: &str, rates: &[&str]| -> String {
            let part = |(at, rate): (usize, &&str)| {
                let fix = if kind == "query" { "fix = [\"id\"]\n" } else { "" };
                format!("[[table.t.{kind}]]\nname = \"{kind}{at}\"\n{fix}rate = \"{rate}\"\n")
            };
            rates.iter().enumerate().map(part).collect()
        };
        let [writes, queries] = [part("write", writes), part("query", queries)];
        let text = format!("format = 1\n[table.t]\nkey = [\"id: u64\"]\n{writes}{queries}");
        let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text }]).unwrap();
        let options = Options { seconds: 86_400.0, ..Options::default() };
        Drawn::new(&design, "t", None, None, None, &options).unwrap().pace()
    }

    #[test]
    fn writes_are_added_and_reads_go_together() {
        let bursts = "6/s\"\nshape = \"bursts of 10 min every 1 h";
        let both = of(&["4/s", bursts], &["1/s", "3/s"]);
        assert_eq!(both.between(false, 0.0, 600.0), Some(24_000.0));
        assert_eq!(both.between(false, 600.0, 3600.0), Some(12_000.0));
        assert_eq!(both.between(true, 0.0, 100.0), Some(400.0));
        // In the same shape they are highest together; in others it is not known what goes where.
        assert_eq!(both.most(false, 0.0, 60.0), None);
        let together = of(&[bursts, "4/s\"\nshape = \"bursts of 10 min every 1 h"], &[]);
        for (from, to, most, above) in
            [(0.0, 86_400.0, 60.0, 1.0 / 6.0), (300.0, 900.0, 60.0, 0.5), (600.0, 3600.0, 0.0, 0.0)]
        {
            assert_eq!(together.most(false, from, to), Some(most), "{from} {to}");
            assert!((together.above(false, from, to, 59.0).unwrap() - above).abs() < 1e-9, "{from} {to}");
            assert_eq!(together.above(false, from, to, 61.0), Some(0.0), "{from} {to}");
        }
        // By day a quarter of the time is above three quarters of the peak, which is at noon.
        let by_day = of(&["4/s\"\nshape = \"by day"], &[]);
        for days in [1.0, 7.0] {
            assert_eq!(by_day.most(false, 0.0, days * 86_400.0), Some(8.0));
            assert!((by_day.above(false, 0.0, days * 86_400.0, 6.0).unwrap() - 0.25).abs() < 1e-9);
        }
        assert!((by_day.most(false, 0.0, 21_600.0).unwrap() - 4.0).abs() < 1e-9);
        // Nothing comes after the end.
        assert_eq!(both.between(false, 86_400.0, 90_000.0), Some(0.0));
        // It is not known how much a run of each reads.
        assert_eq!(of(&["4/s"], &["1/s", bursts]).between(true, 0.0, 100.0), None);
        assert_eq!(of(&["4/s"], &[]).between(true, 0.0, 100.0), None);
    }
}
