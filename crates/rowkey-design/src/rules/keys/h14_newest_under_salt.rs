//! H14: a query for the newest rows of a salted table.

use rowkey::lead::Lead;

use crate::cost::OrderFit;
use crate::file::Count;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for cost in &context.queries {
        let key = &context.keys[cost.secondary.map_or(0, |index| index + 1)];
        let salted = matches!(key.layout.lead(), Lead::Salt(_));
        let (Some(limit), Some(rate)) = (&cost.query.limit, &cost.query.rate) else { continue };
        let ordered = matches!(cost.order, OrderFit::Key | OrderFit::Reverse);
        let calls = rate.0 * cost.ranges.len() as f64;
        if super::h26_hot_reads::is_found(context, cost) {
            continue;
        }
        if !salted || cost.leading > 0 || cost.next || !ordered || !cost.filter.is_empty() || calls < 100.0 {
            continue;
        }
        let name = cost.query.name.as_str();
        let message = format!(
            "{name:?} asks {} for {}, {} a second",
            Count(cost.ranges.len() as f64).of("bucket"),
            Count(limit.0).of("row"),
            Count(calls.round()).of("call")
        );
        let finding = found
            .finding(cost.query.place, message)
            .of(name)
            .number("ranges", cost.ranges.len() as f64, "")
            .number("calls", calls, "/s");
        let cure = match cost.query.newest_first() {
            Some(false) => "remember for each bucket where the last run stopped, and start there; or ask less often",
            _ => "keep the newest rows in a small table of their own, or in a cache",
        };
        found.push(finding.remedy(cure, Vec::new()));
    }
}
