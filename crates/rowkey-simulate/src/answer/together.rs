//! The load of all tables of a cluster together.

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::load::servers_for_all;
use rowkey_design::{Finding, Report};

use super::cause::{TOO_FEW, has};
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
}

impl Together {
    /// Those of tables each of which is simulated alone, while the servers have them all. None of one table, where
    /// they ask for nothing, and of an engine that has as many servers as a table needs.
    pub fn of<'r>(tables: impl IntoIterator<Item = (&'r Declared<'r>, &'r Run)>) -> Option<Self> {
        let (mut writes, mut reads, mut count, mut servers) = (Vec::new(), Vec::new(), 0, 0.0f64);
        let tables: Vec<_> = tables.into_iter().collect();
        let span_ms = tables.iter().map(|(_, run)| run.settings.interval_ms).fold(1, u64::max);
        for (declared, run) in tables {
            if declared.engine() == Engine::DynamoDb {
                return None;
            }
            count += 1;
            servers = servers.max(run.settings.servers.into());
            let takes = takes(declared);
            let all = f64::from(run.settings.servers) * span_ms as f64 / 1000.0;
            add(&mut writes, span_ms, &run.intervals, takes.writes * all, |server| server.writes);
            add(&mut reads, span_ms, &run.intervals, takes.reads * all, |server| server.reads);
        }
        let most = |parts: Vec<f64>| parts.into_iter().fold(0.0, f64::max);
        let found = Self { writes: most(writes), reads: most(reads), servers };
        (count > 1 && found.writes.max(found.reads) > 0.0).then_some(found)
    }

    /// The answer about all tables. `report` is of `check` about the design: if it finds the same, its cure is told.
    pub fn answer(self, report: &Report) -> AllTables {
        let Self { writes, reads, servers } = self;
        let told = |least: f64| {
            let parts = [(writes, "writes"), (reads, "reads")].into_iter().filter(|(part, _)| *part > least);
            parts.map(|(part, what)| format!("{} of the {what}", percent(part))).collect::<Vec<_>>().join(" and ")
        };
        let saturates = writes > 1.0 || reads > 1.0;
        let sentence = match saturates {
            false => format!("All tables together ask for up to {} that the servers take.", told(0.0)),
            true => format!(
                "All tables together saturate the servers: they ask for up to {} that the servers take. \
                 {TOO_FEW}: {}.",
                told(1.0),
                cure(report).unwrap_or_else(|| servers_for_all(measured(writes.max(reads), servers), servers))
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

/// The greatest cure of `check` for all tables together, if it finds one.
fn cure(report: &Report) -> Option<String> {
    let is_of_all = |finding: &&Finding| finding.rule.id == TOO_FEW && has(finding, "tables");
    let part = |finding: &Finding| finding.numbers.iter().map(|number| number.value).fold(0.0, f64::max);
    let most = report.findings.iter().filter(is_of_all).max_by(|a, b| part(a).total_cmp(&part(b)));
    most.and_then(|finding| Some(finding.remedy.as_ref()?.text.clone()))
}

/// A part that is measured, without what may be by chance; but more than these servers take.
fn measured(part: f64, servers: f64) -> f64 {
    const CHANCE: f64 = 0.01;
    (part * (1.0 - CHANCE)).max(1.0 + CHANCE / servers.max(1.0))
}

/// Adds the load of a table in each span, which is as long as the longest interval of all tables: as a part of what all
/// servers take.
fn add(parts: &mut Vec<f64>, span_ms: u64, intervals: &[Interval], takes: f64, of: fn(&Server) -> u64) {
    for (place, interval) in intervals.iter().enumerate() {
        let span = usize::try_from(interval.t_ms.saturating_sub(1) / span_ms).map_or(place, |span| span.min(place));
        parts.resize(parts.len().max(span + 1), 0.0);
        parts[span] += interval.servers.iter().map(|server| of(server) as f64).sum::<f64>() / takes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_as_many_as_are_needed_but_for_chance() {
        let told = |part| servers_for_all(measured(part, 4.0), 4.0);
        for (part, servers) in [(1.001, "5 "), (1.24, "5 "), (1.3, "6 "), (2.502, "10 "), (2.6, "11 ")] {
            assert!(told(part).starts_with(servers), "{part}: {}", told(part));
        }
    }

    #[test]
    fn tables_are_added_by_time_however_long_their_intervals_are() {
        let interval = |t_ms, writes| {
            let servers = vec![Server { writes, ..Server::default() }];
            Interval { t_ms, regions: Vec::new(), servers }
        };
        let few = [interval(2000, 8), interval(4000, 0)];
        let many = [interval(1000, 1), interval(2000, 1), interval(3000, 6), interval(4000, 2)];
        let mut parts = Vec::new();
        for intervals in [&few[..], &many] {
            add(&mut parts, 2000, intervals, 20.0, |server| server.writes);
        }
        assert_eq!(parts, [0.5, 0.4]);
    }
}
