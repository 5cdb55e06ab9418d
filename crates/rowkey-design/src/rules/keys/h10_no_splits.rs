//! H10: a new table without split points.

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::TypeBuf;

use crate::cost::{bytes_per_put, on_disk};
use crate::design::{Engine, Meaning, Write, WriteKind};
use crate::facts::KeyFacts;
use crate::file::{Bytes, Rate};
use crate::load::peak;
use crate::rules::context::{Context, RuleSink};
use crate::rules::regions::written;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    let Some(first_split) = first_split(context) else { return };
    let puts = || table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    // Each row is written to each secondary table too.
    for key in &context.keys {
        let secondary = key.secondary.map(|index| &table.secondary[index]);
        let on_disk =
            |write: &Write| bytes_per_put(context.table, key, write) * on_disk(context.table, key, &write.columns);
        let rates = puts().filter_map(|write| Some(peak(write)? * on_disk(write)));
        let bytes = rates.sum::<f64>() * 600.0;
        let asked = written(context, key).filter(|_| bytes <= first_split);
        if context.splits(key).is_some() || bytes.is_nan() || (bytes <= first_split && asked.is_none()) {
            continue;
        }
        let what = secondary.map_or_else(
            || "the new table".to_owned(),
            |secondary| format!("the new secondary table {:?}", secondary.name.as_str()),
        );
        let message = match &asked {
            Some(fullest) => {
                let rate = Rate(fullest.rate.round());
                format!("{what} is one region, and its writes are {rate}: more than one server takes")
            }
            None => {
                let bytes = Bytes(bytes);
                format!("{what} is one region, and ten minutes of writes are {bytes}: one server takes them all")
            }
        };
        let numbers = match asked {
            Some(fullest) => [
                ("writes at the peak", fullest.rate, "/s"),
                ("writes that one server takes", fullest.rate / fullest.asked, "/s"),
            ],
            None => [("bytes in ten minutes", bytes, "B"), ("size of the first split", first_split, "B")],
        };
        let mut finding = found.finding(key.name.place, message);
        for (name, value, unit) in numbers {
            finding = finding.number(name, value, unit);
        }
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

/// The bytes at which the one region of a new table is split; none where nothing says it.
///
/// HBase: twice the flush size, by SteppingSplitPolicy; by other policies a new table is one region for longer. TiKV:
/// `coprocessor.region-split-size`, 256 MiB by default.
fn first_split(context: &Context<'_>) -> Option<f64> {
    const TIKV: f64 = 256.0 * 1024.0 * 1024.0;
    let region = context.cluster.and_then(|cluster| cluster.region.as_ref());
    let declared = region.and_then(|region| region.max).map(|bytes| bytes.0);
    match context.engine {
        Engine::HBase => Some(2.0 * context.flush_size()),
        Engine::TiKv => declared.or(Some(TIKV)),
        Engine::Bigtable => declared,
        _ => None,
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
    even.then(|| format!("{{ uniform = {} }}", context.capacity.servers))
}
