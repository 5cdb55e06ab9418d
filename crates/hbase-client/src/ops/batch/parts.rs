//! Grouping of a batch's actions by call.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Included, Unbounded};
use std::sync::Arc;

use bytes::Bytes;

use crate::model::region::Location;
use crate::model::server::ServerName;

/// A region, and the actions on its rows, by their places in the batch.
type OfRegion = (Arc<Location>, Vec<usize>);

/// Actions of one server that are sent together.
pub(super) struct Part {
    pub(super) regions: Vec<OfRegion>,
}

/// The regions that a batch has met, with their actions.
#[derive(Clone, Default)]
pub(super) struct Regions {
    regions: Vec<OfRegion>,
    by_start: BTreeMap<Bytes, usize>,
}

impl Regions {
    /// The region of a row, if it has been met.
    pub(super) fn of(&self, row: &[u8]) -> Option<usize> {
        let (_, at) = self.by_start.range::<[u8], _>((Unbounded, Included(row))).next_back()?;
        self.location(*at).region.contains(row).then_some(*at)
    }

    pub(super) fn add(&mut self, location: Arc<Location>) -> usize {
        let start = location.region.start().clone();
        match self.by_start.get(&start) {
            Some(at) if *self.location(*at) == location => *at,
            _ => {
                self.by_start.insert(start, self.regions.len());
                self.regions.push((location, Vec::new()));
                self.regions.len() - 1
            }
        }
    }

    pub(super) fn location(&self, region: usize) -> &Arc<Location> {
        &self.regions[region].0
    }

    pub(super) fn put(&mut self, region: usize, action: usize) {
        self.regions[region].1.push(action);
    }

    pub(super) fn into_parts(self) -> Vec<OfRegion> {
        self.regions.into_iter().filter(|(_, actions)| !actions.is_empty()).collect()
    }
}

/// A server takes no more rows in one call without a complaint.
const ACTIONS: usize = 5000;

/// Fewer actions are not worth a call of their own.
const FEW: usize = 32;

/// The demands of an action on the call in which it goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) bytes: usize,
    /// The most actions, with this one, in the call.
    pub(super) most: usize,
    /// True if it is a part of the call by itself, as it is made at once.
    pub(super) at_once: bool,
}

/// Puts actions together by server and region, up to `bytes` bytes: the parts of each server, about `calls` if there
/// are many actions. A server carries out the regions of a call one after the other, each with a write to its log.
pub(super) fn split(
    regions: Vec<OfRegion>,
    load: impl Fn(usize) -> Load,
    bytes: usize,
    calls: usize,
) -> Vec<Vec<Part>> {
    let mut servers: HashMap<ServerName, Vec<OfRegion>> = HashMap::new();
    for of_region in regions {
        match servers.get_mut(&of_region.0.server) {
            Some(regions) => regions.push(of_region),
            None => drop(servers.insert(of_region.0.server.clone(), vec![of_region])),
        }
    }
    let mut of_servers = Vec::new();
    for regions in servers.into_values() {
        let mut parts = Vec::new();
        let regions = apart(regions, &load, &mut parts);
        let all: usize = regions.iter().map(|(_, actions)| actions.len()).sum();
        // Regions are of different sizes, and better left whole.
        let most = (all.div_ceil(calls) * 5 / 4).clamp(FEW, ACTIONS);
        let (mut part, mut sum, mut count) = (Vec::new(), 0, 0);
        for (location, actions) in regions {
            if count > 0 && actions.len() <= most && count + actions.len() > most {
                parts.push(Part { regions: std::mem::take(&mut part) });
                (sum, count) = (0, 0);
            }
            let mut here = Here::default();
            for action in actions {
                let Load { bytes: size, at_once, .. } = load(action);
                if count > 0 && (sum + size > bytes || count == most) {
                    part.extend(std::mem::take(&mut here).of(&location));
                    parts.push(Part { regions: std::mem::take(&mut part) });
                    (sum, count) = (0, 0);
                }
                if at_once { &mut here.at_once } else { &mut here.others }.push(action);
                (sum, count) = (sum + size, count + 1);
            }
            part.extend(here.of(&location));
        }
        if !part.is_empty() {
            parts.push(Part { regions: part });
        }
        of_servers.push(parts);
    }
    of_servers
}

/// The actions of a region in a call.
#[derive(Default)]
struct Here {
    others: Vec<usize>,
    at_once: Vec<usize>,
}

impl Here {
    fn of(self, location: &Arc<Location>) -> impl Iterator<Item = OfRegion> {
        let others = Some(self.others).filter(|others| !others.is_empty());
        let parts = others.into_iter().chain(self.at_once.into_iter().map(|at| vec![at]));
        parts.map(|actions| (location.clone(), actions))
    }
}

/// Makes calls of those actions that go with few others. Returns the rest.
fn apart(regions: Vec<OfRegion>, load: &impl Fn(usize) -> Load, parts: &mut Vec<Part>) -> Vec<OfRegion> {
    let mut rest = Vec::with_capacity(regions.len());
    for (location, actions) in regions {
        let (free, few): (Vec<_>, Vec<_>) = actions.into_iter().partition(|at| load(*at).most == usize::MAX);
        let (at_once, mut few): (Vec<_>, Vec<_>) = few.into_iter().partition(|at| load(*at).at_once);
        let most = |at: &usize| load(*at).most.max(1);
        few.sort_by_key(most);
        let groups = few.chunk_by(|a, b| most(a) == most(b)).flat_map(|same| same.chunks(most(&same[0])));
        let groups = groups.map(<[usize]>::to_vec).chain(at_once.into_iter().map(|at| vec![at]));
        parts.extend(groups.map(|group| Part { regions: vec![(location.clone(), group)] }));
        if !free.is_empty() {
            rest.push((location, free));
        }
    }
    rest
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::region::tests::region;
    use crate::model::server::Address;

    pub(in super::super) fn at(start: &'static str, end: &'static str, port: u16) -> Arc<Location> {
        let server = ServerName::new(Address::new("h", port), 1);
        Arc::new(Location { region: region(start, end, 1), server, opening: 1 })
    }

    fn of(bytes: usize) -> Load {
        Load { bytes, most: usize::MAX, at_once: false }
    }

    #[test]
    fn suspects_go_apart_and_what_is_made_at_once_by_itself() {
        let load = |at: usize| Load {
            most: if at < 10 { 4 } else { usize::MAX },
            at_once: [0, 11, 22].contains(&at),
            ..of(1)
        };
        let regions = vec![(at("a", "b", 1), (0..13).collect()), (at("b", "", 1), (13..30).collect())];
        let parts = split(regions, load, 1 << 20, 4).remove(0);
        assert_eq!(counts(&parts), [vec![4], vec![4], vec![1], vec![1], vec![2, 1, 16, 1]]);
        // One that is to be alone keeps no others from their groups.
        let load = |at: usize| Load { most: if at % 5 == 2 { 1 } else { 4 }, ..of(1) };
        let parts = split(vec![(at("a", "b", 1), (0..10).collect())], load, 1 << 20, 4).remove(0);
        assert_eq!(counts(&parts), [[1], [1], [4], [4]]);
    }

    /// The number of actions that each part has of each of its regions.
    fn counts(parts: &[Part]) -> Vec<Vec<usize>> {
        parts.iter().map(|part| part.regions.iter().map(|(_, actions)| actions.len()).collect()).collect()
    }

    #[test]
    fn rows_are_put_to_the_region_that_has_them() {
        let mut regions = Regions::default();
        assert_eq!(regions.of(b"a"), None);
        let (low, high) = (regions.add(at("", "b", 1)), regions.add(at("d", "", 1)));
        assert_eq!(
            [&b"a"[..], b"b", b"c", b"d", b"z"].map(|row| regions.of(row)),
            [Some(low), None, None, Some(high), Some(high)]
        );
        assert_eq!(regions.add(at("", "b", 1)), low);
        assert_ne!(regions.add(at("", "b", 2)), low, "it moved while the batch was placed");
        regions.put(high, 7);
        assert_eq!(counts(&[Part { regions: regions.into_parts() }]), [[1]]);
    }

    #[test]
    fn every_action_is_sent_once_and_in_the_order_of_its_region() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let mut next = 0;
            let mut regions = Vec::new();
            for (start, port) in [("a", 1), ("b", 2), ("c", 1), ("d", 2), ("e", 1)] {
                let most = random.usize(2..9000);
                let many = random.usize(1..most);
                regions.push((at(start, "", port), (next..next + many).collect::<Vec<_>>()));
                next += many;
            }
            let (sizes, bytes, calls) = (random.usize(1..50), random.usize(1..20_000), random.usize(1..6));
            let parts = split(regions.clone(), |_| of(sizes), bytes, calls).into_iter().flatten().collect::<Vec<_>>();
            for (location, actions) in &regions {
                let of = parts.iter().flat_map(|part| &part.regions).filter(|(of, _)| of == location);
                let sent: Vec<usize> = of.flat_map(|(_, actions)| actions.clone()).collect();
                assert_eq!(sent, *actions);
            }
            for part in &parts {
                let server = &part.regions[0].0.server;
                assert!(
                    part.regions.iter().all(|(location, actions)| location.server == *server && !actions.is_empty())
                );
                let many: usize = part.regions.iter().map(|(_, actions)| actions.len()).sum();
                assert!(many <= ACTIONS && (many == 1 || many * sizes <= bytes));
            }
        }
    }

    #[test]
    fn many_actions_are_a_few_calls_of_whole_regions_and_few_are_one() {
        let regions =
            |many: usize| ["a", "b", "c", "d", "e", "f", "g", "h"].map(|of| (at(of, "", 1), vec![0; many])).into();
        assert_eq!(counts(&split(regions(125), |_| of(1), 1 << 20, 4)[0]), [[125; 2]; 4]);
        assert_eq!(counts(&split(regions(12), |_| of(1), 1 << 20, 4)[0]), [[12; 2]; 4]);
        assert_eq!(counts(&split(regions(4), |_| of(1), 1 << 20, 4)[0]), [[4; 8]]);
        let one = || vec![(at("a", "", 1), vec![0; 1000])];
        assert_eq!(counts(&split(one(), |_| of(1), 1 << 20, 4)[0]), [[312], [312], [312], [64]]);
        assert_eq!(counts(&split(one(), |_| of(1), 1 << 20, 1)[0]), [[1000]]);
    }
}
