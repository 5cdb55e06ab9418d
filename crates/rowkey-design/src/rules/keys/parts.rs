//! Split points and regions.

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::TypeBuf;

use crate::check::Context;
use crate::cost::bytes_per_row;
use crate::design::{Engine, Meaning, Splits, WriteKind};
use crate::facts::KeyFacts;
use crate::file::{Bytes, Count};
use crate::finding::Edit;
use crate::rules::Found;

/// What HBase flushes at, where the design does not say: `hbase.hregion.memstore.flush.size`.
const FLUSH: f64 = 128.0 * 1024.0 * 1024.0;

/// H09.
pub(super) fn alphabet(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(splits) = &context.table.table.splits else { return };
    let key = &context.keys[0];
    let Some(first) = key.fields.first() else { return };
    if let Some(profile) = context.profile.filter(|profile| profile.regions.len() > 1 && profile.keys >= 1000) {
        let (parts, what) = match profile.region_bytes.is_empty() {
            true => (&profile.regions, "keys"),
            false => (&profile.region_bytes, "bytes"),
        };
        let mean = parts.iter().map(|&part| part as f64).sum::<f64>() / parts.len() as f64;
        let most = parts.iter().copied().max().unwrap_or(0) as f64;
        let empty = profile.regions.iter().filter(|&&keys| keys == 0).count() as f64 / profile.regions.len() as f64;
        if most > 2.0 * mean || empty > 0.2 {
            let message = format!(
                "of {} regions the fullest has {:.1} times the mean of the sample's {what}, and {:.0} % have none",
                profile.regions.len(),
                most / mean,
                empty * 100.0
            );
            let finding = found.finding(splits.place, message).number("greatest over mean", most / mean, "");
            let finding = finding.number("empty regions", empty * 100.0, "%");
            found.push(finding.remedy("split by a sample: `splits = { sample = \"…\", regions = … }`", Vec::new()));
        }
        return;
    }
    let text = matches!(first.field.ty, TypeBuf::Scalar(Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url));
    let hex_lead = matches!(key.layout.lead(), Lead::Salt(salt) if salt.hex);
    let plain = matches!(key.layout.lead(), Lead::None);
    let why = match &splits.value {
        Splits::Hex(_) | Splits::Decimal(_) if !(plain && text && !first.field.desc || hex_lead) => {
            "split points of digits, and keys that do not begin with digits"
        }
        Splits::Uniform(_) if plain && text => "split points over all bytes, and keys that begin with text",
        _ => return,
    };
    let message = format!("{why}: nearly all rows are in few regions");
    let finding =
        found.finding(splits.place, message).witness(format!("the key begins with {}: {}", first.name, first.field));
    let edits = match (&splits.value, key.layout.lead()) {
        (_, Lead::Salt(_)) => vec![Edit { place: splits.place, text: "\"buckets\"".to_owned() }],
        (Splits::Hex(regions) | Splits::Decimal(regions), _) => {
            vec![Edit { place: splits.place, text: format!("{{ uniform = {regions} }}") }]
        }
        _ => Vec::new(),
    };
    found.push(finding.remedy("split by the key's own alphabet, or by a sample", edits));
}

/// H10.
pub(super) fn unsplit(context: &Context<'_>, found: &mut Found<'_>) {
    let table = &context.table.table;
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable | Engine::TiKv) {
        return;
    }
    let puts = table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    let rate: f64 = puts.filter_map(|write| write.peak.as_ref().or(write.rate.as_ref())).map(|rate| rate.0).sum();
    let per_row = table.family.values().filter_map(|family| crate::cost::per_row(&family.value)).fold(1.0, f64::max);
    let flush = context.cluster.and_then(|cluster| cluster.region.as_ref()).and_then(|region| region.flush);
    let first_split = 2.0 * flush.map_or(FLUSH, |flush| flush.0);
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

/// H11.
pub(super) fn too_many(context: &Context<'_>, found: &mut Found<'_>) {
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
    let flush = cluster.region.as_ref().and_then(|region| region.flush).map_or(FLUSH, |flush| flush.0);
    let families = context.table.table.family.len().max(1) as f64;
    let room = heap.0 * 0.4 / (flush * families);
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

/// H18.
pub(super) fn left_behind(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    let families = &context.table.table.family;
    let expires = !families.is_empty() && families.values().all(|family| family.ttl.is_some());
    if context.engine != Engine::HBase || !expires || key.growing() != Some(0) {
        return;
    }
    let field = &key.fields[0];
    let message =
        format!("rows expire in the order of {:?}: regions before the time that is kept stay, empty", field.name);
    let finding =
        found.finding(field.place, message).witness("empty regions are merged by the region normalizer alone");
    let cure = "turn on HBase's region normalizer for the table, or begin the key with another field";
    found.push(finding.remedy(cure, Vec::new()));
}

/// H20.
pub(super) fn dead(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    let Some(first) = key.fields.first() else { return };
    let declared =
        first.meaning == Some(Meaning::Constant) || first.spread.is_some_and(|spread| spread.distinct <= 1.0);
    let seen = context.profile.filter(|profile| profile.distinct > 1.0).map(|profile| &profile.dead_prefix[..]);
    let seen = seen.filter(|prefix| !prefix.is_empty());
    if !declared && seen.is_none() {
        return;
    }
    let bytes = seen.map_or(first.bytes, |prefix| prefix.len() as f64);
    let message = match seen {
        Some(prefix) => format!("all keys of the sample begin with {}", crate::quote::hbase_binary(prefix)),
        None => format!("{:?} is the same in all keys", first.name),
    };
    let finding = found.finding(first.place, message).number("bytes in each cell", bytes, "B");
    found.push(finding.remedy("leave it out, or put it last; split points have to begin with it", Vec::new()));
}

/// H21.
pub(super) fn uneven(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(splits) = &context.table.table.splits else { return };
    let key = &context.keys[0];
    let (Splits::Uniform(regions) | Splits::Hex(regions) | Splits::Decimal(regions)) = &splits.value else { return };
    let Some(first) = key.fields.first().filter(|_| matches!(key.layout.lead(), Lead::None)) else { return };
    let Some(spread) = first.spread else { return };
    let share = spread.p_max * f64::from(*regions);
    if share <= 2.0 {
        return;
    }
    let message = format!(
        "the most frequent value of {:?} has {:.1} times the rows of an even region, and the regions are even in keys alone",
        first.name, share
    );
    let finding = found
        .finding(splits.place, message)
        .number("share of the most frequent", spread.p_max * 100.0, "%")
        .number("regions", f64::from(*regions), "");
    found.push(finding.remedy("split by a sample of keys", Vec::new()));
}
