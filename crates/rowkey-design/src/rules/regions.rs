//! The regions of a table: what the fullest of them is asked for.

use rowkey::splits::Splits as SplitPoints;

use crate::cost::{
    Asked, bytes_per_row, on_disk, reads_of, reads_of_writes, regions_of_declared, regions_of_grown, rows_of,
};
use crate::design::{Engine, SplitPolicy};
use crate::facts::KeyFacts;
use crate::load::{WriteLoad, reads_per_server, region_bytes};
use crate::rules::context::Context;
use crate::rules::landing::{Landing, at_least, without_chance};

/// The region that is asked for most.
pub(super) struct Fullest {
    /// Its load, in parts of what a server takes.
    pub(super) asked: f64,
    /// That in rows written, or reads, a second.
    pub(super) rate: f64,
    /// The number of regions.
    pub(super) regions: f64,
}

/// The regions that the split points of a key make; one without any. None where the points are not known, and where the
/// engine hashes keys.
fn points(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<SplitPoints> {
    if context.capacity.takes_all() || context.engine.hashes_partitions() {
        return None;
    }
    match context.splits(key) {
        Some(_) => context.table.split_points(key.secondary),
        None => SplitPoints::new(std::iter::empty::<Vec<u8>>()).ok(),
    }
}

/// The region of a new table that gets the most writes, if they are more than a server takes.
pub(super) fn written<'c, 'd>(context: &'c Context<'d>, key: &'c KeyFacts<'d>) -> Option<Fullest> {
    let asked = |load: &WriteLoad<'_>| load.peak.map(|peak| (peak / context.capacity.takes(load), peak));
    if context.loads_of(key).filter_map(asked).map(|(part, _)| part).sum::<f64>() <= 1.0 {
        return None;
    }
    let points = points(context, key)?;
    let landing = (points.regions() > 1).then(|| Landing::of(key, context.profile));
    let mut regions = vec![(0.0, 0.0); points.regions()];
    for (load, (part, peak)) in context.loads_of(key).filter_map(|load| Some((load, asked(load)?))) {
        let shares = landing.as_ref().map_or(Some(vec![1.0]), |landing| landing.of_write(load, &points));
        let told = shares.clone().map(without_chance);
        let shares = shares.into_iter().flatten().zip(told.into_iter().flatten());
        for (region, (share, told)) in regions.iter_mut().zip(shares) {
            *region = (region.0 + part * at_least(share), region.1 + peak * told);
        }
    }
    let (asked, rate) = regions.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (asked > 1.0).then_some(Fullest { asked, rate, regions: points.regions() as f64 })
}

/// The region of a full-grown table that gets the most reads, if they are more than a server takes. None where nobody
/// says how many that is, or how many rows there are where that matters.
pub(super) fn read<'c, 'd>(context: &'c Context<'d>, key: &'c KeyFacts<'d>) -> Option<Fullest> {
    let takes = reads_per_server(context.engine, context.cluster)?;
    if reads(context, key) <= takes {
        return None;
    }
    fullest_read(context, key).filter(|fullest| fullest.rate > takes)
}

/// The region of a full-grown table that gets the most reads. None where nobody says how many a server takes, or how
/// many rows there are where that matters.
pub(super) fn fullest_read<'c, 'd>(context: &'c Context<'d>, key: &'c KeyFacts<'d>) -> Option<Fullest> {
    let takes = reads_per_server(context.engine, context.cluster)?;
    // A table of rows without end is in as many regions as its engine makes of them.
    let (points, rows) = (points(context, key)?, rows_of(context.table, key.secondary).unwrap_or(f64::INFINITY));
    let shares = match points.regions() {
        1 => vec![1.0],
        _ => Landing::of(key, context.profile).of_rows(&points),
    };
    let bytes = bytes_per_row(context.table, key, &[]) * on_disk(context.table, key, &[]);
    let divided = context
        .splits(key)
        .and_then(|_| regions_of_declared(context.cluster, context.capacity.servers, rows, bytes, asked(context, key)));
    let (mut rate, mut regions) = (0.0f64, 0.0);
    for share in shares {
        let by_size = if share > 0.0 { regions_within(context, key, rows * share, bytes) } else { 1.0 };
        let pieces = divided.filter(|_| share > 0.0).map_or(by_size, |all| by_size.max((all * share).round()));
        let part = at_least(share) / pieces;
        let asked = context.queries_of(key).map(|cost| cost.reads_of_part(context.cluster, part));
        (rate, regions) = (rate.max(asked.sum::<f64>() + reads_of_writes(key) * part), regions + pieces);
    }
    Some(Fullest { asked: rate / takes, rate, regions })
}

/// The reads of a key, a second: of its queries, and of writes that read what they change.
pub(super) fn reads(context: &Context<'_>, key: &KeyFacts<'_>) -> f64 {
    reads_of(key, context.cluster, context.queries_of(key))
}

/// The parts of the writes and the reads that one server takes which the table of a key asks for.
fn asked(context: &Context<'_>, key: &KeyFacts<'_>) -> Asked {
    Asked::of(key, &context.capacity, context.cluster, context.loads_of(key), context.queries_of(key))
}

/// The regions of a table that is full grown, if they are fewer than the servers, and each is written more than one of
/// these takes, however even they are; none where the engine hashes keys, and where split points or the rows are not
/// known.
pub(super) fn written_when_grown<'c, 'd>(context: &'c Context<'d>, key: &'c KeyFacts<'d>) -> Option<Fullest> {
    let is_whole = context.splits(key).is_none() && points(context, key).is_some();
    let rows = rows_of(context.table, key.secondary).filter(|_| is_whole)?;
    let bytes = bytes_per_row(context.table, key, &[]) * on_disk(context.table, key, &[]);
    let regions = regions_within(context, key, rows, bytes);
    let asked = asked(context, key).writes / regions;
    let rate = context.loads_of(key).filter_map(|load| load.peak).sum::<f64>() / regions;
    (asked > 1.0 && regions < context.capacity.servers).then_some(Fullest { asked, rate, regions })
}

/// The number of regions between two split points of a full-grown table with this number of rows there: by size, and of
/// a table without split points by load too.
fn regions_within(context: &Context<'_>, key: &KeyFacts<'_>, rows: f64, bytes: f64) -> f64 {
    let is_whole = context.splits(key).is_none();
    if context.engine != Engine::HBase && is_whole {
        return regions_of_grown(context.cluster, context.capacity.servers, rows, bytes, asked(context, key));
    }
    let by_size = (rows * bytes / region_bytes(context.cluster)).ceil().max(1.0);
    if context.engine != Engine::HBase {
        return by_size;
    }
    let region = context.cluster.and_then(|cluster| cluster.region.as_ref());
    let policy = region.and_then(|region| region.split).unwrap_or(SplitPolicy::Stepping);
    if policy == SplitPolicy::Disabled {
        return 1.0;
    }
    let bytes = rows * bytes;
    // A table that is one region is split once before.
    let is_split = is_whole && policy != SplitPolicy::Constant && !context.table.table.write.is_empty();
    if is_split && bytes > 2.0 * context.flush_size() { by_size.max(2.0) } else { by_size }
}
