//! H04: one value gets more writes than a server takes.

use rowkey::lead::Lead;

use super::h06_few_salt_buckets::few_buckets;
use super::h08_salt_of_time::is_of_time;
use crate::finding::Edit;
use crate::rules::context::{Context, RuleSink};
use crate::rules::hot::{Hot, dominant, priced, salted};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    // A salt that is wrong in itself is said by its own rules.
    let is_salt_wrong = few_buckets(context).is_some() || is_of_time(context);
    for (hot, busiest, peak) in dominant(context) {
        if hot.key.secondary.is_none() && is_salt_wrong {
            continue;
        }
        let named: Vec<_> =
            heavy(&hot).map(|field| &hot.key.fields[field]).filter(|field| !field.is_constant()).collect();
        // Few buckets, or all writes at one front, are no value's.
        if named.is_empty() {
            continue;
        }
        let names: Vec<_> = named.iter().map(|field| format!("{:?}", field.name)).collect();
        let message = format!(
            "the most frequent value of {} takes {} of the {} of {}{}: more than one server does",
            names.join(", "),
            hot.shown(busiest * peak),
            hot.shown(peak),
            match hot.are_several() {
                true => "all writes of the same rows".to_owned(),
                false => format!("{:?}", hot.load.write.name.as_str()),
            },
            match (hot.key.layout.lead(), hot.load.hashed.is_empty()) {
                (Lead::None, _) => "",
                (Lead::Salt(_), true) => " in one bucket",
                (Lead::Salt(_), false) => ", with the others of its bucket",
                _ => " under one hash",
            }
        );
        let mut finding = found
            .finding(named[0].place, message)
            .number("share of the most frequent", busiest * 100.0, "%")
            .number("writes that one server takes", hot.capacity, "/s");
        if let Some(index) = hot.key.secondary {
            finding = finding.of(context.table.table.secondary[index].name.as_str());
        }
        let (cure, edits) = cure(context, &hot);
        found.push(priced(context, &hot, &edits, finding).remedy(cure, edits));
    }
}

/// The fields of the heavy values: those that places are told apart by, and those that are hashed.
fn heavy(hot: &Hot<'_, '_>) -> impl Iterator<Item = usize> {
    hot.load.fields.iter().chain(&hot.load.hashed).copied()
}

/// A salt moves a row, and divides a value whose rows differ in other fields.
fn cure(context: &Context<'_>, hot: &Hot<'_, '_>) -> (&'static str, Vec<Edit>) {
    let differs = |&field: &usize| {
        let (is_heavy, field) = (heavy(hot).any(|of| of == field), &hot.key.fields[field]);
        !is_heavy && (field.growth.is_some() || field.spread.is_none_or(|spread| spread.distinct > 1.0))
    };
    let is_led = !matches!(hot.key.layout.lead(), Lead::None);
    match ((0..hot.key.fields.len()).any(|field| differs(&field)), is_led, hot.key.secondary) {
        (false, ..) => {
            ("divide the heavy values by a shard number before them, which readers ask for one by one", Vec::new())
        }
        (true, true, _) if !hot.load.hashed.is_empty() => {
            ("take the salt from fields that divide the heavy values too, with more buckets", Vec::new())
        }
        (true, true, _) => ("take the salt from what follows the heavy values too, with more buckets", Vec::new()),
        (true, false, None) => {
            ("add a salt, which divides the heavy values, or a shard number after these", salted(context, hot))
        }
        (true, false, Some(_)) => (
            "add a salt to the secondary table, which divides the heavy values, or a shard number after these",
            Vec::new(),
        ),
    }
}
