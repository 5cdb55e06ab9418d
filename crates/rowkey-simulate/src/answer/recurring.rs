//! A load that goes to other regions from time to time, as of each day: what was split and moved for the day before
//! helps it no more.

use rowkey::lead::Lead;
use rowkey_design::internal::design::{Write, WriteKind, WriteOrder};

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
    /// `begins_anew` of a load that comes to one region again and again: a run may be too short to show it twice.
    pub(super) fn of(
        peaks: &Peaks<'_>,
        shares: &Shares<'_>,
        reads: bool,
        median: f64,
        begins_anew: bool,
    ) -> Option<Self> {
        let later = shares.later();
        let moving = later.iter().filter(|share| share.moving.is_some()).count();
        let later_ms = later.first()?.interval.t_ms;
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
        let most = hot.into_iter().max_by(|a, b| a.asked.total_cmp(&b.asked).then(a.region.total_cmp(&b.region)));
        most.filter(|_| 2 * moving <= later.len())
    }
}

/// True of a table whose keys grow, behind a salt if they have one: rows come to other regions in time.
pub(super) fn grows(declared: &Declared<'_>) -> bool {
    declared.simulates == Simulates::Regions && declared.key.growing() == Some(0)
}

/// True of a table whose rows all come to its last region, or its first, again and again, be it split or not.
pub(super) fn begins_anew(declared: &Declared<'_>) -> bool {
    let key = &declared.key;
    let is_plain = matches!(key.layout.lead(), Lead::None);
    let first = key.fields.first().map(|field| field.name);
    let is_new = |write: &Write| {
        let is_elsewhere = match write.order.as_ref().map(|order| &order.value) {
            Some(WriteOrder::Key | WriteOrder::OneRow) => true,
            Some(WriteOrder::RandomIn(field)) => first == Some(field.as_str()),
            _ => false,
        };
        write.kind != Some(WriteKind::Delete) && !is_elsewhere
    };
    let is_all_new = key.table.table.write.iter().all(|write| is_new(&write.value));
    grows(declared) && is_plain && is_all_new
}

/// The part of a server's part that chance has not put on it; none where nothing is known of chance.
fn sure(share: &Share<'_>, expected: &Expected, windows: usize) -> Option<f64> {
    let counted = || share.events.map(|events| 1.0 - added_by_chance(expected.part, events, windows as f64));
    expected.sure.or_else(counted)
}
