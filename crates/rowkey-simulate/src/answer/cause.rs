//! The findings of `check` that say why a server saturates, and those that warn of what a run does not show.

use rowkey_design::internal::cost::QueryCost;
use rowkey_design::internal::design::Cluster;
use rowkey_design::{Finding, RuleLoad, Severity};

use super::numbers::Numbers;
use super::placing::Placing;
use crate::run::Saturation;

/// The rule that says that all servers are too few.
pub(super) const TOO_FEW: &str = "H24";

/// The rules about a table before its regions are split.
const OF_THE_BEGINNING: [&str; 2] = ["H09", "H10"];

/// The rule about a load that goes through the keys in their order.
const IN_ORDER: &str = "H19";

/// The rule about the size of a partition, which is no reason of a rate.
const OF_SIZE: &str = "H27";

/// A region with more than this part of what the busiest server is asked for makes it the busiest.
const FULL: f64 = 0.7;

/// The findings about a table, the most severe first, and those that were quoted.
pub(super) struct Causes<'f> {
    findings: &'f [&'f Finding],
    /// False if no rule is judged.
    is_judged: bool,
    /// True if a warning or an error was quoted.
    has_warned: bool,
    /// True if no finding says why a server saturates.
    pub(super) is_unknown: bool,
    /// The rules of those that were quoted, each once.
    pub(super) rules: Vec<String>,
}

impl<'f> Causes<'f> {
    pub(super) fn of(findings: &'f [&'f Finding], is_judged: bool) -> Self {
        Self { findings, is_judged, has_warned: false, is_unknown: false, rules: Vec::new() }
    }

    /// The reason of a saturation: a finding about what saturates, or where to look. None of one that passes, and of
    /// which there is but a note, where something else is warned of. Servers that are too few are told with what more
    /// of them do not help.
    pub(super) fn why(&mut self, numbers: &Numbers, saturation: &Saturation) -> Option<String> {
        // More servers alone do not help a table whose hottest region is on one of them.
        let is_bound = is_bound(numbers, saturation);
        let is_later = |finding: &&Finding| match finding.rule.id {
            TOO_FEW => is_bound,
            id => !saturation.passes && OF_THE_BEGINNING.contains(&id),
        };
        // What lasts when each server has a region is not of the beginning.
        let is_over =
            |finding: &Finding| !saturation.passes && numbers.are_on_all && OF_THE_BEGINNING.contains(&finding.rule.id);
        let of_rate = self.findings.iter().copied().filter(|finding| finding.rule.id != OF_SIZE);
        let mut own: Vec<_> = of_rate.filter(|finding| is_of(finding, saturation)).collect();
        own.sort_by_key(|finding| {
            (!is_in_order(finding, saturation), !warns(finding), is_later(finding), finding.rule.id != TOO_FEW)
        });
        if own.first().is_some_and(|first| is_over(first)) {
            own.retain(|finding| !is_over(finding));
        }
        let warns_first = own.first().is_some_and(|finding| warns(finding));
        if !warns_first && saturation.passes && self.unquoted().is_some() {
            return None;
        }
        self.has_warned |= warns_first;
        let is_too_few = own.first().is_some_and(|finding| finding.rule.id == TOO_FEW);
        let other = own.get(1).filter(|other| is_too_few && warns(other) && other.rule.id != TOO_FEW);
        let besides = other.map_or(String::new(), |other| format!(". Besides, {}", told(other)));
        let quoted = own.first().into_iter().chain(other);
        quoted.for_each(|finding| self.quote(finding));
        let placing = numbers.placings[usize::from(saturation.reads)].as_ref();
        let more = |first: &Finding| placing?.more_than(needed(first)?, numbers.region);
        Some(match own.first() {
            Some(first) => {
                let more = more(first).map_or(String::new(), |more| format!(". But {more}"));
                told(first) + &more + &besides
            }
            None => {
                let why = placing.and_then(|placing| placing.told(numbers.region));
                self.is_unknown |= why.is_none() || placing.is_some_and(Placing::is_moved);
                why.unwrap_or_else(|| self.look(numbers, saturation.reads, is_bound))
            }
        })
    }

    /// The most severe warning, if none was quoted: it is quoted now.
    pub(super) fn warning(&mut self) -> Option<String> {
        let found = self.unquoted()?;
        self.quote(found);
        Some(told(found))
    }

    /// The most severe warning, if none was quoted.
    fn unquoted(&self) -> Option<&'f Finding> {
        let is_of_load = |finding: &Finding| !has(finding, "tables") && finding.rule.load() != Some(RuleLoad::Runs);
        let mut warned = self.findings.iter().copied().filter(|finding| warns(finding) && is_of_load(finding));
        warned.next().filter(|_| !self.has_warned)
    }

    /// The words on where to look, and on the rules that do not say it, if they are judged.
    fn look(&self, numbers: &Numbers, reads: bool, is_bound: bool) -> String {
        let look = look(numbers, reads, is_bound);
        if self.is_judged { format!("No rule of `check` knows why: {look}") } else { begun(&look) }
    }

    fn quote(&mut self, finding: &Finding) {
        if !self.rules.iter().any(|rule| rule == finding.rule.id) {
            self.rules.push(finding.rule.id.to_owned());
        }
    }
}

/// True if a finding is of a query whose runs make most of the reads of these queries.
pub(super) fn makes_most(finding: &Finding, queries: &[&QueryCost<'_>], cluster: Option<&Cluster>) -> bool {
    let reads = |cost: &&QueryCost<'_>| cost.reads_of_runs(cluster).unwrap_or(0.0);
    let is_own = |cost: &&&QueryCost<'_>| finding.of.as_deref() == Some(cost.query.name.as_str());
    let own: f64 = queries.iter().filter(is_own).map(reads).sum();
    2.0 * own > queries.iter().map(reads).sum::<f64>()
}

/// Puts those first that last; of these, those that are warned of.
pub(super) fn warned_first(saturations: &mut [Saturation], findings: &[&Finding]) {
    let is_warned =
        |saturation: &Saturation| findings.iter().any(|finding| is_of(finding, saturation) && warns(finding));
    saturations.sort_by_key(|saturation| (saturation.passes, !is_warned(saturation)));
}

/// True if a finding is of what saturates. One of all tables together says nothing of a table simulated alone.
fn is_of(finding: &Finding, saturation: &Saturation) -> bool {
    let of_reads = match finding.rule.load() {
        Some(RuleLoad::Reads | RuleLoad::Runs) => true,
        Some(RuleLoad::Both) => has(finding, "reads"),
        _ => false,
    };
    of_reads == saturation.reads && !has(finding, "tables")
}

/// True if it is of a load in the order of the key that is too much for one server: neither split points nor more salt
/// buckets divide it.
fn is_in_order(finding: &Finding, saturation: &Saturation) -> bool {
    let rows = finding.numbers.iter().find(|number| number.name == "rows");
    finding.rule.id == IN_ORDER && !saturation.passes && rows.is_some_and(|rows| rows.value > saturation.takes)
}

/// True if the finding has a number of this name.
pub(super) fn has(finding: &Finding, name: &str) -> bool {
    finding.numbers.iter().any(|number| number.name == name)
}

/// The servers that take a load which spreads evenly over them, of a finding that these are too few.
fn needed(finding: &Finding) -> Option<f64> {
    let number = |name: &str| Some(finding.numbers.iter().find(|number| number.name == name)?.value);
    let of = |all: &str, each: &str| Some((number(all)? / number(each)?).ceil());
    let found = of("writes", "writes that one server takes").or_else(|| of("reads", "reads that one server takes"));
    found.filter(|_| finding.rule.id == TOO_FEW)
}

fn warns(finding: &Finding) -> bool {
    finding.severity > Severity::Note
}

fn told(finding: &Finding) -> String {
    let remedy = finding.remedy.as_ref().map_or(String::new(), |remedy| format!(". To do: {}", remedy.text));
    format!("{}: {}{remedy}", finding.rule.id, finding.message)
}

/// A hottest region with less than so many times an even part is about as the others.
const HOTTER: f64 = 1.5;

/// True if regions, of which the hottest has this share, are about alike; true of one.
pub(super) fn are_alike(share: f64, regions: usize) -> bool {
    share * (regions as f64) < HOTTER
}

/// The words as the beginning of a sentence.
fn begun(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// The place to look at.
fn look(numbers: &Numbers, reads: bool, is_bound: bool) -> String {
    let Numbers { region, regions, .. } = numbers;
    let hottest = if reads { &numbers.hottest_read } else { &numbers.hottest_written };
    let are_alike = hottest.as_ref().is_some_and(|hottest| *regions > 1 && are_alike(hottest.share, *regions));
    match (is_bound, are_alike) {
        (false, true) => format!("the {regions} {region}s are about alike: look at the number of servers"),
        (true, _) => format!("look at the hottest {region}, which more servers do not help"),
        (false, false) => format!("look at the hottest {region}, and at the number of servers"),
    }
}

/// True if one region, which is on one server, has most of what the busiest one has: others help little, if not so many
/// are known that take the load.
pub(super) fn is_bound(numbers: &Numbers, saturation: &Saturation) -> bool {
    let placing = numbers.placings[usize::from(saturation.reads)].as_ref();
    if let Some(is_bound) = placing.and_then(Placing::is_bound) {
        return is_bound;
    }
    let (server, region) = match saturation.reads {
        true => (numbers.busiest_reader.unwrap_or(0.0), &numbers.hottest_read),
        false => (numbers.busiest_server, &numbers.hottest_written),
    };
    match numbers.recurring[usize::from(saturation.reads)] {
        Some(again) => again.region > FULL * again.server,
        None => region.as_ref().is_some_and(|hottest| hottest.share > FULL * server),
    }
}
