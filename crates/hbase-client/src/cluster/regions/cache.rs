//! Cache of the regions that are known, by table and row key.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::sync::Arc;

use bytes::Bytes;
use tokio::time::Instant;

use crate::model::region::Location;
use crate::model::server::ServerName;
use crate::model::table_name::TableName;

/// The regions that are known: of each table, by start key, none overlapping another.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    tables: HashMap<TableName, BTreeMap<Bytes, Known>>,
}

#[derive(Debug)]
struct Known {
    location: Arc<Location>,
    /// The time of the look-up in meta that told the location, or told the same since.
    asked: Instant,
}

/// The place of the wanted region in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// It contains this key.
    At(&'a [u8]),
    /// It contains what stands right before this key. An empty key stands for the end of the table.
    Before(&'a [u8]),
}

impl Place<'_> {
    pub(crate) fn is_in(&self, location: &Location) -> bool {
        match self {
            Self::At(key) => location.region.contains(key),
            Self::Before(key) => location.region.contains_before(key),
        }
    }
}

impl Cache {
    /// The known region at this place.
    pub(crate) fn find(&self, table: &TableName, place: Place<'_>) -> Option<Arc<Location>> {
        let found = self.closest(table, place)?;
        place.is_in(found).then(|| found.clone())
    }

    /// The start of the unknown keys around a place: the end of the known region before them.
    pub(crate) fn gap(&self, table: &TableName, place: Place<'_>) -> Bytes {
        self.closest(table, place).map(|location| location.region.end().clone()).unwrap_or_default()
    }

    /// The last known region that starts at or before a place.
    fn closest(&self, table: &TableName, place: Place<'_>) -> Option<&Arc<Location>> {
        let regions = self.tables.get(table)?;
        let to = match place {
            Place::At(key) => Included(key),
            Place::Before([]) => Unbounded,
            Place::Before(key) => Excluded(key),
        };
        regions.range::<[u8], _>((Unbounded, to)).next_back().map(|(_, known)| &known.location)
    }

    /// The time of the look-up in meta that told of this location, if it is still the one that is known.
    pub(crate) fn asked(&self, location: &Location) -> Option<Instant> {
        let known = self.tables.get(location.region.table())?.get(location.region.start())?;
        (*known.location == *location).then_some(known.asked)
    }

    /// Adds what meta told when it was asked, in place of all that it overlaps; unless one of those is younger.
    pub(crate) fn insert(&mut self, new: Arc<Location>, asked: Instant) -> bool {
        let regions = self.tables.entry(new.region.table().clone()).or_default();
        let (start, end) = (new.region.start(), new.region.end());
        let to = if end.is_empty() { Unbounded } else { Excluded(&end[..]) };
        let overlaps = |old: &Location| old.region.end().is_empty() || old.region.end() > start;
        // No region starts after it ends, so only the last of those that start before can reach into it.
        let below = regions.range::<[u8], _>((Unbounded, Excluded(&start[..]))).next_back();
        let within = match to {
            Excluded(end) if *end <= start[..] => None,
            to => Some(regions.range::<[u8], _>((Included(&start[..]), to))),
        };
        let old: Vec<_> = below
            .into_iter()
            .chain(within.into_iter().flatten())
            .map(|(_, old)| &old.location)
            .filter(|old| overlaps(old))
            .collect();
        let age = |location: &Location| (location.region.id(), location.opening);
        let younger = |old: &&Arc<Location>| age(old) > age(&new);
        if old.iter().any(younger) {
            return false;
        }
        let old: Vec<_> = old.into_iter().map(|old| old.region.start().clone()).collect();
        old.iter().for_each(|start| drop(regions.remove(start)));
        regions.insert(start.clone(), Known { location: new, asked });
        true
    }

    /// Forgets a location that failed, if it is still the one that is known.
    pub(crate) fn forget(&mut self, failed: &Location) -> bool {
        let Some(regions) = self.tables.get_mut(failed.region.table()) else { return false };
        let same = regions.get(failed.region.start()).is_some_and(|known| *known.location == *failed);
        if same {
            regions.remove(failed.region.start());
        }
        same
    }

    /// Follows a region to where its old server says that it went, if nothing younger is known. The number that comes
    /// with it is one of the old opening, up to its last flush, so it may be the old one still.
    pub(crate) fn moved(&mut self, failed: &Location, server: ServerName, opening: i64) -> bool {
        let Some(regions) = self.tables.get_mut(failed.region.table()) else { return false };
        let newer = opening > failed.opening || (opening == failed.opening && server != failed.server);
        match regions.get_mut(failed.region.start()) {
            Some(known) if *known.location == *failed && newer => {
                known.location = Arc::new(Location { region: failed.region.clone(), server, opening });
                true
            }
            _ => false,
        }
    }

    /// Forgets a table: it was dropped, or made anew.
    pub(crate) fn forget_table(&mut self, table: &TableName) {
        self.tables.remove(table);
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Location>> {
        self.tables.values().flat_map(BTreeMap::values).map(|known| &known.location)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::region::tests::region;
    use crate::model::server::Address;

    fn server(port: u16) -> ServerName {
        ServerName::new(Address::new("h", port), 1)
    }

    fn at(start: &'static str, end: &'static str, id: u64, opening: i64) -> Arc<Location> {
        Arc::new(Location { region: region(start, end, id), server: server(1), opening })
    }

    fn insert(cache: &mut Cache, new: Arc<Location>) -> bool {
        cache.insert(new, Instant::now())
    }

    fn known(cache: &Cache) -> Vec<(Bytes, Bytes, u64)> {
        let of = |location: &Arc<Location>| {
            let region = &location.region;
            (region.start().clone(), region.end().clone(), region.id())
        };
        cache.all().map(of).collect()
    }

    #[test]
    fn a_region_is_found_by_its_keys() {
        let (mut cache, table) = (Cache::default(), TableName::from("t"));
        insert(&mut cache, at("", "b", 1, 1));
        insert(&mut cache, at("d", "", 1, 1));
        let start = |place| cache.find(&table, place).map(|found| found.region.start().clone());
        assert_eq!(start(Place::At(b"")), Some("".into()));
        assert_eq!(start(Place::At(b"b")), None);
        assert_eq!(start(Place::Before(b"b")), Some("".into()));
        assert_eq!(start(Place::Before(b"")), Some("d".into()));
        assert_eq!(start(Place::Before(b"d")), None);
        assert_eq!(cache.gap(&table, Place::At(b"c")), "b");
        assert_eq!(cache.gap(&table, Place::Before(b"d")), "b");
        assert_eq!(cache.find(&"u".into(), Place::At(b"")), None);
    }

    #[test]
    fn daughters_replace_their_parent_and_never_the_other_way_round() {
        let mut cache = Cache::default();
        assert!(insert(&mut cache, at("", "", 1, 1)));
        assert!(insert(&mut cache, at("m", "", 5, 2)));
        assert_eq!(known(&cache), [("m".into(), "".into(), 5)]);
        assert!(insert(&mut cache, at("", "m", 5, 2)));
        assert!(!insert(&mut cache, at("", "", 1, 9)), "the parent");
        assert_eq!(known(&cache).len(), 2);
        assert!(insert(&mut cache, at("", "", 7, 3)), "merged");
        assert_eq!(known(&cache), [("".into(), "".into(), 7)]);
    }

    #[test]
    fn only_the_location_that_failed_is_forgotten() {
        let (mut cache, table) = (Cache::default(), TableName::from("t"));
        let old = at("", "", 1, 1);
        insert(&mut cache, old.clone());
        assert!(!insert(&mut cache, at("", "", 1, 0)), "an earlier opening");
        assert!(insert(&mut cache, at("", "", 1, 2)), "a later opening");
        assert!(!cache.forget(&old));
        let now = cache.find(&table, Place::At(b"x")).unwrap();
        assert!(!cache.moved(&old, server(9), 5));
        assert!(!cache.moved(&now, server(9), 1), "an older number");
        assert!(!cache.moved(&now, now.server.clone(), 2), "the same place");
        assert!(cache.moved(&now, server(9), 5));
        assert!(!cache.forget(&now));
        let moved = cache.find(&table, Place::At(b"x")).unwrap();
        assert_eq!((&moved.server, moved.opening), (&server(9), 5));
        assert!(cache.forget(&moved));
        assert_eq!(known(&cache), []);
    }

    #[test]
    fn random_regions_never_overlap() {
        let mut random = fastrand::Rng::with_seed(7);
        let keys = ["", "a", "b", "c", "d", "e", ""];
        let mut cache = Cache::default();
        for id in 0..3000 {
            let start = random.usize(..6);
            let end = random.usize(start + 1..7);
            insert(&mut cache, at(keys[start], keys[end], random.u64(..=id), random.i64(..4)));
            let mut regions = known(&cache);
            regions.sort();
            for pair in regions.windows(2) {
                assert!(!pair[0].1.is_empty() && pair[0].1 <= pair[1].0, "{regions:?}");
            }
        }
    }
}
