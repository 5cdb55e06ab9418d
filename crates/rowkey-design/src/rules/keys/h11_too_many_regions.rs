//! H11: more regions than the memory of a server has room for.

use rowkey::lead::Lead;

use crate::design::{Engine, Splits};
use crate::file::Count;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let (Some(splits), Some(cluster)) = (&context.table.table.splits, context.cluster) else { return };
    let (Some(heap), Some(servers)) = (cluster.heap, cluster.servers) else { return };
    let regions = match &splits.value {
        Splits::Buckets => match context.table.layout.lead() {
            Lead::Salt(salt) => f64::from(salt.buckets),
            _ => return,
        },
        Splits::Uniform(regions) | Splits::Hex(regions) | Splits::Decimal(regions) | Splits::Sample { regions, .. } => {
            f64::from(*regions)
        }
        Splits::Keys(keys) => keys.len() as f64 + 1.0,
    };
    if context.engine != Engine::HBase || servers == 0 {
        return;
    }
    let families = context.table.table.family.len().max(1) as f64;
    let room = heap.0 * 0.4 / (context.flush_size() * families);
    let here = (regions / f64::from(servers)).ceil();
    if here <= room {
        return;
    }
    let message = format!(
        "{} regions a server, and its memory has room for the memstores of {}",
        Count(here),
        Count(room.floor())
    );
    let finding = found
        .finding(splits.place, message)
        .number("regions a server", here, "")
        .number("room", room, "regions")
        .number("families", families, "");
    found.push(finding.remedy("fewer split points, fewer families, or more memory", Vec::new()));
}
