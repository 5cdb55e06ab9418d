//! F07: hundreds of versions of a cell.

use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    const MANY: u32 = 100;
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable) {
        return;
    }
    for (name, family) in &context.table.table.family {
        let Some(versions) = family.versions.as_ref().filter(|versions| ***versions > MANY) else { continue };
        let message = format!("{} versions of each cell are kept in {name:?}", versions.value);
        let finding = found
            .finding(versions.place, message)
            .of(name.as_str())
            .number("versions", f64::from(versions.value), "")
            .witness("a read of the latest alone passes over the others in the same blocks".to_owned());
        found.push(finding.remedy(
            "put the time of a version, descending, behind the row key, or into the name of the column",
            Vec::new(),
        ));
    }
}
