//! F03: long names of families and columns.

use super::cells::{self, Share, encode, leaves_out_prefixes};
use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
