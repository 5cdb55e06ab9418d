//! H10: a new table without split points.

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::TypeBuf;

use crate::cost::{bytes_per_put, on_disk};
use crate::design::{Engine, Meaning, Write, WriteKind};
use crate::facts::KeyFacts;
use crate::file::{Bytes, Count, Rate};
use crate::load::peak;
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};
use crate::rules::regions::{Fullest, written, written_when_grown};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    let first_split = first_split(context);
    let puts = || table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    // Each row is written to each secondary table too.
    for key in &context.keys {
        let secondary = key.secondary.map(|index| &table.secondary[index]);
        let on_disk =
            |write: &Write| bytes_per_put(context.table, key, write) * on_disk(context.table, key, &write.columns);
        let rates = puts().filter_map(|write| Some(peak(write)? * on_disk(write)));
        let bytes = rates.sum::<f64>() * 600.0;
        let is_loaded = first_split.is_some_and(|first_split| bytes > first_split && !is_taken(context));
        let asked = written(context, key).filter(|_| first_split.is_some() && !is_loaded);
        let lasting = written_when_grown(context, key).filter(|_| context.engine != Engine::HBase);
        let is_told = is_loaded || asked.is_some() || lasting.is_some();
        if context.splits(key).is_some() || bytes.is_nan() || !is_told {
            continue;
        }
        let what = secondary.map_or_else(
            || "the new table".to_owned(),
            |secondary| format!("the new secondary table {:?}", secondary.name.as_str()),
        );
        let message = match (&lasting, &asked) {
            (Some(fullest), _) => grown(context, key, fullest),
            (None, Some(fullest)) => {
                let rate = Rate(fullest.rate.round());
                format!("{what} is one region, and its writes are {rate}: more than one server takes")
            }
            (None, None) => {
                let bytes = Bytes(bytes);
                format!("{what} is one region, and ten minutes of writes are {bytes}: one server takes them all")
            }
        };
        let is_lasting = lasting.is_some();
        let numbers = match lasting.or(asked) {
            Some(fullest) => [
                ("writes at the peak", fullest.rate, "/s"),
                ("writes that one server takes", fullest.rate / fullest.asked, "/s"),
            ],
            None => {
                [("bytes in ten minutes", bytes, "B"), ("size of the first split", first_split.unwrap_or(bytes), "B")]
            }
        };
        let mut finding = found.finding(key.name.place, message);
        if is_lasting {
            finding.severity = finding.severity.max(Severity::Warning);
        }
        for (name, value, unit) in numbers {
            finding = finding.number(name, value, unit);
        }
        if let Some(secondary) = secondary {
            finding = finding.of(secondary.name.as_str());
        }
        let has_few_rows = is_lasting && context.engine.splits_by_load(false);
        let edit = splits_for(context, key).filter(|_| !has_few_rows).and_then(|splits| match secondary {
            Some(secondary) => context.design.files.key_added_to_item(secondary.place, "splits", &splits),
            None => context.design.files.key_added(context.table.name.place, "splits", &splits),
        });
        let cure = match (has_few_rows, numbers[0].2) {
            (true, _) => "divide each row among several",
            (false, "B") => {
                "split the table before it is loaded; or say `region.writes` of the cluster, if one takes them"
            }
            (false, _) => "split the table before it is loaded",
        };
        found.push(finding.remedy(cure, edit.into_iter().collect()));
    }
}

/// True if the file says that one server takes all writes of the table.
fn is_taken(context: &Context<'_>) -> bool {
    let is_said = context.cluster.and_then(|cluster| cluster.region.as_ref()?.writes).is_some();
    is_said && context.capacity.peak <= context.capacity.each
}

/// The words for a table that is in too few regions, full grown, for its writes.
fn grown(context: &Context<'_>, key: &KeyFacts<'_>, fullest: &Fullest) -> String {
    let Fullest { rate, regions, .. } = *fullest;
    let (name, region, rate) = (key.name.as_str(), context.engine.region(), Rate(rate.round()));
    let why = match context.engine.splits_by_load(false) {
        true => "as it has no more rows",
        false => "as they are split by size, and not for writes",
    };
    format!(
        "{name:?} is in {} when it is full grown, {why}, and the writes of each are {rate}: more than one server takes",
        Count(regions).of(region)
    )
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
