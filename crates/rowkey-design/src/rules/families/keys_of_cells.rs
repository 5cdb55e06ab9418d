//! What the keys of cells cost beside their values.

use super::asked;
use super::cells::{self, Share, leaves_out_prefixes};
use crate::check::Context;
use crate::cost::CELL;
use crate::design::{Columns, Engine, WriteKind};
use crate::rules::Found;

/// F03.
pub(super) fn names(context: &Context<'_>, found: &mut Found<'_>) {
    /// The bytes of a family's and a column's name above which shorter ones are worth it: a choice of ours.
    const LONG: f64 = 12.0;
    if context.engine != Engine::HBase {
        return;
    }
    for (name, family) in &context.table.table.family {
        let Some(share) = Share::plain(name, family, &context.keys[0]) else { continue };
        let (names, whole) = (share.names / share.cells.max(1.0), share.keys + share.values);
        if leaves_out_prefixes(family) || names <= LONG || share.names < 0.2 * whole {
            continue;
        }
        let percent = 100.0 * share.names / whole;
        let message = format!("names are {percent:.0} % of the bytes in {name:?}: each cell has them again");
        let longest = cells::of(family).into_iter().max_by(|a, b| a.name_bytes.total_cmp(&b.name_bytes));
        let mut finding = found
            .finding(family.place, message)
            .of(name.as_str())
            .number("bytes of names in a cell", names, "B")
            .number("share of names", percent, "%");
        if let Some(longest) = longest {
            finding = finding.witness(format!("{:?} in each cell of that column", format!("{name}:{}", longest.name)));
        }
        found.push(finding.remedy("use names of a letter or two, or encode the blocks", encode(context, name)));
    }
}

/// The edit that encodes a family's blocks.
pub(super) fn encode(context: &Context<'_>, family: &str) -> Vec<crate::Edit> {
    let Some(family) = context.table.table.family.get(family) else {
        return Vec::new();
    };
    match &family.encoding {
        Some(encoding) => vec![crate::Edit { place: encoding.place, text: "\"fast_diff\"".to_owned() }],
        None => context.design.files.key_added(family.place, "encoding", "\"fast_diff\"").into_iter().collect(),
    }
}

/// F04.
pub(super) fn share(context: &Context<'_>, found: &mut Found<'_>) {
    /// The longest key of which little can be saved: a choice of ours, two names of twenty letters and a time.
    const SHORT: f64 = 48.0;
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable) {
        return;
    }
    let key = &context.keys[0];
    for (name, family) in &context.table.table.family {
        let Some(plain) = Share::plain(name, family, key) else { continue };
        let Some(encoded) = Share::fast_diff(name, family, key, context.table) else { continue };
        // Where an encoding is enough, F13 says so.
        if plain.of_keys() <= 0.8 || encoded.of_keys() <= 0.8 || (key.bytes <= SHORT && plain.cells <= 1.0) {
            continue;
        }
        let now = Share::encoded(name, family, key, context.table).unwrap_or(plain).of_keys();
        let message = format!("{:.0} % of the bytes in {name:?} are keys of cells", 100.0 * now);
        let longest = key.fields.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes));
        let mut finding = found
            .finding(family.place, message)
            .of(name.as_str())
            .number("share of keys", 100.0 * plain.of_keys(), "%")
            .number("share of keys with FAST_DIFF", 100.0 * encoded.of_keys(), "%")
            .number("bytes of a row's key", key.bytes, "B")
            .number("bytes of a row's values", plain.values, "B");
        if let Some(longest) = longest {
            finding = finding
                .witness(format!("{:?}: {} has {:.0} B of each key", longest.name, longest.field, longest.bytes));
        }
        let cure = if plain.cells > 1.0 {
            "write a row's cells as one value, or use a shorter key: numbers for names, packed types for text"
        } else {
            "use a shorter key: numbers for names, packed types for text"
        };
        found.push(finding.remedy(cure, Vec::new()));
    }
}

/// F14.
pub(super) fn together(context: &Context<'_>, found: &mut Found<'_>) {
    let table = &context.table.table;
    let key = &context.keys[0];
    for (name, family) in &table.family {
        let Some(Columns::Names(columns)) = family.columns.as_ref().map(|columns| &columns.value) else { continue };
        if columns.len() < 3 || table.write.is_empty() {
            continue;
        }
        let part = |list| asked::any(list, name, family) && !asked::all(list, name, family);
        let counts = |write: &crate::design::Write| {
            write.kind == Some(WriteKind::Increment) && asked::any(&write.columns, name, family)
        };
        let reads: Vec<_> = table.query.iter().filter(|query| asked::any(&query.columns, name, family)).collect();
        if reads.is_empty()
            || reads.iter().any(|query| part(&query.columns))
            || table.write.iter().any(|write| part(&write.columns) || counts(write))
        {
            continue;
        }
        let Some(share) = Share::encoded(name, family, key, context.table) else { continue };
        if share.of_keys() <= 0.5 {
            continue;
        }
        let one = share.values + key.bytes + name.len() as f64 + 1.0 + CELL;
        let message = format!("the {} columns of {name:?} are always read and written together", columns.len());
        let queries: Vec<_> = reads.iter().take(3).map(|query| format!("{:?}", query.name.as_str())).collect();
        found.push(
            found
                .finding(family.columns.as_ref().map_or(family.place, |columns| columns.place), message)
                .of(name.as_str())
                .number("bytes of a row", share.keys + share.values, "B")
                .number("bytes as one value", one, "B")
                .witness(format!("{} read all of them", queries.join(", ")))
                .remedy("write them as one value, such as `Postcard<T>`", Vec::new()),
        );
    }
}
