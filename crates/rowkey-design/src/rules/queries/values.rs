//! Values whose bytes do not sort or tell rows apart as they are meant to.

use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

use crate::check::Context;
use crate::design::{Meaning, Unique, WriteKind};
use crate::facts::{FieldFacts, Growth};
use crate::file::Count;
use crate::profile::FieldProfile;
use crate::quote::hbase_binary;
use crate::rules::Found;

fn is_number(meaning: Option<Meaning>) -> bool {
    matches!(
        meaning,
        Some(
            Meaning::Seconds
                | Meaning::Millis
                | Meaning::Micros
                | Meaning::Nanos
                | Meaning::Sequence
                | Meaning::Snowflake
                | Meaning::TimeBucket
        )
    )
}

fn seen<'c>(context: &'c Context<'_>, field: &FieldFacts<'_>) -> Option<&'c FieldProfile> {
    context.profile?.fields.iter().find(|seen| seen.name == field.name)
}

/// Q06.
pub(super) fn beginnings(context: &Context<'_>, found: &mut Found<'_>) {
    let Some((short, long)) = context.profile.and_then(|profile| profile.prefixes.as_ref()) else { return };
    let message = "a scan by prefix of one key of the sample finds another".to_owned();
    let place = context.keys[0].fields.last().map_or(context.table.name.place, |field| field.place);
    let finding = found.finding(place, message).witness(format!("{} and {}", hbase_binary(short), hbase_binary(long)));
    found.push(finding.remedy("leave `raw` out: text and bytes then end with a terminator", Vec::new()));
}

/// Q07.
pub(super) fn decimal(context: &Context<'_>, found: &mut Found<'_>) {
    for field in &context.keys[0].fields {
        let text = matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text));
        let digits = seen(context, field).is_some_and(|seen| seen.uneven_decimal);
        if !text || !(is_number(field.meaning) || digits) {
            continue;
        }
        let message =
            format!("{:?} is a number as text: \"10\" sorts before \"9\", and \"-1\" before \"-2\"", field.name);
        let finding = found.finding(field.place, message).of(field.name);
        found.push(finding.remedy("a number: `u64`, `i64` or `decimal`", Vec::new()));
    }
}

/// Q08.
pub(super) fn native(context: &Context<'_>, found: &mut Found<'_>) {
    for field in &context.keys[0].fields {
        let TypeBuf::Scalar(Scalar::ByteArray(bytes)) = field.field.ty else { continue };
        if !is_number(field.meaning) {
            continue;
        }
        let message = format!(
            "{:?} is a number as {bytes} bytes: negative numbers sort after positive ones, and little-endian ones anyhow",
            field.name
        );
        let finding = found.finding(field.place, message).of(field.name);
        found.push(finding.remedy("a number: `u64` or `i64` flips the sign bit and is big-endian", Vec::new()));
    }
}

/// Q09.
pub(super) fn local(context: &Context<'_>, found: &mut Found<'_>) {
    for field in context.keys[0].fields.iter().filter(|field| field.meaning == Some(Meaning::LocalTime)) {
        let message = format!(
            "{:?} is a time without a zone: an hour comes twice a year, and ranges of two zones differ",
            field.name
        );
        let finding = found.finding(field.place, message).of(field.name);
        found.push(finding.remedy("an `instant`; ranges of days by `civil`", Vec::new()));
    }
}

/// Q10.
pub(super) fn undecoded(context: &Context<'_>, found: &mut Found<'_>) {
    let Some(profile) = context.profile.filter(|profile| profile.undecoded > 0) else { return };
    let message = format!("{} of {} keys of the sample are not of this layout", profile.undecoded, profile.keys);
    let mut finding = found.finding(context.table.name.place, message);
    finding = finding.number("share of keys", profile.undecoded as f64 * 100.0 / profile.keys.max(1) as f64, "%");
    if let Some((line, why)) = &profile.first_undecoded {
        finding = finding.witness(format!("key {line} of the sample: {why}"));
    }
    found.push(
        finding.remedy("one layout in a table: purge the others, or tell them apart by an enum's tag", Vec::new()),
    );
}

/// Q11.
pub(super) fn colliding(context: &Context<'_>, found: &mut Found<'_>) {
    if context.table.table.unique.as_ref().is_some_and(|unique| **unique == Unique::Upsert) {
        return;
    }
    if let Some((profile, twice)) = context.profile.and_then(|profile| Some((profile, profile.twice.as_ref()?))) {
        let share = profile.repeated * 100.0;
        let message = format!("{share:.2} % of the sample's keys are there before: one row replaces the other");
        let finding = found.finding(context.table.name.place, message).number("keys that are repeated", share, "%");
        let finding = finding.witness(format!("twice: {}", hbase_binary(twice)));
        let cure = "a field that tells such rows apart; or `unique = \"upsert\"` if the last is the one to keep";
        let edit = context.design.files.key_added(context.table.name.place, "unique", "\"upsert\"");
        return found.push(finding.remedy(cure, edit.into_iter().collect()));
    }
    for field in context.keys[0].fields.iter().filter(|field| field.meaning == Some(Meaning::Digest)) {
        let TypeBuf::Scalar(Scalar::ByteArray(bytes)) = field.field.ty else { continue };
        let declared = field.stats.and_then(|stats| stats.distinct.as_ref()).map(|distinct| distinct.0);
        let Some(values) = declared.or_else(|| crate::cost::rows(context.table)) else { continue };
        // The birthday bound.
        let chance = (values * values / 2f64.powi(8 * i32::try_from(bytes).unwrap_or(64).min(64) + 1)).min(1.0);
        if chance <= 1e-6 {
            continue;
        }
        let message = format!(
            "two of {} values have the same {bytes} bytes of {:?} with a chance of {chance:.1e}: one row replaces the other",
            Count(values),
            field.name
        );
        let finding = found.finding(field.place, message).of(field.name).number("chance", chance, "");
        return found.push(finding.remedy("a longer digest, or what is hashed after it", Vec::new()));
    }
    same_moment(context, found);
}

/// Rows of one moment, where nothing in the key tells them apart.
fn same_moment(context: &Context<'_>, found: &mut Found<'_>) {
    let key = &context.keys[0];
    let mut values = 1.0;
    let mut unit = None;
    if key.fields.iter().any(|field| field.meaning == Some(Meaning::TieBreaker)) {
        return;
    }
    for field in &key.fields {
        match (field.growth, field.spread) {
            (Some(Growth::Time(Some(seconds))), _) => {
                // An instant has nanoseconds.
                let exact = matches!(field.field.ty, TypeBuf::Scalar(Scalar::Instant));
                unit = Some(if exact { 1e-9 } else { seconds });
            }
            (Some(_), _) | (None, None) => return,
            (None, Some(spread)) => values *= spread.n_eff,
        }
    }
    let puts = context.table.table.write.iter().filter(|write| write.kind.unwrap_or(WriteKind::Put) == WriteKind::Put);
    let peak: f64 = puts.filter_map(|write| write.peak.as_ref().or(write.rate.as_ref())).map(|rate| rate.0).sum();
    let (Some(unit), true) = (unit, peak > 0.0) else { return };
    let together = peak * unit / values;
    if together <= 0.01 {
        return;
    }
    let message = format!(
        "{} rows a moment have the same key on average: one replaces the other",
        if together < 1.0 { format!("{together:.2}") } else { Count(together.round()).to_string() }
    );
    let place = key.fields.last().map_or(key.name.place, |field| field.place);
    let finding = found.finding(place, message).number("rows of one key", together, "");
    let cure = "a field that tells rows of one moment apart, or `unique = \"upsert\"` if the last is the one to keep";
    found.push(finding.remedy(cure, Vec::new()));
}

/// Q12.
pub(super) fn case(context: &Context<'_>, found: &mut Found<'_>) {
    let Some((one, other)) = context.profile.and_then(|profile| profile.case.as_ref()) else { return };
    let message = "keys of the sample differ in letter case alone".to_owned();
    let finding = found.finding(context.table.name.place, message).witness(format!(
        "{} and {}",
        hbase_binary(one),
        hbase_binary(other)
    ));
    found.push(finding.remedy("normalise the text before it becomes a key", Vec::new()));
}
