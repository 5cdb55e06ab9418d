//! The answer in a sentence.

use rowkey_design::internal::cost::ReadCost;
use rowkey_design::internal::file::Count;
use rowkey_design::{Finding, Severity};

use super::numbers::Numbers;
use super::takes::Takes;
use super::text::{percent, place};
use crate::page::elapsed;
use crate::run::{Bars, HotRegion, Saturation};

/// The first words of the answer where no server saturates and no rule warns.
pub const NOTHING: &str = "Nothing to say";

/// The rules that say where reads land; the others say it of writes.
const OF_READS: [&str; 3] = ["H14", "H17", "H26"];

/// The rule that says that all servers are too few.
const TOO_FEW: &str = "H24";

/// A region with more than this part of what the busiest server is asked for makes it the busiest.
const FULL: f64 = 0.7;

/// `sustained`: the rows written, and the reads, a second that the table takes; `hot`: the hottest region of those that
/// saturate a server.
pub(super) fn sentence(
    numbers: &Numbers,
    takes: Takes,
    sustained: [Option<Bars>; 2],
    hot: Option<&HotRegion>,
    findings: &[&Finding],
) -> String {
    // Findings about writes do not tell why reads are too many.
    let of_measure = |finding: &Finding| match &numbers.saturates {
        Some(saturation) => OF_READS.contains(&finding.rule.id) == saturation.reads,
        None => finding.severity > Severity::Note,
    };
    // More servers alone do not help a table whose hottest region is on one of them.
    let is_bound = numbers.saturates.as_ref().is_some_and(|saturation| is_bound(numbers, saturation));
    let of_measure = || findings.iter().filter(|finding| of_measure(finding));
    let cause = of_measure().find(|finding| !(is_bound && finding.rule.id == TOO_FEW)).or(of_measure().next());
    let cause = cause.map(|finding| {
        let remedy = finding.remedy.as_ref().map_or(String::new(), |remedy| format!(". To do: {}", remedy.text));
        format!("{}: {}{remedy}", finding.rule.id, finding.message)
    });
    match (&numbers.saturates, cause) {
        (Some(saturation), cause) => {
            let cause = cause.unwrap_or_else(|| {
                let region = numbers.region;
                format!("No rule of `check` knows why: look at the hottest {region}, and at the number of servers")
            });
            let what = if saturation.reads { "reads" } else { "writes" };
            let hot = hot.map_or(String::new(), |hot| {
                let region = numbers.region;
                format!(" The hottest {region} has {} of the {what}, {}.", percent(hot.share), place(hot))
            });
            format!("{}{}.{hot} {cause}.", saturated(saturation, numbers), until(saturation, numbers, sustained))
        }
        (None, Some(cause)) => format!("No server saturates in this run: {}. But {cause}.", busiest(numbers, takes)),
        (None, None) => format!("{NOTHING}: {}.", busiest(numbers, takes)),
    }
}

fn saturated(saturation: &Saturation, numbers: &Numbers) -> String {
    let Saturation { reads, server, t_ms, asked, takes, .. } = saturation;
    let what = match reads {
        true if numbers.read_cost != ReadCost::Rows => "read units a second",
        // Most of what is read is rows of scans.
        true if numbers.rows_read > 1.1 * numbers.reads => "reads a second (100 rows of a scan are one)",
        true => "reads a second",
        false => "writes a second",
    };
    format!(
        "Server {server} saturates within {}: a server is asked for up to {} {what}, and takes {}",
        elapsed(*t_ms),
        Count(asked.round()),
        Count(*takes)
    )
}

fn until(saturation: &Saturation, numbers: &Numbers, [writes, reads]: [Option<Bars>; 2]) -> String {
    if numbers.is_early {
        let first = numbers.sustained_at_first.filter(|_| !saturation.reads).zip(writes);
        let rates = first.map_or(String::new(), |(first, later)| {
            format!(": it takes {} a second at first, and {} later", Count(first.round()), Count(later.of_run.round()))
        });
        return match numbers.region {
            "region" => format!(", until the table is split and its regions are moved{rates}"),
            _ => format!(", at the beginning alone{rates}"),
        };
    }
    let time = match (saturation.part * 100.0).round() {
        100.0.. => String::new(),
        percent @ 1.0.. => format!(", in {percent} % of the time"),
        _ => ", in less than 1 % of the time".to_owned(),
    };
    let (sustained, what) = if saturation.reads { (reads, " reads") } else { (writes, "") };
    let Some(Bars { of_run, least, greatest }) = sustained else {
        return time;
    };
    let servers = if is_bound(numbers, saturation) { "however many servers there are" } else { "with these servers" };
    let [of_run, least, greatest] = [of_run, least, greatest].map(|rate| Count(rate.round()).to_string());
    let range = if least == greatest { String::new() } else { format!(" ({least} to {greatest})") };
    format!("{time}; the table takes {of_run}{what} a second{range}, {servers}")
}

/// True if one region, which is on one server, has most of what the busiest one has: others help nothing.
fn is_bound(numbers: &Numbers, saturation: &Saturation) -> bool {
    let (server, region) = match saturation.reads {
        true => (numbers.busiest_reader.unwrap_or(0.0), &numbers.hottest_read),
        false => (numbers.busiest_server, &numbers.hottest_written),
    };
    region.as_ref().is_some_and(|hottest| hottest.share > FULL * server)
}

fn busiest(numbers: &Numbers, takes: Takes) -> String {
    let most = numbers.most;
    let told = |asked: f64, takes: f64, what: &str| {
        // What is more by chance alone is no more.
        if asked > takes {
            return format!(
                "no more {what}s than it takes, {} a second, as far as a sample of events tells",
                Count(takes)
            );
        }
        let of = if takes.is_finite() { format!(" of the {} that it takes", Count(takes)) } else { String::new() };
        format!("{} a second{of} at most", Count(asked.round()).of(what))
    };
    match (most.writes > 0.0, most.reads > 0.0) {
        (false, true) => format!("the busiest server is asked for {}", told(most.reads, takes.reads, "read")),
        (_, false) => format!("the busiest server is asked for {}", told(most.writes, takes.writes, "write")),
        (true, true) => format!(
            "the busiest server is asked for {}, and for {}",
            told(most.writes, takes.writes, "write"),
            told(most.reads, takes.reads, "read")
        ),
    }
}
