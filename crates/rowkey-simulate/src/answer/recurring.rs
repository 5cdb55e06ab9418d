//! A load that goes to other regions from time to time, as of each day: what was split and moved for the day before
//! helps it no more.

use rowkey::lead::Lead;
use rowkey_design::internal::design::{Write, WriteKind, WriteOrder};
use rowkey_design::internal::facts::Growth;

use super::peaks::{LESS, Peaks};
use super::shares::{Share, Shares};
use super::span::Expected;
use crate::chance::added_by_chance;
use crate::simulation::{Declared, Simulates};

/// The parts that the busiest server and its hottest region have when such a load asks a server for most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recurring {
    pub(super) server: f64,
    pub(super) region: f64,
    /// The most that a server is asked for then, a second, without what chance has put on it.
    pub(super) asked: f64,
}

impl Recurring {
    /// That of a run of keys that grow, in which the busiest server has this part in the median; none if no server has
    /// much more again, or the load moves all the time.
    ///
    /// A run may be too short to show it twice: of a load that comes to one region, or one of each salt bucket, again
    /// and again, the part of each is known ([`Anew`]). In the first half of a run it comes again in the second of the
    /// times that keys begin with.
    pub(super) fn of(
        peaks: &Peaks<'_>,
        shares: &Shares<'_>,
        reads: bool,
        median: f64,
        Anew { begins_anew, least, each_ms }: Anew,
    ) -> Option<Self> {
        let later = shares.later();
        let moving = later.iter().filter(|share| share.moving.is_some()).count();
        let later_ms = later.first()?.interval.t_ms;
        let later_ms = each_ms.map_or(later_ms, |each_ms| later_ms.min(each_ms));
        let mut calmest = f64::INFINITY;
        let mut hot = |(share, expected): (&Share<'_>, &Expected)| {
            let part = expected.part;
            let sure = sure(share, expected, shares.windows).unwrap_or(0.0);
            let is_again = share.interval.t_ms >= later_ms && calmest.max(median) < LESS * sure * part;
            calmest = calmest.min(part);
            let region = share.begins.filter(|begins| begins.server.share >= part).map_or(share.region, |of| of.region);
            let is_hot = begins_anew && median < sure * part || is_again;
            is_hot.then_some(Self { server: part, region: region.share, asked: sure * expected.rate })
        };
        let hot: Vec<Self> = peaks.of_intervals(reads).filter_map(&mut hot).collect();
        let all = peaks.of_intervals(reads).map(|(_, expected)| expected.rate / expected.part);
        let all = all.filter(|rate| rate.is_finite()).fold(0.0, f64::max);
        let of_bucket =
            least.filter(|least| median < *least).map(|part| Self { server: part, region: part, asked: part * all });
        let most = hot
            .into_iter()
            .chain(of_bucket)
            .max_by(|a, b| a.asked.total_cmp(&b.asked).then(a.region.total_cmp(&b.region)));
        most.filter(|_| 2 * moving <= later.len())
    }
}

/// True of a table whose keys grow, behind a salt if they have one: rows come to other regions in time.
pub(super) fn grows(declared: &Declared<'_>) -> bool {
    declared.simulates == Simulates::Regions && declared.key.growing() == Some(0)
}

/// The regions that a load comes to again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anew {
    /// True if it is one, the last or the first.
    begins_anew: bool,
    /// The part that each has, if it is one of each salt bucket.
    least: Option<f64>,
    /// The length of the times that keys begin with, a day or an hour.
    each_ms: Option<u64>,
}

impl Anew {
    /// Those of the writes of a table, or its reads. In a watched one rows come to regions as they are counted.
    pub(super) fn of(declared: &Declared<'_>, is_watched: bool, reads: bool) -> Self {
        let key = &declared.key;
        let first = key.fields.first();
        // A key that begins with what grows has no random order.
        let is_new = |write: &Write| {
            let is_elsewhere = match write.order.as_ref().map(|order| &order.value) {
                Some(WriteOrder::Key | WriteOrder::OneRow) => true,
                Some(WriteOrder::RandomIn(field)) => first.is_some_and(|first| first.name == field.as_str()),
                _ => false,
            };
            write.kind != Some(WriteKind::Delete) && !is_elsewhere
        };
        let are_new = key.table.table.write.iter().all(|write| is_new(&write.value));
        let each_ms = first.and_then(|first| match first.growth {
            Some(Growth::Time(Some(seconds))) if seconds >= HOUR => Some((seconds * 1e3) as u64),
            _ => None,
        });
        let are_new = are_new && !reads;
        let least = match key.layout.lead() {
            Lead::Salt(salt) => (are_new && !is_watched).then(|| 1.0 / f64::from(salt.buckets.max(1))),
            _ => None,
        };
        Self { begins_anew: are_new && matches!(key.layout.lead(), Lead::None), least, each_ms }
    }
}

/// The shortest of the times that keys begin with, in seconds, of which each has rows of many moments.
const HOUR: f64 = 3600.0;

/// The part of a server's part that chance has not put on it; none where nothing is known of chance.
fn sure(share: &Share<'_>, expected: &Expected, windows: usize) -> Option<f64> {
    let counted = || share.events.map(|events| 1.0 - added_by_chance(expected.part, events, windows as f64));
    expected.sure.or_else(counted)
}
