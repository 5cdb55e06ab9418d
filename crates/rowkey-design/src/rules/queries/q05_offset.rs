//! Q05: pagination by offset.

use super::shown::{of_query, rows};
use crate::rules::context::{Context, RuleSink};

/// The number of pages that are turned by offset without harm.
const PAGES: f64 = 10.0;

/// A page where no limit says how many rows it has.
const PAGE: f64 = 100.0;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in context.interactive() {
        let Some(offset) = &cost.query.offset else { continue };
        let page = cost.query.limit.as_ref().map_or(PAGE, |limit| limit.0.max(1.0));
        if offset.0 <= PAGES * page {
            continue;
        }
        let (name, skipped) = (cost.query.name.as_str(), rows(Some(offset.0 * cost.buckets as f64)));
        let message = format!("{name:?} reads and skips {skipped} before the first that it returns");
        let finding = of_query(found, context, cost, message).number("pages before", offset.0 / page, "");
        // Without its offset it would be another question: no edit.
        let text =
            "go on after the last key of the page before, with a cursor: then each page is read from its first row";
        found.push(finding.remedy(text, Vec::new()));
    }
}
