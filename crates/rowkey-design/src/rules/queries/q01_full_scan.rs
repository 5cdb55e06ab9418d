//! Q01: a query fixes no leading field of the key.

use super::mend;
use super::shown::{of_query, rows};
use crate::cost::OrderFit;
use crate::file::Count;
use crate::rule::Severity::Note;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive().filter(|cost| cost.full_scan && !cost.is_scattered()) {
        let name = cost.query.name.as_str();
        let table = cost.rows_selected.map_or(String::new(), |count| format!(" of {}", rows(Some(count))));
        let first_rows = cost.query.limit.is_some() && cost.filter.is_empty();
        if first_rows && cost.order != OrderFit::Free {
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
        let message = format!("{name:?} fixes no leading field of the key: {what}");
        let mut finding = of_query(found, context, cost, message);
        if first_rows {
            finding.severity = Note;
        }
        let finding = mend::with_remedy(context, cost, finding);
        found.push(finding);
    }
}
