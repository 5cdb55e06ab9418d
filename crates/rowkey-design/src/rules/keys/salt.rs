//! Salts.

use rowkey::lead::Lead;

use super::hot::writes;
use crate::check::Context;
use crate::cost::OrderFit;
use crate::design::Salt;
use crate::file::Count;
use crate::finding::Edit;
use crate::load::by;
use crate::problem::{Located, Place};
use crate::rules::Found;

fn of_table<'c>(context: &'c Context<'_>) -> Option<&'c Located<Salt>> {
    context.table.table.salt.as_ref()
}

/// H06.
pub(super) fn few(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(salt) = of_table(context) else { return };
    let chi_square = context.profile.and_then(|profile| uneven(&profile.buckets));
    for hot in writes(context, false) {
        let (Some(places), Some(buckets)) = (hot.places(), hot.load.buckets) else { continue };
        let all = f64::from(*salt.buckets);
        let needed = hot.load.peak.map_or(hot.servers, |peak| (peak / hot.capacity).min(hot.servers));
        let moving = hot.load.front.is_some();
        // As many places as buckets, all but for equal hashes, are no fewer.
        if !moving || (places > 0.99 * needed && all >= needed) {
            continue;
        }
        let message = if all < hot.servers && buckets > 0.9 * all {
            format!("{} salt buckets for {} servers: the others take no writes", salt.buckets.value, Count(hot.servers))
        } else {
            format!(
                "the writes of {:?} land in {} places at once, for {} servers: the fields of the salt have too few values",
                hot.load.write.name.as_str(),
                Count(places.round()),
                Count(hot.servers)
            )
        };
        let mut finding = found.finding(salt.place, message).number("buckets", all, "");
        finding =
            finding.number("buckets written, as even ones", buckets, "").number("places written at once", places, "");
        if let Some(ratio) = chi_square {
            finding = finding.number("buckets of the sample, greatest over mean", ratio, "");
        }
        let wanted = hot.buckets();
        let edits = if all < f64::from(wanted) && buckets > 0.9 * all {
            vec![Edit { place: salt.buckets.place, text: wanted.to_string() }]
        } else {
            Vec::new()
        };
        return found.push(finding.remedy("more buckets than servers, by a field with 20 times as many values", edits));
    }
}

/// Greatest over mean, where the counts are not those of an even hash: chi-square beyond its mean by five deviations.
fn uneven(buckets: &[u64]) -> Option<f64> {
    let total: u64 = buckets.iter().sum();
    let mean = total as f64 / buckets.len().max(1) as f64;
    if buckets.len() < 2 || mean < 5.0 {
        return None;
    }
    let chi: f64 = buckets.iter().map(|&count| (count as f64 - mean).powi(2) / mean).sum();
    let free = (buckets.len() - 1) as f64;
    let most = buckets.iter().copied().max().unwrap_or(0) as f64;
    (chi > free + 5.0 * (2.0 * free).sqrt()).then_some(most / mean)
}

/// H07.
pub(super) fn unknown(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(salt) = of_table(context) else { return };
    let key = &context.keys[0];
    let taken = by(key);
    let asked: Vec<_> =
        context.queries.iter().filter(|cost| cost.secondary.is_none() && cost.leading > 0 && !cost.full_scan).collect();
    if asked.is_empty() || asked.iter().any(|cost| cost.ranges.len() <= 1) {
        return;
    }
    // The leading fields that every query fixes could be what the salt is taken from.
    let common = asked.iter().map(|cost| cost.leading).min().unwrap_or(0);
    let enough = |fields: &[usize]| {
        let values: Option<f64> =
            fields.iter().map(|&field| key.fields[field].spread.map(|spread| spread.n_eff)).product();
        values.is_some_and(|values| values >= 20.0 * f64::from(*salt.buckets))
    };
    let fixed: Vec<usize> = (0..common).collect();
    if fixed == taken || !enough(&fixed) {
        return;
    }
    let names: Vec<String> = fixed.iter().map(|&field| format!("{:?}", key.fields[field].name)).collect();
    let message =
        format!("every query asks all {} buckets, though all of them fix {}", salt.buckets.value, names.join(" and "));
    let new = format!("[{}]", names.join(", "));
    let edits = match (salt.by.first(), salt.by.last()) {
        (Some(first), Some(last)) => {
            let place = Place { end: last.place.end, ..first.place };
            vec![Edit { place, text: names.join(", ") }]
        }
        _ => {
            let at = Place { start: salt.buckets.place.end, end: salt.buckets.place.end, ..salt.buckets.place };
            vec![Edit { place: at, text: format!(", by = {new}") }]
        }
    };
    let finding = found.finding(salt.place, message).number("ranges a query", f64::from(*salt.buckets), "");
    found.push(finding.remedy(format!("take the salt from what queries fix: `by = {new}`"), edits));
}

/// H08.
pub(super) fn of_time(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(salt) = of_table(context) else { return };
    let key = &context.keys[0];
    let taken = by(key);
    let times = taken.iter().all(|&field| key.fields.get(field).is_some_and(|field| field.growth.is_some()));
    let others = key.fields.len() > taken.len();
    if !times || !others || writes(context, false).is_empty() {
        return;
    }
    let names: Vec<&str> = taken.iter().map(|&field| key.fields[field].name).collect();
    let message =
        format!("rows of one moment all land in one bucket: the salt is taken from {} alone", names.join(", "));
    let finding = found.finding(salt.place, message).number("buckets", f64::from(*salt.buckets), "");
    let all: Vec<String> = key.fields.iter().map(|field| format!("{:?}", field.name)).collect();
    let edits = match (salt.by.first(), salt.by.last()) {
        (Some(first), Some(last)) => {
            vec![Edit { place: Place { end: last.place.end, ..first.place }, text: all.join(", ") }]
        }
        _ => Vec::new(),
    };
    found.push(finding.remedy("take the salt from a field that tells the rows of one moment apart", edits));
}

/// H14.
pub(super) fn newest(context: &Context<'_>, found: &mut Found<'_>) {
    for cost in &context.queries {
        let key = &context.keys[cost.secondary.map_or(0, |index| index + 1)];
        let salted = matches!(key.layout.lead(), Lead::Salt(_));
        let (Some(limit), Some(rate)) = (&cost.query.limit, &cost.query.rate) else { continue };
        let ordered = matches!(cost.order, OrderFit::Key | OrderFit::Reverse);
        let calls = rate.0 * cost.ranges.len() as f64;
        if !salted || cost.leading > 0 || cost.next || !ordered || !cost.filter.is_empty() || calls < 100.0 {
            continue;
        }
        let name = cost.query.name.as_str();
        let message = format!(
            "{name:?} asks {} buckets for {} rows, {} calls a second",
            cost.ranges.len(),
            Count(limit.0),
            Count(calls.round())
        );
        let finding = found
            .finding(cost.query.place, message)
            .of(name)
            .number("ranges", cost.ranges.len() as f64, "")
            .number("calls", calls, "/s");
        found.push(finding.remedy("keep the newest rows in a small table of their own, or in a cache", Vec::new()));
    }
}
