//! H23: the balancer does not divide a hot region.

use crate::design::Engine;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{is_hot, is_one_place};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.engine != Engine::HBase || is_one_place(context) || !is_hot(context) {
        return;
    }
    let message = "HBase's balancer moves regions and divides none: the hot one stays hot on another server".to_owned();
    let finding = found.finding(context.table.name.place, message).witness(
        "StochasticLoadBalancer acts from an imbalance of 0.025; one region with all writes and memstore is 10/602 = 0.017",
    );
    found.push(finding.remedy("mend the key", Vec::new()));
}
