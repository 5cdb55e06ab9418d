//! The answers: what saturates, when, at what rate, and what to change.
//!
//! The measures of a simulation are told with the findings of `check`, whose load model it shares: the verdict is a
//! rule of `check`, so that the two cannot disagree.

mod cause;
mod counted;
mod hottest;
mod keys;
mod layouts;
mod moving;
mod numbers;
mod paces;
mod page_text;
mod peaks;
mod placing;
pub mod rates;
mod recurring;
mod sentence;
mod shares;
mod span;
mod takes;
mod text;
mod together;
mod unknown;
mod watched;
mod windows;

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::load::reads_per_server;
use rowkey_design::{Finding, Report, RuleLoad};

use self::hottest::Hottest;
use self::numbers::Numbers;
pub use self::page_text::{capacity, page_text, watched_text};
use self::sentence::Known;
pub use self::sentence::NOTHING;
use self::takes::Takes;
pub use self::text::{facts, text, text_within};
pub(crate) use self::together::SPANS;
pub use self::together::Together;
pub use self::watched::watched;
use crate::event::Written;
use crate::page::labels_of_range;
use crate::recording::Run;
use crate::run::{Answer, Bars, HotRegion, QueryAnswer};
use crate::simulation::{Declared, Simulates};
pub use crate::wrap::paragraph;

/// The numbers of another run of the same load: all that answers need of it.
#[derive(Clone, Debug)]
pub struct Other(Numbers);

impl Other {
    /// Those of a run.
    pub fn of(declared: &Declared<'_>, run: &Run) -> Self {
        Self(Numbers::of(run, takes(declared), declared))
    }
}

/// The answers of a run, with others of the same load: by other seeds, and with values that are somewhat more and less
/// uneven. `report` is what `check` finds in the design, `costs` what the table's queries cost.
pub fn answer(
    declared: &Declared<'_>,
    run: &Run,
    others: &[Other],
    report: &Report,
    costs: &[QueryCost<'_>],
    assumed: &[String],
) -> Answer {
    judged(declared, run, others, Some(report), costs, assumed)
}

/// The same; without a report no rule is judged.
fn judged(
    declared: &Declared<'_>,
    run: &Run,
    others: &[Other],
    report: Option<&Report>,
    costs: &[QueryCost<'_>],
    assumed: &[String],
) -> Answer {
    let (is_judged, none) = (report.is_some(), Report::default());
    let report = report.unwrap_or(&none);
    let takes = takes(declared);
    let mut numbers = Numbers::of(run, takes, declared);
    let own: Vec<&QueryCost<'_>> = costs.iter().filter(|cost| cost.secondary == declared.key.secondary).collect();
    let saturates_reads = numbers.saturations.iter().any(|saturation| saturation.reads);
    let findings = findings(declared, report, if saturates_reads { &own } else { &[] });
    let unjudged = unjudged(declared, report);
    let one_server = run.intervals.iter().all(|interval| interval.regions.len() == 1).then_some(1.0);
    cause::warned_first(&mut numbers.saturations, &findings);
    let bars = |of: &dyn Fn(&Numbers) -> f64| {
        let all = || others.iter().map(|other| &other.0).chain([&numbers]).map(of);
        Bars { of_run: of(&numbers), least: all().fold(f64::INFINITY, f64::min), greatest: all().fold(0.0, f64::max) }
    };
    let hours = run.seconds() / 3600.0;
    let some = |of: fn(&Numbers) -> Option<f64>| {
        let own = of(&numbers)?;
        Some(bars(&|other| of(other).unwrap_or(own)))
    };
    let sustained = some(|numbers| numbers.sustained);
    let sustained_reads = some(|numbers| numbers.sustained_reads);
    let [hottest_written, hottest_read] = [&numbers.hottest_written, &numbers.hottest_read]
        .map(|hottest| hottest.as_ref().map(|of| named(declared, run, of)));
    let mut assumed = [&declared.assumed[..], &run.assumed, assumed].concat();
    assumed.dedup();
    let of_events = run.written.and_then(Written::part_of_keys);
    let regions = numbers::regions(run, declared.simulates == Simulates::Ranges);
    let known_part = unknown::known_part(run);
    let known = Known {
        numbers: &numbers,
        takes,
        sustained: [sustained, sustained_reads],
        hottest: [hottest_written.as_ref(), hottest_read.as_ref()],
        findings: &findings,
        is_judged,
        unjudged: &unjudged,
        server_names: &run.settings.server_names,
        is_split: !run.splits.is_empty() || !run.moves.is_empty(),
        unknown: unknown::sentence(&regions, known_part),
    };
    let (sentence, rules) = known.sentence();
    Answer {
        table: declared.key.name.to_string(),
        sentence,
        rules,
        saturates: numbers.saturations.first().cloned(),
        saturates_too: numbers.saturations.get(1).cloned(),
        unjudged,
        writes: numbers.writes,
        known: known_part,
        write_unit: takes.write_cost.unit().to_owned(),
        reads: numbers.reads,
        read_unit: takes.read_cost.unit().to_owned(),
        rows_read: numbers.rows_read,
        sustained,
        sustained_at_first: numbers.sustained_at_first,
        sustained_reads,
        busiest_server: bars(&|numbers| numbers.busiest_server),
        busiest_reader: some(|numbers| numbers.busiest_reader),
        hottest_region: bars(&|numbers| numbers.hottest_written.as_ref().map_or(0.0, |hottest| hottest.share)),
        hottest_reader: some(|numbers| Some(numbers.hottest_read.as_ref()?.share)),
        hottest_written,
        hottest_read,
        gini: numbers.gini,
        regions,
        keys: Some(of_events.unwrap_or_else(|| keys::stored(&declared.key))),
        keys_written: of_events.or_else(|| keys::written(&declared.key)),
        node_hours: hours * f64::from(run.settings.servers),
        used: numbers.used,
        queries: own.into_iter().map(|cost| query(cost, one_server, report, declared)).collect(),
        assumed,
        seen: Vec::new(),
    }
}

/// The writes and the reads a second that one server of a table takes.
fn takes(declared: &Declared<'_>) -> Takes {
    let reads = reads_per_server(declared.engine(), declared.cluster());
    Takes {
        writes: declared.demand.takes,
        reads: reads.unwrap_or(f64::INFINITY),
        write_cost: declared.write_cost(),
        read_cost: declared.read_cost(),
    }
}

/// The findings that say where the load of a table lands, and those of the runs of that one of these queries which makes
/// most of the reads; the most severe first.
fn findings<'r>(declared: &Declared<'_>, report: &'r Report, queries: &[&QueryCost<'_>]) -> Vec<&'r Finding> {
    let table = declared.key.table;
    let secondaries = || table.table.secondary.iter().map(|secondary| secondary.name.as_str());
    let own = declared.key.secondary.and_then(|at| secondaries().nth(at));
    let is_of = |finding: &&Finding| {
        let of = finding.of.as_deref();
        let named = secondaries().find(|name| of == Some(*name) || finding.message.contains(&format!("{name:?}")));
        let is_own = match finding.rule.load() {
            None => false,
            Some(RuleLoad::Runs) => cause::makes_most(finding, queries, declared.cluster()),
            Some(_) => named == own,
        };
        is_own && *finding.table == *table.name.value
    };
    let mut found: Vec<&Finding> = report.findings.iter().filter(is_of).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

/// The questions about a table that `check` does not judge. They are of all its keys: a secondary table has none.
fn unjudged(declared: &Declared<'_>, report: &Report) -> Vec<String> {
    let of_table = report.unjudged.iter().filter(|unjudged| unjudged.table == *declared.key.table.name.value);
    of_table.filter(|_| declared.key.secondary.is_none()).map(|unjudged| unjudged.question.clone()).collect()
}

/// A hottest region with its first key and its end as people read them.
fn named(declared: &Declared<'_>, run: &Run, hottest: &Hottest) -> HotRegion {
    let Hottest { start, end, server, share, t_ms } = hottest.clone();
    let times = declared.times();
    let end_key = end.as_ref().map(|end| &end.0[..]);
    let (label, end_label) = labels_of_range(&start.0, end_key, declared.layout(), &times);
    let server_name = run.settings.server_names.get(server as usize).cloned();
    HotRegion { label, end_label, start, end, server, server_name, share, t_ms }
}

/// The answer about a query. `one_server` is what a table asks that is one region all the time.
fn query(cost: &QueryCost<'_>, one_server: Option<f64>, report: &Report, declared: &Declared<'_>) -> QueryAnswer {
    let name = cost.query.name.as_str();
    QueryAnswer {
        query: name.to_owned(),
        read_per_returned: cost.amplification(),
        passes_deleted: report.passes_deleted(&declared.key.table.name, name),
        seeks: cost.range_count() as u64,
        servers: cost.servers.or(one_server),
    }
}
