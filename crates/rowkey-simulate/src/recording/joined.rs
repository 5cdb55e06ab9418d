//! Two intervals as one.

use crate::run::{Interval, Region};

/// Two intervals, of which one begins where the other ends, as one: the regions of the second, with the counts of both.
/// Those of a region that was split are divided as its rows lie, or where these are not known its bytes; those of
/// regions that were merged are added up.
#[must_use]
pub fn joined(first: &Interval, mut second: Interval) -> Interval {
    for (at, before) in first.regions.iter().enumerate() {
        let end = first.regions.get(at + 1).map(|next| &next.start);
        let from = second.regions.partition_point(|region| region.start <= before.start).saturating_sub(1);
        let until = second.regions.partition_point(|region| end.is_none_or(|end| region.start < *end));
        divide(before, second.regions.get_mut(from..until).unwrap_or_default());
    }
    second.servers.resize_with(second.servers.len().max(first.servers.len()), Default::default);
    for (server, before) in second.servers.iter_mut().zip(&first.servers) {
        server.add(before);
    }
    second
}

fn divide(before: &Region, among: &mut [Region]) {
    let sum = |of: fn(&Region) -> u64| among.iter().map(|region| u128::from(of(region))).sum::<u128>();
    let measures: [fn(&Region) -> u64; 3] = [|region| region.rows, |region| region.bytes, |_| 1];
    let Some(measure) = measures.into_iter().find(|measure| sum(*measure) > 0) else { return };
    let all = sum(measure);
    let mut part = |count: u64, field: fn(&mut Region) -> &mut u64| {
        let (mut measured, mut given) = (0u128, 0u64);
        for region in among.iter_mut() {
            measured += u128::from(measure(region));
            let until = u64::try_from(u128::from(count) * measured / all).unwrap_or(u64::MAX);
            let field = field(region);
            *field = field.saturating_add(until - given);
            given = until;
        }
    };
    part(before.rows_this_interval, |region| &mut region.rows_this_interval);
    part(before.reads_this_interval, |region| &mut region.reads_this_interval);
    among.iter_mut().for_each(|region| region.known = region.known.and(before.known));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Key, Known, Server};

    fn region(start: &str, rows: u64, written: u64) -> Region {
        let (start, known) = (Key(start.as_bytes().to_vec()), Known::All);
        let (rows_this_interval, reads_this_interval) = (written, written);
        Region { start, server: 0, rows, rows_this_interval, reads_this_interval, bytes: 0, files: 0, known }
    }

    fn written(interval: &Interval) -> Vec<u64> {
        interval.regions.iter().map(|region| region.rows_this_interval).collect()
    }

    #[test]
    fn the_counts_of_a_region_that_was_split_are_divided_as_its_rows_lie() {
        let servers = |writes| vec![Server { writes, reads: 2 * writes, rows_read: 3 * writes }];
        let first = Interval { t_ms: 1, regions: vec![region("", 9, 9), region("m", 5, 1)], servers: servers(10) };
        let after = vec![region("", 10, 1), region("c", 20, 1), region("m", 5, 0), region("t", 0, 0)];
        let both = joined(&first, Interval { t_ms: 2, regions: after, servers: servers(2) });
        assert_eq!(written(&both), [4, 7, 1, 0]);
        assert!(both.regions.iter().all(|region| region.reads_this_interval == region.rows_this_interval));
        assert_eq!((both.servers, both.t_ms), (vec![Server { writes: 12, reads: 24, rows_read: 36 }], 2));
    }

    #[test]
    fn where_no_rows_are_known_bytes_divide_and_else_each_region_has_as_much() {
        let of = |regions| Interval { t_ms: 1, regions, servers: Vec::new() };
        let by_bytes = vec![Region { bytes: 30, ..region("", 0, 0) }, Region { bytes: 10, ..region("c", 0, 0) }];
        assert_eq!(written(&joined(&of(vec![region("", 0, 8)]), of(by_bytes))), [6, 2]);
        let bare = vec![region("", 0, 0), region("c", 0, 0)];
        assert_eq!(written(&joined(&of(vec![region("", 0, 8)]), of(bare))), [4, 4]);
    }

    #[test]
    fn the_counts_of_merged_regions_are_added_up() {
        let before = vec![region("", 0, 1), Region { known: Known::None, ..region("c", 0, 0) }, region("m", 0, 4)];
        let first = Interval { t_ms: 1, regions: before, servers: vec![Server::default(); 2] };
        let after = vec![region("", 0, 8), region("m", 0, 16)];
        let both = joined(&first, Interval { t_ms: 2, regions: after, servers: Vec::new() });
        assert_eq!(written(&both), [9, 20]);
        assert_eq!(both.regions.iter().map(|region| region.known).collect::<Vec<_>>(), [Known::Part, Known::All]);
        assert_eq!(both.servers.len(), 2);
    }
}
