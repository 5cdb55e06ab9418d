//! Metrics of a region.

use bytes::Bytes;

use crate::pb;

/// The counts of a region since its server opened it there, and the region's sizes. Counts begin again from 0
/// when the region is moved, split, merged or opened again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionMetrics {
    name: Bytes,
    load: pb::RegionLoad,
}

const MIB: u64 = 1 << 20;

impl RegionMetrics {
    /// `None` if it has no region's whole name.
    pub(crate) fn from_pb(load: pb::RegionLoad) -> Option<Self> {
        let name = load.region_specifier.value.clone();
        parts(&name).map(|_| Self { name, load })
    }

    /// The region's whole name: table, start key, id and, between dots, the encoded name.
    #[doc(alias = "getRegionName")]
    pub fn region_name(&self) -> &Bytes {
        &self.name
    }

    /// The region's first key. Empty in the first region.
    pub fn start(&self) -> Bytes {
        parts(&self.name).map_or_else(Bytes::new, |parts| parts.start)
    }

    /// The region's number: a region that replaces others has a greater one.
    pub fn region_id(&self) -> u64 {
        parts(&self.name).map_or(0, |parts| parts.id)
    }

    /// The number of a copy for reads: 0 for the region itself.
    pub fn replica_id(&self) -> u32 {
        parts(&self.name).map_or(0, |parts| parts.replica)
    }

    /// The rows read, by gets and scans, also those that a filter or a deletion left out.
    #[doc(alias = "getReadRequestCount")]
    pub fn reads(&self) -> u64 {
        self.load.read_requests_count()
    }

    /// The rows read that a filter or a deletion left out.
    #[doc(alias = "getFilteredReadRequestCount")]
    pub fn filtered_reads(&self) -> u64 {
        self.load.filtered_read_requests_count()
    }

    /// The mutations made: each put, delete, increment and append of a batch.
    #[doc(alias = "getWriteRequestCount")]
    pub fn writes(&self) -> u64 {
        self.load.write_requests_count()
    }

    /// The number of files.
    #[doc(alias = "getStoreFileCount")]
    pub fn files(&self) -> u32 {
        self.load.storefiles()
    }

    /// The bytes of its files, as stored. Servers tell whole MiB, and one for less.
    #[doc(alias = "getStoreFileSize")]
    pub fn file_bytes(&self) -> u64 {
        u64::from(self.load.storefile_size_mb()) * MIB
    }

    /// The bytes in memory that are in no file yet. Servers tell whole MiB, and one for less.
    #[doc(alias = "getMemStoreSize")]
    pub fn memstore_bytes(&self) -> u64 {
        u64::from(self.load.mem_store_size_mb()) * MIB
    }
}

/// The parts of a region's whole name behind the table's.
struct Parts {
    start: Bytes,
    id: u64,
    replica: u32,
}

/// Reads `table,start key,id[_replica][.encoded.]`. Start keys may have commas, tables and what follows have none.
fn parts(name: &Bytes) -> Option<Parts> {
    let first = name.iter().position(|byte| *byte == b',')? + 1;
    let last = name.iter().rposition(|byte| *byte == b',').filter(|last| *last >= first)?;
    let rest = std::str::from_utf8(&name[last + 1..]).ok()?;
    let number = rest.split_once('.').map_or(rest, |(number, _)| number);
    let (id, replica) = number.split_once('_').unwrap_or((number, "0"));
    let (id, replica) = (id.parse().ok()?, u32::from_str_radix(replica, 16).ok()?);
    Some(Parts { start: name.slice(first..last), id, replica })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &'static [u8]) -> Option<RegionMetrics> {
        let mut load = pb::RegionLoad::default();
        load.region_specifier.value = Bytes::from_static(name);
        RegionMetrics::from_pb(load)
    }

    #[test]
    fn names_of_regions_are_read() {
        let whole = |name| named(name).map(|of| (of.start(), of.region_id(), of.replica_id()));
        assert_eq!(whole(b"t,,5.0123."), Some((Bytes::new(), 5, 0)));
        assert_eq!(whole(b"n:t,a,\xff\0,b,77_000A.0123."), Some((Bytes::from_static(b"a,\xff\0,b"), 77, 10)));
        assert_eq!(whole(b"hbase:meta,,1"), Some((Bytes::new(), 1, 0)));
        for wrong in [&b""[..], b"t", b"t,5", b"t,,", b"t,,x.0.", b"t,,5_.0.", b"t,,-1.0.", b"t,a,\xff.0."] {
            assert_eq!(named(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_bytes() {
        let load =
            pb::RegionLoad { storefile_size_mb: Some(u32::MAX), mem_store_size_mb: Some(3), ..Default::default() };
        let metrics = RegionMetrics { name: Bytes::new(), load };
        assert_eq!(
            (metrics.file_bytes(), metrics.memstore_bytes(), metrics.reads()),
            (u64::from(u32::MAX) << 20, 3 << 20, 0)
        );
    }
}
