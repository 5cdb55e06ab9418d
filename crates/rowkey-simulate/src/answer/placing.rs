//! The servers that take a load which fewer do not: by how its ranges are placed on them.

use rowkey::lead::Lead;
use rowkey_design::internal::design::Engine;
use rowkey_design::internal::file::Count;

use super::peaks::Peaks;
use super::shares::Shares;
use crate::recording::Run;
use crate::run::Saturation;
use crate::simulation::Declared;

/// The placing of a table whose servers are too few, where it is known.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    placed: Placed,
    servers: u32,
    /// The fewest servers that take the load at all times; none where no number does, or it is not known.
    enough: Option<f64>,
    /// The times at which one range alone is too much for a server.
    alone: Alone,
    /// The part of the load that the heaviest value has, where it is known, and too much for any server.
    heaviest: Option<f64>,
    /// True if the values of the load are known, or that no partition has more than one that is too much.
    is_known: bool,
    /// The word for a server.
    server: &'static str,
}

/// The parts of a table that are placed on servers.
#[derive(Clone, Copy, Debug)]
enum Placed {
    /// Ranges, so many at most, in turn.
    Ranges(usize),
    /// Parts of hashes, of which there are others for other servers.
    Hashes,
    /// Regions that are split, and moved by their number: placed by their load they would be no more than these servers
    /// take.
    Moved,
}

/// The times of those at which a table saturates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Alone {
    Never,
    /// At some, or at all of them, but not at the end.
    Sometimes,
    Before,
    /// At the end too.
    Still,
}

/// The load of a time: the part that each range has, and all of it in parts of what one server takes.
#[derive(Clone, Copy, Debug)]
struct Load<'s> {
    parts: &'s [f64],
    asked: f64,
}

impl Load<'_> {
    /// True if servers take it that get the ranges in turn, or each has one.
    fn is_taken(&self, servers: usize) -> bool {
        let mut sums = vec![0.0; servers.min(self.parts.len()).max(1)];
        let count = sums.len();
        self.parts.iter().enumerate().for_each(|(at, part)| sums[at % count] += part);
        sums.into_iter().fold(0.0, f64::max) * self.asked <= 1.0 + NEARLY
    }

    /// The servers that its ranges fill, the heaviest first, each on the first server that has room for it.
    fn filled(&self) -> usize {
        let mut parts: Vec<f64> = self.parts.iter().map(|part| part * self.asked).filter(|part| *part > 0.0).collect();
        parts.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut sums: Vec<f64> = Vec::new();
        for part in parts {
            match sums.iter_mut().find(|sum| **sum + part <= 1.0 + NEARLY) {
                Some(sum) => *sum += part,
                None => sums.push(part),
            }
        }
        sums.len()
    }

    /// True if one range alone is more than a server takes.
    fn is_alone(&self) -> bool {
        !self.is_taken(self.parts.len())
    }
}

/// The numbers of servers that are tried.
const TRIED: u32 = 1024;

/// The rounding of parts.
const NEARLY: f64 = 1e-9;

impl Placing {
    /// That of a saturation which lasts, of a load that is in the same place in all of an interval. `heaviest` is the
    /// part of a value that is too much for any server.
    pub(super) fn of(
        run: &Run,
        declared: &Declared<'_>,
        shares: &Shares<'_>,
        peaks: &Peaks,
        saturation: &Saturation,
        heaviest: Option<f64>,
    ) -> Option<Self> {
        let Saturation { reads, takes, passes, .. } = *saturation;
        let servers = run.settings.servers;
        let all = peaks.of_all(takes, reads);
        let saturating = run.intervals.iter().zip(&all).filter(|(_, all)| all.is_some());
        let mut saturating = saturating.filter_map(|(interval, _)| shares.at(interval));
        // What a watched cluster does with its regions is its own.
        if passes || run.is_watched() || saturating.any(|share| share.moving.is_some()) {
            return None;
        }
        let loads = run.intervals.iter().zip(&all).filter_map(|(interval, all)| {
            let parts = &shares.at(interval)?.parts[..];
            Some(Load { parts, asked: (*all)? / takes })
        });
        let loads = distinct(loads);
        let most = loads.iter().map(|load| load.asked).reduce(f64::max)?;
        let server = if declared.engine() == Engine::DynamoDb { "partition" } else { "server" };
        let of = |placed, enough, alone| Self { placed, servers, enough, alone, heaviest, is_known: true, server };
        if declared.key.partition.is_some() {
            // The values of a trace are its own.
            let is_declared = run.pace.is_known(reads);
            // An engine that makes as many as are asked for has no more of them that help.
            let fixed = Some(&declared.demand).filter(|_| is_declared && !declared.makes_partitions());
            let enough = fixed.and_then(|demand| demand.servers_of_hashes(reads, servers, most));
            let is_known = is_declared || !declared.makes_partitions();
            return Some(Self { is_known, ..of(Placed::Hashes, enough, Alone::Never) });
        }
        if !run.splits.is_empty() {
            return fit(&loads, servers).then(|| of(Placed::Moved, None, Alone::Never));
        }
        let ranges = loads.iter().map(|load| load.parts.len()).max().unwrap_or(0);
        let alone = Alone::of(&loads, all.last().is_some_and(Option::is_some));
        Some(of(Placed::Ranges(ranges), enough(&loads, servers).map(f64::from), alone))
    }

    /// True if no number of servers takes the load; none where that is told by how much the hottest range has.
    pub(super) fn is_bound(&self) -> Option<bool> {
        match self.placed {
            _ if self.is_helped() => Some(false),
            Placed::Hashes if self.is_known => Some(self.heaviest.is_some()),
            _ => None,
        }
    }

    /// True if it is of regions that are moved: what else is not judged may be the cause too.
    pub(super) const fn is_moved(&self) -> bool {
        matches!(self.placed, Placed::Moved)
    }

    /// True if other servers help: some number takes the load, or what none takes is over.
    fn is_helped(&self) -> bool {
        self.enough.is_some() || matches!(self.alone, Alone::Sometimes | Alone::Before)
    }

    /// The placing in words, and the servers that take the load, where some do, or what no number of them takes.
    pub(super) fn told(&self, region: &str) -> Option<String> {
        const NO_RULE: &str = "No rule of `check` says so";
        let one = match self.alone {
            Alone::Never => None,
            Alone::Sometimes => Some("at times"),
            Alone::Before | Alone::Still => Some("then"),
        };
        if let Some(time) = one {
            return Some(format!(
                "{NO_RULE}: one {region} alone is {time} asked for more than a {} takes, and no number of them helps",
                self.server
            ));
        }
        let servers = Count(self.servers.into()).of(self.server);
        let enough = || Some(Count(self.enough?).of(self.server));
        Some(match self.placed {
            Placed::Ranges(ranges) => {
                let (ranges, enough) = (Count(ranges as f64).of(region), enough()?);
                format!("{NO_RULE}: it is how {ranges} are placed on {servers}. {enough} take it")
            }
            Placed::Hashes => format!(
                "{NO_RULE}: it is what their hash puts together on {servers}. {} take it, whatever the hash is, \
                 and fewer may",
                enough()?
            ),
            Placed::Moved => format!(
                "{NO_RULE}: it is how {region}s are placed on {servers}, by their number and not by their load. In more \
                 {region}s at once, as of more salt buckets, it is more even"
            ),
        })
    }

    /// The servers that take the load as it is placed, in words, where these are more than so many.
    pub(super) fn more_than(&self, needed: f64, region: &str) -> Option<String> {
        let Placed::Ranges(ranges) = self.placed else { return None };
        let enough = self.enough.filter(|enough| *enough > needed)?;
        let ranges = Count(ranges as f64).of(region);
        Some(format!("of its {ranges}, as they are placed, {} take them", Count(enough).of(self.server)))
    }
}

/// The part of all writes, or reads, that the heaviest value has, where it is known, and more than a server takes.
pub(super) fn heaviest(run: &Run, declared: &Declared<'_>, peaks: &Peaks, takes: f64, reads: bool) -> Option<f64> {
    // A salt may divide a value.
    let is_whole = declared.key.partition.is_some() || !matches!(declared.key.layout.lead(), Lead::Salt(_));
    let most = peaks.of_all(takes, reads).into_iter().flatten().fold(0.0, f64::max);
    let part = declared.demand.heaviest(reads).filter(|_| is_whole && run.pace.is_known(reads));
    part.filter(|part| part * most > takes)
}

impl Alone {
    /// Those of the loads at which a table saturates; it may do so at the end.
    fn of(loads: &[Load<'_>], is_at_end: bool) -> Self {
        let count = loads.iter().filter(|load| load.is_alone()).count();
        match loads.last() {
            _ if count == 0 => Self::Never,
            Some(last) if is_at_end && last.is_alone() => Self::Still,
            _ if count == loads.len() => Self::Before,
            _ => Self::Sometimes,
        }
    }
}

/// The loads, those of the same parts after each other as the greatest of them.
fn distinct<'s>(loads: impl Iterator<Item = Load<'s>>) -> Vec<Load<'s>> {
    let mut found: Vec<Load<'s>> = Vec::new();
    for load in loads {
        match found.last_mut().filter(|last| last.parts == load.parts) {
            Some(last) => last.asked = last.asked.max(load.asked),
            None => found.push(load),
        }
    }
    found
}

/// True if so many servers take each of these loads, were its ranges placed by their load.
fn fit(loads: &[Load<'_>], servers: u32) -> bool {
    loads.iter().all(|load| !load.is_alone() && load.filled() <= servers as usize)
}

/// The fewest servers, but more than so many, which take each of these loads.
fn enough(loads: &[Load<'_>], servers: u32) -> Option<u32> {
    let ranges = loads.iter().map(|load| load.parts.len()).max()?;
    let most = u32::try_from(ranges).unwrap_or(u32::MAX).min(servers.saturating_add(TRIED));
    if loads.iter().any(Load::is_alone) {
        return None;
    }
    // A load that some number does not take is likely the one that the next does not.
    let mut first = 0;
    (servers + 1..=most).find(|servers| {
        let is_over = |at: &usize| !loads[*at].is_taken(*servers as usize);
        let over = std::iter::once(first).chain(0..loads.len()).find(is_over);
        first = over.unwrap_or(first);
        over.is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[f64], asked: f64) -> Load<'_> {
        Load { parts, asked }
    }

    #[test]
    fn as_many_servers_take_ranges_as_divide_them() {
        let even = |ranges: usize| vec![1.0 / ranges as f64; ranges];
        let enough = |parts: &[f64], servers, asked| enough(&[of(parts, asked)], servers);
        // Sixteen on five are four on one; a server takes three.
        assert_eq!(enough(&even(16), 5, 60.0 / 14.0), Some(6));
        assert_eq!(enough(&even(16), 5, 75.0 / 14.0), Some(8));
        assert_eq!(enough(&even(16), 5, 16.0), Some(16));
        assert_eq!(enough(&even(16), 5, 16.1), None);
        assert_eq!(enough(&[0.7, 0.2, 0.1], 1, 1.2), Some(2));
        assert_eq!(enough(&[0.9, 0.1], 1, 1.2), None);
        assert_eq!(enough(&[], 1, 1.2), None);
    }

    #[test]
    fn as_many_servers_as_are_told_take_the_load_of_each_time() {
        let (first, last) = ([0.5, 0.1, 0.4], [0.25; 4]);
        assert_eq!(enough(&[of(&last, 2.0)], 1), Some(2));
        assert_eq!(enough(&[of(&first, 1.2), of(&last, 2.0)], 1), Some(3));
        assert_eq!(enough(&[of(&first, 2.1), of(&last, 2.0)], 1), None);
    }

    #[test]
    fn ranges_that_are_placed_by_their_load_fill_few_servers() {
        let (even, uneven) = (vec![1.0 / 16.0; 16], [0.5, 0.3, 0.1, 0.1]);
        // A server takes one of sixteen, or two, or four; none takes more than all that one has.
        for (asked, fewest) in [(12.0, 16), (8.0, 8), (4.0, 4)] {
            let load = of(&even, asked);
            assert_eq!([fit(&[load], fewest), fit(&[load], fewest - 1)], [true, false], "{asked}");
        }
        assert!(!fit(&[of(&even, 17.0)], 1000));
        assert_eq!([fit(&[of(&uneven, 2.0)], 2), fit(&[of(&uneven, 2.0), of(&even, 4.0)], 2)], [true, false]);
    }

    #[test]
    fn one_range_alone_is_helped_by_no_number() {
        let (one, even) = ([1.0], [0.25; 4]);
        let [hot, calm, late] = [of(&one, 1.5), of(&even, 1.5), of(&one, 0.9)];
        for (loads, is_at_end, due) in [
            (&[hot][..], true, Alone::Still),
            (&[hot], false, Alone::Before),
            (&[hot, calm], true, Alone::Sometimes),
            (&[calm, hot], true, Alone::Still),
            (&[calm, late], true, Alone::Never),
        ] {
            assert_eq!(Alone::of(loads, is_at_end), due, "{loads:?}");
        }
    }
}
