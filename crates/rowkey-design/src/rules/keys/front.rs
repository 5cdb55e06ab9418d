//! Fields that grow, and what is before them.

use rowkey::lead::Lead;

use super::hot::{Hot, at_one_place, salted, writes};
use crate::check::Context;
use crate::cost::value;
use crate::design::{Engine, WriteOrder};
use crate::facts::{Growth, KeyFacts};
use crate::file::{Count, Rate};
use crate::finding::{Finding, Severity};
use crate::rules::Found;

/// Two keys of writes that follow each other, from values made up.
fn following(key: &KeyFacts<'_>) -> Option<String> {
    let keys = [1000u64, 1001].map(|moment| {
        let fields = key.fields.iter();
        let values: Vec<_> =
            fields.map(|field| value(&field.field.ty, if field.growth.is_some() { moment } else { 7 })).collect();
        key.layout.encode(&values).ok().map(|key| crate::quote::hbase_binary(&key))
    });
    let [Some(first), Some(second)] = keys else { return None };
    Some(format!("keys written one after the other: {first} and {second}"))
}

/// A finding about a write of one place, with numbers, witness and cure.
fn at_front(context: &Context<'_>, found: &Found<'_>, hot: &Hot<'_, '_>, message: String, cure: &str) -> Finding {
    let place = hot.key.fields.first().map_or(hot.key.name.place, |field| field.place);
    let mut finding = found.finding(place, message).number("places written at once", 1.0, "");
    finding = finding.number("servers", hot.servers, "");
    match hot.load.peak {
        Some(peak) => finding = finding.number("writes at the peak", peak, "/s"),
        None => finding.severity = finding.severity.min(Severity::Warning),
    }
    finding = finding.number("writes that one server takes", hot.capacity, "/s");
    if let Some(index) = hot.key.secondary {
        finding = finding.of(context.table.table.secondary[index].name.as_str());
    }
    finding.witness.extend(following(hot.key));
    finding.remedy(cure, salted(context, hot))
}

const CURE: &str = "begin the key with the field that queries fix, if it has more values than there are servers; \
                    else add a salt";

fn time(context: &Context<'_>, found: &mut Found<'_>, desc: bool) {
    let Some(hot) = at_one_place(context, false) else { return };
    let Some(front) = hot.front().filter(|front| front.field.desc == desc) else { return };
    if !matches!(front.growth, Some(Growth::Time(_) | Growth::Unknown)) {
        return;
    }
    let end = if desc { "first" } else { "last" };
    let write = hot.load.write.name.as_str();
    let message =
        format!("every row of {write:?} lands in the {end} region, as {:?} grows ({})", front.name, hot.rate());
    let finding = at_front(context, found, &hot, message, CURE);
    found.push(finding);
}

/// H01.
pub(super) fn ascending(context: &Context<'_>, found: &mut Found<'_>) {
    time(context, found, false);
}

/// H02.
pub(super) fn descending(context: &Context<'_>, found: &mut Found<'_>) {
    time(context, found, true);
}

/// H03.
pub(super) fn ids(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(hot) = at_one_place(context, false) else { return };
    let Some(front) = hot.front() else { return };
    let what = match front.growth {
        Some(Growth::Sequence) => "each is greater than the one before",
        Some(Growth::TimeId) => "each begins with a time",
        _ => return,
    };
    let message = format!("every row lands in one region, as {:?} grows: {what} ({})", front.name, hot.rate());
    let cure = "use random ids (UUID version 4), write the bits of a number in reverse order, or add a salt";
    let finding = at_front(context, found, &hot, message, cure);
    found.push(finding);
}

/// Q14.
pub(super) fn secondary(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(hot) = at_one_place(context, true) else { return };
    let Some(front) = hot.front() else { return };
    let message =
        format!("each row's entry lands in one region of {:?}, as {:?} grows", hot.key.name.as_str(), front.name);
    let cure = "give the secondary table a salt, or another first field";
    let finding = at_front(context, found, &hot, message, cure);
    found.push(finding);
}

fn few_places<'c, 'd>(context: &'c Context<'d>) -> Option<(Hot<'c, 'd>, f64)> {
    let mut hot = writes(context, false)
        .into_iter()
        .filter(|hot| matches!(hot.key.layout.lead(), Lead::None) && hot.load.front.is_some_and(|front| front > 0));
    hot.find_map(|hot| {
        let places = hot.places().filter(|places| *places < hot.servers)?;
        let enough = hot.load.peak.is_some_and(|peak| places * hot.capacity >= peak);
        (!enough).then_some((hot, places))
    })
}

/// Whether H05 is found.
pub(super) fn are_few(context: &Context<'_>) -> bool {
    few_places(context).is_some_and(|(hot, _)| hot.load.peak.is_some())
}

/// H05.
pub(super) fn few(context: &Context<'_>, found: &mut Found<'_>) {
    let Some((hot, places)) = few_places(context) else { return };
    let Some(front) = hot.front() else { return };
    let before: Vec<&str> = hot.key.fields.iter().take(hot.load.front.unwrap_or(0)).map(|field| field.name).collect();
    let message = format!(
        "the values of {} are written as unevenly as {} even ones: so many servers of {} work ({})",
        before.join(", "),
        Count(places.round()),
        Count(hot.servers),
        hot.rate()
    );
    let mut finding = found.finding(front.place, message).number("places written at once", places, "");
    finding = finding.number("servers", hot.servers, "").number("writes that one server takes", hot.capacity, "/s");
    if hot.load.peak.is_none() {
        finding.severity = finding.severity.min(Severity::Warning);
    }
    finding.witness.extend(following(hot.key));
    let edits = salted(context, &hot);
    found.push(finding.remedy("add a salt that divides each value, or a field before the time", edits));
}

/// H04.
pub(super) fn dominant(context: &Context<'_>, found: &mut Found<'_>) {
    for hot in writes(context, false) {
        let moving = hot.load.front.is_some_and(|front| front > 0) || context.engine == Engine::DynamoDb;
        let (Some(peak), Some(busiest), Some(places)) = (hot.load.peak, hot.load.busiest, hot.places()) else {
            continue;
        };
        let one = busiest * peak;
        if !moving || !matches!(hot.key.layout.lead(), Lead::None) || one <= hot.capacity || places < hot.servers {
            continue;
        }
        let first = &hot.key.fields[0];
        let message = format!(
            "the most frequent value of {:?} takes {} of the {} of {:?}: more than one server does",
            first.name,
            Rate(one),
            Rate(peak),
            hot.load.write.name.as_str()
        );
        let finding = found
            .finding(first.place, message)
            .number("share of the most frequent", busiest * 100.0, "%")
            .number("writes that one server takes", hot.capacity, "/s");
        let edits = salted(context, &hot);
        return found.push(finding.remedy("divide the heavy values by a salt or a shard number after them", edits));
    }
}

/// H19.
pub(super) fn load(context: &Context<'_>, found: &mut Found<'_>) {
    if matches!(context.engine, Engine::Fjall | Engine::RocksDb) {
        return;
    }
    for write in &context.table.table.write {
        if !matches!(write.order.as_deref(), Some(WriteOrder::Key)) || write.bulk == Some(true) {
            continue;
        }
        let name = write.name.as_str();
        let message = format!("{name:?} writes in the order of the key: one region after the other does all the work");
        let mut finding = found.finding(write.place, message).of(name);
        finding.numbers.extend(write.rate.as_ref().map(|rate| crate::Number {
            name: "rows",
            value: rate.0,
            unit: "/s",
        }));
        found.push(finding.remedy("shuffle the input, or write files and load them (`bulk = true`)", Vec::new()));
    }
}
