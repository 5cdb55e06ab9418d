//! The lines of a run, from what was seen of it.

use std::collections::BTreeMap;

use rowkey_simulate::run::{Batch, Interval, Key, Line, Move, Region, Server, Settings, Split};

use crate::decided::Decision;

/// A look at the regions.
#[derive(Clone)]
pub(crate) struct Look {
    pub(crate) t_ms: u64,
    /// True if it becomes a line.
    pub(crate) is_interval: bool,
    pub(crate) servers: usize,
    /// In the order of their keys.
    pub(crate) regions: Vec<SeenRegion>,
}

/// A region in a look.
#[derive(Clone)]
pub(crate) struct SeenRegion {
    pub(crate) start: Key,
    /// The time at which the master made it, in milliseconds since 1970.
    pub(crate) id: u64,
    /// None while it is opened.
    pub(crate) server: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) files: u32,
}

/// All that was seen of a run.
pub(crate) struct Seen<'s> {
    pub(crate) keys: &'s [Key],
    pub(crate) batches: Vec<Batch>,
    pub(crate) looks: Vec<Look>,
    pub(crate) decisions: Vec<Decision>,
    /// The time of the first answer, in milliseconds since 1970.
    pub(crate) zero: u64,
}

/// The lines, in the order of their times.
pub(crate) fn of(settings: Settings, seen: &Seen<'_>) -> Vec<Line> {
    let placed = placed(&seen.looks);
    let batches = seen.batches.iter().cloned().map(|batch| (batch.t_ms, Line::Batch(batch)));
    let splits = splits(seen).into_iter().map(|split| (split.t_ms, Line::Split(split)));
    let moves = moves(&placed).into_iter().map(|moved| (moved.t_ms, Line::Move(moved)));
    let intervals = intervals(seen, &placed).into_iter().map(|interval| (interval.t_ms, Line::Interval(interval)));
    let mut lines: Vec<(u64, Line)> = batches.chain(splits).chain(moves).chain(intervals).collect();
    lines.sort_by_key(|(t_ms, _)| *t_ms);
    let lines = lines.into_iter().map(|(_, line)| line);
    [Line::Settings(Box::new(settings))].into_iter().chain(lines).collect()
}

/// The looks, each region on a server: while it is opened, where the region was that had its first key.
fn placed(looks: &[Look]) -> Vec<Look> {
    let mut placed: Vec<Look> = Vec::new();
    for look in looks {
        let mut look = look.clone();
        for region in look.regions.iter_mut().filter(|region| region.server.is_none()) {
            region.server = placed.last().and_then(|before| holder(before, &region.start)?.server);
        }
        placed.push(look);
    }
    placed
}

fn holder<'l>(look: &'l Look, key: &Key) -> Option<&'l SeenRegion> {
    look.regions[..look.regions.partition_point(|region| region.start <= *key)].last()
}

/// The decisions that the splits came of: the last that named the split point before the daughters were made.
fn splits(seen: &Seen<'_>) -> Vec<Split> {
    let first = seen.looks.first().map_or(&[][..], |look| &look.regions);
    let before = |key: &Key| first.iter().any(|region| region.start == *key);
    // Of a daughter that was split itself before anyone looked, the lower daughter has the key.
    let mut made: BTreeMap<&Key, (u64, &Look)> = BTreeMap::new();
    for pair in seen.looks.windows(2) {
        for region in &pair[1].regions {
            if !before(&region.start) {
                made.entry(&region.start).or_insert((region.id, &pair[0]));
            }
        }
    }
    let split = |(at, (id, look)): (&Key, (u64, &Look))| {
        let of_point = seen.decisions.iter().filter(|decision| decision.at == *at);
        let decision = of_point.clone().rfind(|decision| decision.ms <= id).or_else(|| of_point.clone().next());
        let t_ms = decision.map_or(id, |decision| decision.ms).saturating_sub(seen.zero);
        let start = decision.map(|decision| decision.start.clone());
        let start = start.or_else(|| Some(holder(look, at)?.start.clone())).unwrap_or_default();
        Split { t_ms, start, at: at.clone(), files: decision.map_or(Vec::new(), |decision| decision.files.clone()) }
    };
    made.into_iter().map(split).collect()
}

/// Regions that are elsewhere than at the look before.
fn moves(looks: &[Look]) -> Vec<Move> {
    let mut moves = Vec::new();
    for pair in looks.windows(2) {
        for region in &pair[1].regions {
            let before = holder(&pair[0], &region.start);
            if let (Some(from), Some(to)) = (before.and_then(|before| before.server), region.server)
                && from != to
            {
                moves.push(Move { t_ms: pair[1].t_ms, start: region.start.clone(), from, to });
            }
        }
    }
    moves
}

/// The looks that become lines, with the rows that were written by then.
fn intervals(seen: &Seen<'_>, placed: &[Look]) -> Vec<Interval> {
    let mut before: &[Key] = &[];
    let mut intervals = Vec::new();
    for look in placed.iter().filter(|look| look.is_interval) {
        let answered = seen.batches.iter().take_while(|batch| batch.t_ms <= look.t_ms);
        let rows = if look.t_ms == 0 { 0 } else { answered.filter_map(|batch| batch.rows).sum::<u64>() };
        let written = &seen.keys[..usize::try_from(rows).unwrap_or(usize::MAX).min(seen.keys.len())];
        let (all, new) = (counted(look, written), counted(look, &written[before.len()..]));
        let mut servers = vec![Server::default(); look.servers];
        let region = |(at, region): (usize, &SeenRegion)| {
            let server = region.server.unwrap_or_default();
            if let Some(server) = servers.get_mut(server as usize) {
                server.writes += new[at];
            }
            Region {
                start: region.start.clone(),
                server,
                rows: all[at],
                rows_this_interval: new[at],
                reads_this_interval: 0,
                bytes: region.bytes,
                files: region.files,
                known: <_>::default(),
            }
        };
        let regions = look.regions.iter().enumerate().map(region).collect();
        intervals.push(Interval { t_ms: look.t_ms, regions, servers });
        before = written;
    }
    intervals
}

/// The number of keys in each region.
fn counted(look: &Look, keys: &[Key]) -> Vec<u64> {
    let mut counts = vec![0; look.regions.len()];
    for key in keys {
        let to = look.regions.partition_point(|region| region.start <= *key);
        if let Some(count) = to.checked_sub(1).and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }
    counts
}
