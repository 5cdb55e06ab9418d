//! The servers that take a load which fewer do not: by how its ranges are placed on them.

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::file::Count;

use super::shares::Shares;
use super::takes::Takes;
use crate::recording::Run;
use crate::run::Saturation;
use crate::simulation::Declared;

/// The placing of a table whose servers are too few, where it is known.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    /// The ranges that are placed; none where their places are hashes, of which there are others for other servers.
    ranges: Option<usize>,
    servers: u32,
    /// The fewest servers that take the load; none where one range is too much for any.
    pub(super) enough: Option<f64>,
    /// The word for a server.
    server: &'static str,
}

/// The numbers of servers that are tried.
const TRIED: u32 = 1024;

/// The rounding of parts.
const NEARLY: f64 = 1e-9;

impl Placing {
    /// That of a saturation which lasts, of a load that stays where it is: none where regions are split and moved.
    pub(super) fn of(
        run: &Run,
        declared: &Declared<'_>,
        shares: &Shares<'_>,
        saturation: &Saturation,
        takes: Takes,
    ) -> Option<Self> {
        let (reads, servers) = (saturation.reads, run.settings.servers);
        // What a watched cluster does with its regions is its own.
        let is_fixed = run.splits.is_empty() && run.settings.server_names.is_empty();
        let last = shares.of.last().filter(|_| is_fixed && !saturation.passes)?;
        let intervals: Vec<_> = run.intervals.iter().collect();
        if run.moving_server(&intervals, reads).is_some() || last.server.share <= 0.0 {
            return None;
        }
        let asked = saturation.asked / last.server.share / takes.of(reads);
        let server = if declared.engine() == Engine::DynamoDb { "partition" } else { "server" };
        if declared.key.partition.is_some() {
            let enough = declared.demand.servers_of_hashes(reads, servers, asked);
            return Some(Self { ranges: None, servers, enough, server });
        }
        let enough = enough(&shares.parts, servers, asked).map(f64::from);
        Some(Self { ranges: Some(shares.parts.len()), servers, enough, server })
    }

    /// The placing in words, and the servers that take the load, where some do.
    pub(super) fn told(&self, region: &str) -> Option<String> {
        let (enough, servers) = (Count(self.enough?).of(self.server), Count(self.servers.into()).of(self.server));
        Some(match self.ranges {
            Some(ranges) => {
                let ranges = Count(ranges as f64).of(region);
                format!("No rule of `check` says so: it is how {ranges} are placed on {servers}. {enough} take it")
            }
            None => format!(
                "No rule of `check` says so: it is what their hash puts together on {servers}. {enough} take it"
            ),
        })
    }

    /// The servers that take the load as it is placed, in words, where these are more than so many.
    pub(super) fn more_than(&self, needed: f64, region: &str) -> Option<String> {
        let enough = self.enough.filter(|enough| *enough > needed)?;
        let ranges = Count(self.ranges? as f64).of(region);
        Some(format!("of its {ranges}, as they are placed, {} take them", Count(enough).of(self.server)))
    }
}

/// The fewest servers, but more than so many, of which none has more than it takes of ranges that they get in turn:
/// each a part of a load that so many servers take.
fn enough(parts: &[f64], servers: u32, asked: f64) -> Option<u32> {
    let most = u32::try_from(parts.len()).unwrap_or(u32::MAX).min(servers.saturating_add(TRIED));
    (servers + 1..=most).find(|servers| {
        let mut sums = vec![0.0; *servers as usize];
        parts.iter().enumerate().for_each(|(at, part)| sums[at % *servers as usize] += part);
        sums.into_iter().fold(0.0, f64::max) * asked <= 1.0 + NEARLY
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_servers_take_ranges_as_divide_them() {
        let even = |ranges: usize| vec![1.0 / ranges as f64; ranges];
        // Sixteen on five are four on one; a server takes three.
        assert_eq!(enough(&even(16), 5, 60.0 / 14.0), Some(6));
        assert_eq!(enough(&even(16), 5, 75.0 / 14.0), Some(8));
        assert_eq!(enough(&even(16), 5, 16.0), Some(16));
        assert_eq!(enough(&even(16), 5, 16.1), None);
        assert_eq!(enough(&[0.7, 0.2, 0.1], 1, 1.2), Some(2));
        assert_eq!(enough(&[0.9, 0.1], 1, 1.2), None);
        assert_eq!(enough(&[], 1, 1.2), None);
    }
}
