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
}

impl Paced {
    fn before(&self, time: f64) -> f64 {
        self.each * self.clock.before(time).min(self.count as f64)
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
        // Nothing comes after the end.
        assert_eq!(both.between(false, 86_400.0, 90_000.0), Some(0.0));
        // It is not known how much a run of each reads.
        assert_eq!(of(&["4/s"], &["1/s", bursts]).between(true, 0.0, 100.0), None);
        assert_eq!(of(&["4/s"], &[]).between(true, 0.0, 100.0), None);
    }
}
