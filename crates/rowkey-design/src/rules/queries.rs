//! Queries against the key.

use super::{Found, rules};
use crate::check::Context;
use crate::finding::Severity::{Error, Note};

rules! {
    "Q01" "a query fixes no leading field of the key" |_| Error, Some(full_scan);
}

fn full_scan(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in context.queries.iter().filter(|cost| cost.full_scan) {
        let query = cost.query;
        if query.batch == Some(true) {
            continue;
        }
        let key = &context.keys[cost.secondary.map_or(0, |i| i + 1)];
        let fields: Vec<&str> = key.fields.iter().map(|field| field.name).collect();
        let rows = cost.rows_selected.map_or(String::new(), |rows| format!(" of {} rows", crate::file::Count(rows)));
        let message =
            format!("{:?} fixes no leading field of the key: each run is a full scan{rows}", query.name.as_str());
        let mut finding = found.finding(query.place, message).of(query.name.as_str());
        if query.limit.is_some() && cost.filter.is_empty() {
            finding.severity = Note;
        }
        finding.numbers.extend(cost.rows_selected.map(|value| crate::Number {
            name: "rows in its ranges",
            value,
            unit: "",
        }));
        let finding =
            finding.witness(format!("key: {}; the query selects by: {}", fields.join(", "), cost.filter.join(", ")));
        found.push(
            finding.remedy("add a secondary table whose key begins with the fields that the query fixes", Vec::new()),
        );
    }
}
