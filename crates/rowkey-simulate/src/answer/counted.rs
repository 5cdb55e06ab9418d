//! The cluster of a watched table as it is, in place of what the design says of it.

use data_encoding::HEXLOWER;
use rowkey_design::Design;
use rowkey_design::internal::Located;
use rowkey_design::internal::design::Splits;
use rowkey_design::internal::file::Count;

use crate::recording::{Ran, Run};
use crate::simulation::Declared;

/// The design with the cluster's number of servers, and with the regions of a table that is written, where it says no
/// split points.
pub(super) fn of_cluster(design: &Design, declared: &Declared<'_>, run: &Run) -> Design {
    let mut design = design.clone();
    if let Some(cluster) = declared.cluster_name().and_then(|name| design.clusters.get_mut(name)) {
        cluster.value.servers = Some(run.settings.servers);
    }
    let key = &declared.key;
    let Some(table) = design.tables.get_mut(key.table.name.as_str()) else { return design };
    let place = table.name.place;
    let splits = match key.secondary {
        None => Some(&mut table.table.splits),
        Some(at) => table.table.secondary.get_mut(at).map(|secondary| &mut secondary.value.splits),
    };
    let starts = run.intervals.last().map_or(&[][..], |interval| &interval.regions).iter().skip(1);
    let keys: Vec<_> = starts.map(|region| Located { value: HEXLOWER.encode(&region.start.0), place }).collect();
    let is_written = Ran::of_writes(run).peak > 0.0;
    if let Some(splits) = splits.filter(|splits| splits.is_none() && is_written && !keys.is_empty()) {
        *splits = Some(Located { value: Splits::Keys(keys), place });
    }
    design
}

/// The words on servers that are more or fewer than the design says.
pub(super) fn servers(declared: &Declared<'_>, run: &Run) -> Option<String> {
    let said = declared.cluster()?.servers?;
    let servers = run.settings.servers;
    let all = |servers: u32| Count(servers.into()).of("server");
    (said != servers).then(|| {
        format!(
            "the cluster has {}, and the design says {}: judged is by those of the cluster",
            all(servers),
            all(said)
        )
    })
}
