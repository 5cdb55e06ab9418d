//! The answer in a sentence.

use std::time::Duration;

use rowkey_design::internal::file::{Count, Period};
use rowkey_design::{Finding, Severity};

use super::numbers::{Numbers, Takes};
use crate::run::{Bars, Saturation};

/// The first words of the answer where no server saturates and no rule warns.
pub const NOTHING: &str = "Nothing to say";

/// A saturation of fewer intervals than this part of all, at the beginning, is over.
const BRIEF: f64 = 0.1;

pub(super) fn sentence(numbers: &Numbers, takes: Takes, sustained: Option<Bars>, findings: &[&Finding]) -> String {
    let severe = findings.iter().find(|finding| finding.severity > Severity::Note);
    let cause = severe.or_else(|| findings.first().filter(|_| numbers.saturates.is_some()));
    let cause = cause.map(|finding| {
        let remedy = finding.remedy.as_ref().map_or(String::new(), |remedy| format!(". To do: {}", remedy.text));
        format!("{}: {}{remedy}", finding.rule.id, finding.message)
    });
    match (&numbers.saturates, cause) {
        (Some(saturation), cause) => {
            let cause = cause.unwrap_or_else(|| {
                "no rule of `check` knows why: look at the hottest region, and at the number of servers".to_owned()
            });
            format!("{}{}. {cause}.", saturated(saturation), until(saturation, sustained))
        }
        (None, Some(cause)) => format!("No server saturates in this run: {}. But {cause}.", busiest(numbers, takes)),
        (None, None) => format!("{NOTHING}: {}.", busiest(numbers, takes)),
    }
}

fn saturated(saturation: &Saturation) -> String {
    let Saturation { reads, server, t_ms, asked, takes, .. } = saturation;
    let what = if *reads { "reads" } else { "writes" };
    let within = Period(Duration::from_secs(t_ms.div_ceil(1000)));
    format!(
        "Server {server} saturates within {within}: a server is asked for up to {} {what} a second, and takes {}",
        Count(asked.round()),
        Count(*takes)
    )
}

fn until(saturation: &Saturation, sustained: Option<Bars>) -> String {
    if saturation.part < BRIEF {
        return ", until the table is split and its regions are moved".to_owned();
    }
    let Some(Bars { of_run, least, greatest }) = sustained.filter(|_| !saturation.reads) else {
        return String::new();
    };
    let [of_run, least, greatest] = [of_run, least, greatest].map(|rate| Count(rate.round()).to_string());
    let range = if least == greatest { String::new() } else { format!(" ({least} to {greatest})") };
    format!("; the table takes {of_run} a second{range}, however many servers there are")
}

fn busiest(numbers: &Numbers, takes: Takes) -> String {
    let most = numbers.most;
    let told = |asked: f64, takes: f64, what: &str| {
        let of = if takes.is_finite() { format!(" of the {} that it takes", Count(takes)) } else { String::new() };
        format!("{} {what} a second{of}", Count(asked.round()))
    };
    match (most.writes > 0.0, most.reads > 0.0) {
        (false, true) => format!("the busiest server is asked for {} at most", told(most.reads, takes.reads, "reads")),
        (_, false) => format!("the busiest server is asked for {} at most", told(most.writes, takes.writes, "writes")),
        (true, true) => format!(
            "the busiest server is asked for {} at most, and for {}",
            told(most.writes, takes.writes, "writes"),
            told(most.reads, takes.reads, "rows read")
        ),
    }
}
