//! Q01: a query fixes no leading field of the key.

use super::mend;
use super::shown::{of_query, rows};
use crate::cost::{Condition, OrderFit, QueryCost};
use crate::file::Count;
use crate::rule::Severity::Note;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive().filter(|cost| cost.full_scan && !cost.is_scattered()) {
        let name = cost.query.name.as_str();
        let table = cost.rows_selected.map_or(String::new(), |count| format!(" of {}", rows(Some(count))));
        let first_rows = cost.query.limit.is_some() && cost.filter.is_empty();
        let hashed = hashed_fields(context, cost);
        if first_rows && hashed.is_none() && cost.order != OrderFit::Free {
            // The key is made for it; if not, its order is the finding.
            continue;
        }
        let until = cost.query.limit.as_ref().zip(cost.rows_read).zip(cost.rows_selected);
        let what = match until {
            _ if first_rows => "it reads from the table's first row on".to_owned(),
            // In an order that is not the key's all rows are read, whatever the limit.
            Some(((limit, read), all)) if read < all => format!(
                "it reads from the table's first row on until {} match, {}{table}",
                Count(limit.0),
                rows(Some(read))
            ),
            _ => format!("each run is a full scan{table}"),
        };
        let why = match &hashed {
            Some(fields) => format!(
                "fixes no value of the partition key ({fields}), which {} hashes: rows are sorted inside a partition \
                 alone",
                context.engine
            ),
            None => "fixes no leading field of the key".to_owned(),
        };
        let message = format!("{name:?} {why}: {what}");
        let mut finding = of_query(found, context, cost, message);
        if first_rows {
            finding.severity = Note;
        }
        let finding = mend::with_remedy(context, cost, finding);
        found.push(finding);
    }
}

/// The partition key of an engine that hashes it, where a query would find its rows if keys were sorted.
fn hashed_fields(context: &Context<'_>, cost: &QueryCost<'_>) -> Option<String> {
    let key = context.key_of(cost);
    let partition = key.fields.get(..key.partition?)?;
    let asks = partition.iter().any(|field| Condition::of(cost.query, field.name).is_some() || field.growth.is_some());
    let names: Vec<String> = partition.iter().map(|field| format!("{:?}", field.name)).collect();
    asks.then(|| names.join(", "))
}
