//! The size of regions and memstores, and the split policy: a design says them of a cluster, HBase of each table.

use super::{Said, shown};
use crate::design::{Balancer, Cluster, Engine, SplitPolicy};
use crate::file::{Bytes, Named};
use crate::problem::Located;

/// HBase's classes of split policies.
pub(crate) const POLICIES: [(SplitPolicy, &str); 4] = [
    (SplitPolicy::Stepping, "org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy"),
    (SplitPolicy::Increasing, "org.apache.hadoop.hbase.regionserver.IncreasingToUpperBoundRegionSplitPolicy"),
    (SplitPolicy::Constant, "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy"),
    (SplitPolicy::Disabled, "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy"),
];

/// The value of a table's attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Bytes(u64),
    Class(&'static str),
}

/// The attributes of HBase that a cluster has words for.
type Attributes = Vec<(&'static str, Value)>;

fn attributes(cluster: &Cluster) -> Attributes {
    let Some(region) = &cluster.region else { return Vec::new() };
    // HBase's sizes are `long`.
    let bytes = |size: Bytes| Value::Bytes((size.0.round() as u64).clamp(1, i64::MAX as u64));
    let class = |policy| POLICIES.iter().find(|(known, _)| *known == policy).map(|(_, class)| Value::Class(class));
    let attributes = [
        ("MAX_FILESIZE", region.max.map(bytes)),
        ("MEMSTORE_FLUSHSIZE", region.flush.map(bytes)),
        ("SPLIT_POLICY", region.split.and_then(class)),
    ];
    attributes.into_iter().filter_map(|(attribute, value)| Some((attribute, value?))).collect()
}

/// The attributes that each table of HBase gets. Notes what its cluster says that no table has.
pub(super) fn of_hbase(clusters: &Named<Cluster>, said: &mut Said) -> Attributes {
    let mut of_hbase = of_engine(clusters, Engine::HBase);
    let Some((name, first)) = of_hbase.next() else { return Vec::new() };
    let attributes = self::attributes(first);
    for (attribute, value) in &attributes {
        // `TableDescriptorChecker`.
        let limit = match (*attribute, value) {
            ("MAX_FILESIZE", Value::Bytes(..2_097_152)) => "hbase.hregion.max.filesize.limit",
            ("MEMSTORE_FLUSHSIZE", Value::Bytes(..1_048_576)) => "hbase.hregion.memstore.flush.size.limit",
            _ => continue,
        };
        said.note(first.place, format!("HBase refuses so small a {attribute}, unless {limit} is set as small"));
    }
    if let Some(balancer) = first.balancer {
        let how = match balancer {
            Balancer::Off => "`balance_switch false` turns it off",
            Balancer::Period(_) => "its period is `hbase.balancer.period`, in the master's hbase-site.xml",
        };
        said.note(first.place, format!("the balancer is of the cluster, and no option of a table: {how}"));
    }
    for (other, cluster) in of_hbase.filter(|(_, cluster)| self::attributes(cluster) != attributes) {
        let (other, name) = (shown(other), shown(name));
        let message = format!("cluster {other} has other regions: the tables are created with those of {name}");
        said.note(cluster.place, message);
    }
    attributes
}

/// Notes what a cluster says that Bigtable has no word for.
pub(super) fn of_bigtable(clusters: &Named<Cluster>, said: &mut Said) {
    let mut of_either = of_engine(clusters, Engine::Bigtable).chain(of_engine(clusters, Engine::HBase));
    let Some((name, cluster)) = of_either.next() else { return };
    let region = cluster.region.as_ref();
    let words = [
        ("region.max", region.is_some_and(|region| region.max.is_some())),
        ("region.flush", region.is_some_and(|region| region.flush.is_some())),
        ("region.split", region.is_some_and(|region| region.split.is_some())),
        ("balancer", cluster.balancer.is_some()),
    ];
    let there: Vec<_> = words.into_iter().filter(|(_, there)| *there).map(|(word, _)| word).collect();
    if !there.is_empty() {
        let (name, there) = (shown(name), there.join(", "));
        let message =
            format!("cluster {name}: Bigtable has no option for {there}: it divides and moves tablets by itself");
        said.note(cluster.place, message);
    }
}

fn of_engine(clusters: &Named<Cluster>, engine: Engine) -> impl Iterator<Item = (&String, &Located<Cluster>)> {
    clusters.iter().filter(move |(_, cluster)| cluster.engine == engine)
}
