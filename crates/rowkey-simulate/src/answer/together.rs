//! The load of all tables of a cluster together.

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::load::servers_for_all;
use rowkey_design::{Finding, Report};

use super::cause::{TOO_FEW, has};
use super::paces::Paces;
use super::sentence::{ALONE, NOTHING, OF_JUDGED};
use super::takes;
use super::text::percent;
use crate::recording::Run;
use crate::run::{AllTables, Answer, Interval, Server};
use crate::simulation::Declared;

/// The greatest parts of what all servers take that the tables of a cluster ask for at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// The part of the writes; 0 where one server takes all.
    pub writes: f64,
    /// The part of the reads; 0 where it is not known how many a server takes.
    pub reads: f64,
    /// The servers.
    pub servers: f64,
    /// The part of these parts that may be by chance.
    pub chance: f64,
}

impl Together {
    /// Those of tables each of which is simulated alone, while the servers have them all. None of one table, where
    /// they ask for nothing, and of an engine that has as many servers as a table needs.
    pub fn of<'r>(tables: impl IntoIterator<Item = (&'r Declared<'r>, &'r Run)>) -> Option<Self> {
        let (mut writes, mut reads, mut count, mut servers, mut chance) = (Vec::new(), Vec::new(), 0, 0.0f64, 0.0f64);
        let tables: Vec<_> = tables.into_iter().collect();
        let span_ms = tables.iter().map(|(_, run)| run.settings.interval_ms).fold(1, u64::max);
        for (declared, run) in tables {
            if declared.engine() == Engine::DynamoDb {
                return None;
            }
            count += 1;
            servers = servers.max(run.settings.servers.into());
            let (takes, all) = (takes(declared), f64::from(run.settings.servers));
            chance = add(&mut writes, span_ms, run, takes.writes * all, false).max(chance);
            chance = add(&mut reads, span_ms, run, takes.reads * all, true).max(chance);
        }
        let most = |parts: Vec<f64>| parts.into_iter().fold(0.0, f64::max);
        let found = Self { writes: most(writes), reads: most(reads), servers, chance };
        (count > 1 && found.writes.max(found.reads) > 0.0).then_some(found)
    }

    /// The answer about all tables. `report` is of `check` about the design: if it finds the same, its cure is told.
    pub fn answer(self, report: &Report) -> AllTables {
        let Self { writes, reads, .. } = self;
        let told = |least: f64| {
            let parts = [(writes, "writes"), (reads, "reads")].into_iter().filter(|(part, _)| *part > least);
            parts.map(|(part, what)| of_what(part, what)).collect::<Vec<_>>().join(" and ")
        };
        let saturates = writes > 1.0 || reads > 1.0;
        let sentence = match saturates {
            false => format!("All tables together ask for up to {} that the servers take.", told(0.0)),
            true => format!(
                "All tables together saturate the servers: they ask for up to {} that the servers take. \
                 {TOO_FEW}: {}.",
                told(1.0),
                self.cure(report)
            ),
        };
        AllTables { sentence, saturates, writes, reads }
    }
}

impl AllTables {
    /// Says of a table with nothing to say that it is so alone, where all tables together ask for too much.
    pub fn beside(&self, answer: &mut Answer) {
        if let Some(rest) = answer.sentence.strip_prefix(NOTHING).filter(|_| self.saturates) {
            answer.sentence = match rest.strip_prefix(OF_JUDGED) {
                Some(rest) => format!("{ALONE}, as far as it is judged{rest}"),
                None => format!("{ALONE}{rest}"),
            };
        }
    }
}

impl Together {
    /// The greatest cure of `check` for all tables together, if it finds one. They take no fewer servers than one of
    /// them does.
    fn cure(&self, report: &Report) -> String {
        let too_few = || report.findings.iter().filter(|finding| finding.rule.id == TOO_FEW);
        let number = |finding: &Finding, at: usize| finding.numbers.get(at).map_or(0.0, |number| number.value);
        let of_all = too_few().filter(|finding| has(finding, "tables"));
        let most = of_all.max_by(|a, b| number(a, 2).total_cmp(&number(b, 2)));
        // All, the servers, and what one of them takes.
        let of_one = too_few().filter(|finding| !has(finding, "tables"));
        let of_one = of_one.map(|finding| number(finding, 0) / (number(finding, 1) * number(finding, 2)));
        let least = of_one.filter(|part| part.is_finite()).fold(0.0, f64::max);
        let counted = self.writes.max(self.reads) * (1.0 - self.chance.max(ROUNDED));
        // One of reads alone says nothing of writes that are more.
        let takes_all = |finding: &&Finding| number(finding, 2) >= 100.0 * least.max(counted);
        match most.filter(takes_all).and_then(|finding| finding.remedy.as_ref()) {
            Some(remedy) => remedy.text.clone(),
            None => servers_for_all(self.measured().max(least), self.servers),
        }
    }

    /// The part that is measured, as it is told; but more than these servers take.
    fn measured(&self) -> f64 {
        self.writes.max(self.reads).max(1.0 + ROUNDED.max(self.chance) / self.servers.max(1.0))
    }
}

/// The part of what is counted that may be by chance, and of what is declared that is rounded.
const CHANCE: f64 = 0.01;
const ROUNDED: f64 = 1e-5;

/// The spans in the longest interval of all tables.
pub(crate) const SPANS: u64 = 32;

/// Adds the load of a table, as a part of what all servers take a second, in parts of the longest interval of all
/// tables; and returns what of it may be by chance. It is asked for at the declared pace, where there is one.
fn add(parts: &mut Vec<f64>, span_ms: u64, run: &Run, takes: f64, reads: bool) -> f64 {
    let Some(last) = run.intervals.last() else { return 0.0 };
    let (paces, part_ms) = (Paces::of(run, reads), (span_ms / SPANS).max(1));
    let of = |server: &Server| if reads { server.reads } else { server.writes };
    let counted = |(interval, length_ms): (&Interval, u64)| {
        let all = interval.servers.iter().map(|server| of(server) as f64).sum::<f64>();
        all / (length_ms as f64 / 1000.0)
    };
    let counted: Vec<f64> = run.intervals.iter().zip(run.lengths()).map(counted).collect();
    let mut chance = ROUNDED;
    for span in 0..last.t_ms.div_ceil(part_ms) {
        let (from_ms, to_ms) = (span * part_ms, ((span + 1) * part_ms).min(last.t_ms));
        let at = run.intervals.partition_point(|interval| interval.t_ms <= from_ms);
        let rate = paces.at(at, from_ms, to_ms).unwrap_or_else(|| {
            chance = CHANCE;
            counted.get(at).copied().unwrap_or(0.0)
        });
        let span = usize::try_from(span).unwrap_or(usize::MAX);
        if span >= parts.len() {
            parts.resize(span + 1, 0.0);
        }
        parts[span] += rate / takes;
    }
    chance
}

/// A part of what all servers take, or so many times that.
fn of_what(part: f64, what: &str) -> String {
    let of = if part < 10.0 { " of" } else { "" };
    format!("{}{of} the {what}", percent(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Region, Settings};

    #[test]
    fn servers_are_as_many_as_are_needed() {
        let of = |chance, part| Together { writes: part, reads: 0.0, servers: 4.0, chance };
        let told = |chance, part| of(chance, part).cure(&Report::default());
        for (part, servers) in [(1.001, "5 "), (1.24, "5 "), (1.3, "6 "), (2.502, "11 "), (2.6, "11 ")] {
            for chance in [CHANCE, ROUNDED] {
                assert!(told(chance, part).starts_with(servers), "{part}: {}", told(chance, part));
            }
        }
    }

    #[test]
    fn tables_are_added_by_time_however_long_their_intervals_are() {
        let run = |interval_ms, counts: &[u64]| {
            let interval = |(t_ms, writes): (u64, &u64)| {
                let servers = vec![Server { writes: *writes, ..Server::default() }];
                Interval { t_ms: t_ms * interval_ms, regions: vec![Region::default()], servers }
            };
            let settings = Settings { interval_ms, ..Settings::default() };
            Run { intervals: (1..).zip(counts).map(interval).collect(), ..Run::new(settings) }
        };
        let (few, many) = (run(3200, &[128, 0]), run(1600, &[16, 16, 96, 32]));
        let mut parts = Vec::new();
        for run in [&few, &many] {
            assert_eq!(add(&mut parts, 3200, run, 100.0, false), CHANCE);
        }
        let told: Vec<f64> = parts.chunks(parts.len() / 4).map(|parts| parts[0]).collect();
        assert_eq!(told, [0.5, 0.5, 0.6, 0.2]);
        // The last interval is as long as it is.
        let mut short = run(3200, &[320, 192]);
        short.intervals[1].t_ms = 3200 + 1920;
        let mut parts = Vec::new();
        add(&mut parts, 3200, &short, 100.0, false);
        assert!(parts.len() > 32 && parts.iter().all(|part| (part - 1.0).abs() < 1e-9), "{parts:?}");
    }
}
