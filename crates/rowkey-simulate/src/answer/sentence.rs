//! The answer in a sentence.

use rowkey_design::Finding;
use rowkey_design::internal::cost::{ReadCost, WriteCost};

use super::cause::{Causes, is_bound};
use super::numbers::Numbers;
use super::takes::Takes;
use super::text::{named, percent, place, rate};
use crate::page::elapsed;
use crate::recording::SHORTEST_MS;
use crate::run::{Bars, HotRegion, Saturation};

/// The first words of the answer where no server saturates and no rule warns.
pub const NOTHING: &str = "Nothing to say";

/// Those in their place, where all tables together ask for more than the servers take.
pub(super) const ALONE: &str = "Alone it is fine";

/// The words behind them where not all is judged.
pub(super) const OF_JUDGED: &str = " of what is judged";

/// The limit of short steps: one is no more than a part in so many of the time that is told.
const COARSE: u64 = 10;

/// A share is told as another one than at the most if it is less than this part of it.
const LESS: f64 = 0.95;

/// The numbers of a run and what is known of them; of two, the first is of writes and the second of reads.
pub(super) struct Known<'k> {
    pub(super) numbers: &'k Numbers,
    pub(super) takes: Takes,
    /// The rows written, and the reads, a second that the table takes.
    pub(super) sustained: [Option<Bars>; 2],
    pub(super) hottest: [Option<&'k HotRegion>; 2],
    /// The most severe first.
    pub(super) findings: &'k [&'k Finding],
    /// False if no rule is judged.
    pub(super) is_judged: bool,
    pub(super) unjudged: &'k [String],
    /// The hosts and ports of the servers, by number, where they have any.
    pub(super) server_names: &'k [String],
    /// True if regions were split, or moved.
    pub(super) is_split: bool,
    /// The sentence on regions of which no server told.
    pub(super) unknown: Option<String>,
}

impl Known<'_> {
    /// The answer: each server that saturates and keeps on, or else the one that does at first, and why; what `check`
    /// warns of beside; what it does not judge; and of how many regions nothing is known. With it, the rules that it
    /// quotes, in its order.
    pub(super) fn sentence(&self) -> (String, Vec<String>) {
        let Self { numbers, takes, unjudged, .. } = *self;
        let mut causes = Causes::of(self.findings, self.is_judged);
        let mut told: Vec<String> = Vec::new();
        let lasts = |at: usize, saturation: &Saturation| at == 0 || !saturation.passes;
        for (at, saturation) in numbers.saturations.iter().enumerate().filter(|(at, found)| lasts(*at, found)) {
            let besides = if at == 0 { "" } else { "Besides: " };
            told.push(format!("{besides}{}", self.of_saturation(saturation)));
            told.extend(causes.why(numbers, saturation).map(|why| format!("{why}.")));
        }
        let busiest = || busiest(numbers, takes);
        match (numbers.saturations.is_empty(), causes.warning()) {
            (true, Some(warning)) => told.push(format!(
                "No server saturates in this run: {}. But `check` warns of the load, {warning}.",
                busiest()
            )),
            (true, None) => {
                let judged = if unjudged.is_empty() && self.unknown.is_none() { "" } else { OF_JUDGED };
                told.push(format!("{NOTHING}{judged}: {}.", busiest()));
            }
            (false, Some(warning)) => told.push(format!("Besides, {warning}.")),
            (false, None) => {}
        }
        if (numbers.saturations.is_empty() || causes.is_unknown) && !unjudged.is_empty() {
            told.push(format!("Not judged: {}.", unjudged.join("; ")));
        }
        told.extend(self.unknown.clone());
        (told.join(" "), causes.rules)
    }

    fn of_saturation(&self, saturation: &Saturation) -> String {
        let (numbers, of) = (self.numbers, usize::from(saturation.reads));
        let what = if saturation.reads { "reads" } else { "writes" };
        let hot = self.hottest[of].map_or(String::new(), |hot| {
            let again = numbers.recurring[of].filter(|again| !saturation.passes && hot.share < LESS * again.region);
            let again = again
                .map_or(String::new(), |again| format!(", and at times another one has {}", percent(again.region)));
            format!(" The hottest {} has {} of the {what}, {}{again}.", numbers.region, percent(hot.share), place(hot))
        });
        format!("{}{}.{hot}", self.saturated(saturation), self.until(saturation))
    }

    fn until(&self, saturation: &Saturation) -> String {
        let (Self { numbers, takes, sustained, .. }, of) = (self, usize::from(saturation.reads));
        // Rows that are written are no more than they are called.
        let unit = if saturation.reads || takes.write_cost != WriteCost::Rows {
            format!(" {}s", takes.word(saturation.reads))
        } else {
            String::new()
        };
        let [writes, reads] = *sustained;
        if saturation.passes {
            let first = numbers.sustained_at_first.filter(|_| !saturation.reads).zip(writes);
            let rates = first.map_or(String::new(), |(first, later)| {
                format!(": it takes {}{unit} a second at first, and {} later", rate(first), rate(later.of_run))
            });
            // What a watched cluster did not do is not waited for.
            let is_split = self.is_split || self.server_names.is_empty();
            return match numbers.region {
                "region" if is_split => format!(", until the table is split and its regions are moved{rates}"),
                _ => format!(", at the beginning alone{rates}"),
            };
        }
        let time = match (saturation.part * 100.0).round() {
            100.0.. => String::new(),
            percent @ 1.0.. => format!(", in {percent} % of the time"),
            _ => ", in less than 1 % of the time".to_owned(),
        };
        let Some(Bars { of_run, least, greatest }) = (if saturation.reads { reads } else { writes }) else {
            return time;
        };
        let is_bound = is_bound(numbers, saturation);
        let servers = if is_bound { "however many servers there are" } else { "with these servers" };
        // With any number of servers it takes what its heaviest value leaves, or else its hottest region.
        let heaviest = numbers.heaviest[of].filter(|_| is_bound);
        let times = if is_bound { self.beside_hottest(saturation.reads).unwrap_or(1.0) } else { 1.0 };
        let taken = |taken: f64| rate(heaviest.map_or(times * taken, |part| saturation.takes / part));
        let [of_run, least, greatest] = [of_run, least, greatest].map(taken);
        let range = if least == greatest { String::new() } else { format!(" ({least} to {greatest})") };
        format!("{time}; the table takes {of_run}{unit} a second{range}, {servers}")
    }

    /// The busiest server's part in parts of that of its hottest region, if it has much else to do.
    fn beside_hottest(&self, reads: bool) -> Option<f64> {
        let (numbers, of) = (self.numbers, usize::from(reads));
        let busiest = if reads { numbers.busiest_reader? } else { numbers.busiest_server };
        let again = numbers.recurring[of].map(|again| (again.server, again.region));
        let (server, region) = again.or_else(|| Some((busiest, self.hottest[of]?.share)))?;
        Some(server / region).filter(|times| times.is_finite() && LESS * times > 1.0)
    }

    fn saturated(&self, saturation: &Saturation) -> String {
        let Self { numbers, takes, server_names, .. } = self;
        let Saturation { reads, server, asked, takes: each, .. } = saturation;
        // Most of what is read is rows of scans.
        let are_rows = *reads && takes.read_cost == ReadCost::Rows && numbers.rows_read > 1.1 * numbers.reads;
        format!(
            "Server {} saturates {}: a server is asked for up to {} {}s a second{}, and takes {}",
            named(*server, server_names.get(*server as usize)),
            since(saturation, !server_names.is_empty()),
            rate(*asked),
            takes.word(*reads),
            if are_rows { " (100 rows of a scan are one)" } else { "" },
            rate(*each)
        )
    }
}

/// A time is as near as the steps in which the load is looked at, which is said if they are long. What is told is of a
/// minute at least, and so is the start; but of a watched table it is the first interval.
fn since(saturation: &Saturation, is_watched: bool) -> String {
    let Saturation { t_ms, step_ms, .. } = *saturation;
    let start_ms = if is_watched { 1 } else { SHORTEST_MS };
    match t_ms {
        _ if t_ms < step_ms.saturating_add(start_ms) => "from the start".to_owned(),
        _ if t_ms / COARSE >= step_ms => format!("within {}", elapsed(t_ms)),
        _ => format!("within {}, in steps of {}", elapsed(t_ms), elapsed(step_ms)),
    }
}

fn busiest(numbers: &Numbers, takes: Takes) -> String {
    let most = numbers.most;
    let when = |reads: bool| {
        let part = numbers.parts_of_most[usize::from(reads)]?;
        let later = if reads { numbers.busiest_reader? } else { numbers.busiest_server };
        (later < LESS * part).then(|| format!(", when it has {} of all", percent(part)))
    };
    let told = |reads: bool| {
        let (asked, takes, what) = (most[usize::from(reads)], takes.of(reads), takes.word(reads));
        // What is more by chance alone is no more.
        if asked > takes {
            return format!(
                "no more {what}s than it takes, {} a second, as far as a sample of events tells",
                rate(takes)
            );
        }
        let of = if takes.is_finite() { format!(" of the {} that it takes", rate(takes)) } else { String::new() };
        let many = if rate(asked) == "1" { what.to_owned() } else { format!("{what}s") };
        format!("{} {many} a second{of} at most{}", rate(asked), when(reads).unwrap_or_default())
    };
    match most.map(|most| most > 0.0) {
        [false, false] => "no server is asked for anything".to_owned(),
        [false, true] => format!("the busiest server is asked for {}", told(true)),
        [true, false] => format!("the busiest server is asked for {}", told(false)),
        [true, true] => format!("the busiest server is asked for {}, and for {}", told(false), told(true)),
    }
}
