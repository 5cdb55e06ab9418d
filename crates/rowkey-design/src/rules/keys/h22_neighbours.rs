//! H22: other tables share the servers of a hot one.

use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::is_hot;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    /// Tables that are named; a design can have thousands, each of them hot.
    const NAMED: usize = 5;
    let tables = &context.design.tables;
    if tables.len() < 2 || !is_hot(context) {
        return;
    }
    let others = tables.keys().filter(|name| *name != context.table.name.as_str());
    let named: Vec<&str> = others.take(NAMED).map(String::as_str).collect();
    let more = match tables.len() - 1 - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = "the server that takes this table's writes serves regions of other tables too".to_owned();
    let finding = found.finding(context.table.name.place, message);
    let finding = finding.witness(format!("also here: {}{more}", named.join(", ")));
    found.push(finding.remedy("mend the hot key, or keep the tables on servers of their own", Vec::new()));
}
