//! F12: old rows are deleted one by one.

use super::asked;
use crate::design::{Engine, WriteKind, WriteOrder};
use crate::facts::Growth;
use crate::rules::context::{Context, RuleSink};
use crate::rules::queue;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let table = &context.table.table;
    let Some(time) = context.keys[0].fields.iter().find(|field| matches!(field.growth, Some(Growth::Time(_)))) else {
        return;
    };
    if !matches!(context.engine, Engine::HBase | Engine::Bigtable | Engine::DynamoDb | Engine::Cassandra) {
        return;
    }
    if queue::is_queue(context) {
        return;
    }
    for write in table.write.iter().filter(|write| write.kind == Some(WriteKind::Delete)) {
        let oldest = matches!(write.order.as_ref().map(|order| &order.value), Some(WriteOrder::Time | WriteOrder::Key));
        let touched = |(name, family): &(&String, &crate::problem::Located<crate::design::Family>)| {
            asked::any(&write.columns, name, family)
        };
        let expires = table.family.iter().filter(touched).any(|(_, family)| family.ttl.is_some());
        if !oldest || expires {
            continue;
        }
        let name = write.name.as_str();
        let left = match context.engine {
            Engine::DynamoDb => "each is paid for as a write",
            _ => "each leaves a marker until it is compacted",
        };
        let message = format!("{name:?} deletes rows in the order of time: {left}");
        let mut finding = found.finding(write.place, message).of(name);
        if let Some(rate) = &write.rate {
            finding = finding.number("deletes a day", rate.0 * 86_400.0, "");
        }
        let finding = finding.witness(format!("{:?} says how old a row is", time.name));
        found.push(finding.remedy("give the families a `ttl`, and delete nothing", Vec::new()));
    }
}
