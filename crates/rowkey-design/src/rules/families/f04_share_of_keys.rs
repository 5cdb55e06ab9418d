//! F04: most of each cell is its key.

use super::cells::Share;
use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
