//! F13: no encoding and no compression of cells that are mostly key.

use super::cells::{Share, encode, leaves_out_prefixes};
use crate::design::{Compression, Engine};
use crate::rule::Severity;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.engine != Engine::HBase {
        return;
    }
    let key = &context.keys[0];
    for (name, family) in &context.table.table.family {
        let compressed = family.compression.as_ref().is_some_and(|compression| **compression != Compression::None);
        if compressed || leaves_out_prefixes(family) {
            continue;
        }
        let Some(plain) = Share::plain(name, family, key).filter(|share| share.of_keys() > 0.5) else { continue };
        let Some(encoded) = Share::fast_diff(name, family, key, context.table) else { continue };
        let message = format!(
            "{:.0} % of the bytes in {name:?} are keys of cells, neither encoded nor compressed",
            100.0 * plain.of_keys()
        );
        let mut finding = found
            .finding(family.place, message)
            .of(name.as_str())
            .number("share of keys", 100.0 * plain.of_keys(), "%")
            .number("bytes of a row", plain.keys + plain.values, "B")
            .number("bytes of a row with FAST_DIFF", encoded.keys + encoded.values, "B")
            .witness(format!("{:.0} B of row key in each of a row's {:.0} cells", key.bytes, plain.cells));
        if plain.of_keys() > 0.8 {
            finding.severity = Severity::Warning;
        }
        found.push(finding.remedy("encode the blocks, and compress them", encode(context, name)));
    }
}
