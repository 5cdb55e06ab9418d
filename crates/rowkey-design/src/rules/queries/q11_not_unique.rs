//! Q11: two rows can have one key.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::mend;
use crate::cost::{rows, rows_per_second, span};
use crate::design::{Columns, Meaning, Unique, WriteOrder};
use crate::facts::{FieldFacts, Growth};
use crate::file::Count;
use crate::finding::Edit;
use crate::problem::Located;
use crate::quote::{self, hbase_binary};
use crate::rules::context::{Context, RuleSink};

/// A probability of two rows with one key below this is silent.
const UNLIKELY: f64 = 1e-6;

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    if context.table.table.unique.as_ref().is_some_and(|unique| **unique == Unique::Upsert) {
        return;
    }
    if !truncated(context, found) && !same_moment(context, found) {
        repeated(context, found);
    }
}

/// The number of bits of a value; none where the type has no such bytes.
fn bits(field: &FieldFacts<'_>) -> Option<f64> {
    let scalar = match field.field.ty {
        TypeBuf::Scalar(scalar) => scalar,
        _ => return None,
    };
    let is_bits = !matches!(scalar, Scalar::Instant | Scalar::Duration | Scalar::Bool | Scalar::Char | Scalar::Tile);
    scalar.width().filter(|_| is_bits).map(|width| 8.0 * width as f64)
}

/// A truncated digest or a random number is all that tells rows apart: two of n have the same b bits with a probability
/// of about n²/2^(b+1).
fn truncated(context: &Context<'_>, found: &mut RuleSink<'_>) -> bool {
    let key = &context.keys[0];
    let Some(rows) = rows(context.table) else { return false };
    let is_hash = |field: &&FieldFacts<'_>| matches!(field.meaning, Some(Meaning::Digest | Meaning::Random));
    let Some(id) = key.fields.iter().find(is_hash) else { return false };
    let Some(bits) = bits(id) else { return false };
    // A value of many rows does not tell them apart.
    let of_many = |distinct: &Located<Count>| distinct.0 < rows / 2.0;
    if id.per.is_none() && id.stats.and_then(|stats| stats.distinct.as_ref()).is_some_and(of_many) {
        return false;
    }
    // Of the rows that have the other fields in common; an instant is taken as fine enough.
    let others = key.fields.iter().filter(|field| field.name != id.name);
    let groups: Option<f64> = others
        .map(|field| match (field.spread, field.growth) {
            (_, Some(Growth::Sequence | Growth::TimeId)) => None,
            (Some(spread), _) => Some(spread.n_eff),
            (None, Some(Growth::Time(Some(seconds))))
                if !matches!(field.field.ty, TypeBuf::Scalar(Scalar::Instant)) =>
            {
                span(context.table).map(|span| (span / seconds).max(1.0))
            }
            (None, _) => None,
        })
        .product();
    let Some(groups) = groups.map(|groups| groups.max(1.0)) else { return false };
    let pairs = rows * rows / groups / 2f64.powf(bits + 1.0);
    let probability = -(-pairs).exp_m1();
    if probability.is_nan() || probability <= UNLIKELY {
        return false;
    }
    let message = format!(
        "{:?} has {bits} random bits: of {} rows two have one key with a probability of {}, and the later replaces the earlier",
        id.name,
        Count(rows.round()),
        chance(probability)
    );
    let mut finding = found.finding(id.place, message).of(id.name);
    finding = finding.number("rows", rows, "").number("probability", probability, "");
    // A number is the program's own type: another one is not an edit of the file alone.
    let is_bytes = matches!(id.field.ty, TypeBuf::Scalar(Scalar::ByteArray(_)));
    let wider = FieldBuf::new(id.name, "bytes[16]").ok().filter(|_| is_bytes && bits < 128.0 && !id.field.raw);
    let wider = wider.map(|field| FieldBuf { desc: id.field.desc, ..field });
    let edits = wider.iter().map(|field| Edit { place: id.place, text: mend::field_text(field) }).collect();
    found.push(
        finding.remedy(
            "take 16 bytes of it; or say `unique = \"upsert\"` where the later is to replace the earlier",
            edits,
        ),
    );
    true
}

/// A probability as a reader says it.
fn chance(probability: f64) -> String {
    match probability {
        p if p > 0.999 => "nearly 1".to_owned(),
        p if p >= 0.01 => format!("{p:.2}"),
        p => format!("1 in {}", Count((1.0 / p).round())),
    }
}

/// Rows are told apart by a coarse time alone: two of one moment are one.
fn same_moment(context: &Context<'_>, found: &mut RuleSink<'_>) -> bool {
    let key = &context.keys[0];
    if key.fields.iter().any(|field| field.meaning == Some(Meaning::TieBreaker)) {
        return false;
    }
    let wide = context
        .table
        .table
        .family
        .values()
        .any(|family| family.columns.as_ref().is_some_and(|columns| matches!(columns.value, Columns::OfRow(_))));
    let one_row = context
        .table
        .table
        .write
        .iter()
        .any(|write| write.order.as_ref().is_some_and(|order| order.value == WriteOrder::OneRow));
    let times: Vec<(&FieldFacts<'_>, f64)> = key
        .fields
        .iter()
        .filter_map(|field| match field.growth {
            Some(Growth::Time(Some(seconds))) if !matches!(field.field.ty, TypeBuf::Scalar(Scalar::Instant)) => {
                Some((field, seconds))
            }
            _ => None,
        })
        .collect();
    let Some((time, seconds)) = times.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { return false };
    let others = key.fields.iter().filter(|field| field.name != time.name);
    let each: Option<f64> =
        others.map(|field| field.spread.filter(|_| field.growth.is_none()).map(|spread| spread.n_eff)).product();
    let (Some(rate), Some(each)) = (rows_per_second(context.table).filter(|_| !wide && !one_row), each) else {
        return false;
    };
    // What is written in the same moment, to the same of the other fields.
    let together = rate * seconds / each.max(1.0);
    if together.is_nan() || together <= 1e-3 {
        return false;
    }
    let message = format!(
        "rows of one moment of {:?} have one key, and the later replaces the earlier: of each row, {together:.3} others come in the same moment",
        time.name
    );
    let mut finding = found.finding(time.place, message).of(time.name);
    finding = finding.number("rows", rate, "/s").number("rows in one moment", together, "");
    let last = key.fields.last().filter(|last| !last.field.raw);
    let tie = (1..100).map(|i| if i == 1 { "tie".to_owned() } else { format!("tie{i}") });
    let tie = tie.into_iter().find(|name| key.index(name).is_none());
    let edits = last.zip(tie).map(|(last, tie)| {
        let place = crate::problem::Span { start: last.place.end, ..last.place };
        Edit { place, text: format!(", {}", quote::toml(&format!("{tie}: u16"))) }
    });
    found.push(finding.remedy(
        "end the key with a counter or an id that tells rows of one moment apart; or say `unique = \"upsert\"`",
        edits.into_iter().collect(),
    ));
    true
}

fn repeated(context: &Context<'_>, found: &mut RuleSink<'_>) {
    let Some((profile, twice)) = context.profile.and_then(|profile| Some((profile, profile.twice.as_ref()?))) else {
        return;
    };
    let share = profile.repeated * 100.0;
    let message = format!("{share:.2} % of the sample's keys are there before: one row replaces the other");
    let place = context.table.table.sample.as_ref().map_or(context.table.name.place, |sample| sample.place);
    let finding = found.finding(place, message).number("keys that are repeated", share, "%");
    let finding = finding.witness(format!("twice: {}", hbase_binary(twice)));
    found.push(finding.remedy(
        "if these are writes of different things, end the key with what tells them apart; if they are one thing each, say `unique = \"upsert\"`",
        Vec::new(),
    ));
}
