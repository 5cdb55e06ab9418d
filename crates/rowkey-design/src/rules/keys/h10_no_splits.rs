//! H10: a new table without split points.

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::TypeBuf;

use crate::cost::bytes_per_row;
use crate::design::{Engine, Meaning, WriteKind};
use crate::facts::KeyFacts;
use crate::file::Bytes;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable | Engine::TiKv) {
        return;
    }
    let puts = table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    let rate: f64 = puts.filter_map(|write| write.peak.as_ref().or(write.rate.as_ref())).map(|rate| rate.0).sum();
    let per_row = table.family.values().filter_map(|family| crate::cost::per_row(&family.value)).fold(1.0, f64::max);
    let first_split = 2.0 * context.flush_size();
    // Each row is written to each secondary table too.
    for key in &context.keys {
        let secondary = key.secondary.map(|index| &table.secondary[index]);
        let splits = secondary.map_or(&table.splits, |secondary| &secondary.splits);
        let bytes = rate * 600.0 * bytes_per_row(context.table, key, &[]) / per_row;
        if splits.is_some() || bytes.is_nan() || bytes <= first_split {
            continue;
        }
        let what = secondary.map_or_else(
            || "the new table".to_owned(),
            |secondary| format!("the new secondary table {:?}", secondary.name.as_str()),
        );
        let message =
            format!("{what} is one region, and ten minutes of writes are {}: one server takes them all", Bytes(bytes));
        let mut finding = found.finding(key.name.place, message).number("bytes in ten minutes", bytes, "B").number(
            "size of the first split",
            first_split,
            "B",
        );
        if let Some(secondary) = secondary {
            finding = finding.of(secondary.name.as_str());
        }
        let edit = splits_for(context, key).and_then(|splits| match secondary {
            Some(secondary) => context.design.files.key_added_to_item(secondary.place, "splits", &splits),
            None => context.design.files.key_added(context.table.name.place, "splits", &splits),
        });
        found.push(finding.remedy("split the table before it is loaded", edit.into_iter().collect()));
    }
}

/// The split points of a key whose rows they divide evenly.
fn splits_for(context: &Context<'_>, key: &KeyFacts<'_>) -> Option<String> {
    if matches!(key.layout.lead(), Lead::Salt(_)) {
        return Some("\"buckets\"".to_owned());
    }
    let text = |ty: &TypeBuf| matches!(ty, TypeBuf::Scalar(Scalar::Text | Scalar::HostPath | Scalar::Url));
    let even = key.fields.first().is_some_and(|field| {
        !text(&field.field.ty) && matches!(field.meaning, Some(Meaning::Digest | Meaning::Random | Meaning::Uuid4))
    });
    let servers = context.cluster.and_then(|cluster| cluster.servers).unwrap_or(4);
    even.then(|| format!("{{ uniform = {servers} }}"))
}
