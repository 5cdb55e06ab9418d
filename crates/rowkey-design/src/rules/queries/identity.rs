//! What makes a key one row's: too little, or too much.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::{Found, mend};
use crate::check::Context;
use crate::cost::{Condition, rows, rows_per_second, span};
use crate::design::{Columns, Meaning, Unique, WriteOrder};
use crate::facts::{FieldFacts, Growth};
use crate::file::Count;
use crate::finding::Edit;
use crate::problem::Located;
use crate::quote::{self, hbase_binary};

/// A probability of two rows with one key below this is silent.
const UNLIKELY: f64 = 1e-6;

pub(super) fn not_unique(context: &Context<'_>, found: &mut Found<'_>) {
    if context.table.table.unique.as_ref().is_some_and(|unique| **unique == Unique::Upsert) {
        return;
    }
    if !truncated(context, found) && !same_moment(context, found) {
        repeated(context, found);
    }
}

/// How many values of 0 to 16 bytes there can be; none where the type has no such bytes.
fn bits(field: &FieldFacts<'_>) -> Option<f64> {
    let scalar = match field.field.ty {
        TypeBuf::Scalar(scalar) => scalar,
        _ => return None,
    };
    let is_bits = !matches!(scalar, Scalar::Instant | Scalar::Duration | Scalar::Bool | Scalar::Char | Scalar::Tile);
    scalar.width().filter(|_| is_bits).map(|width| 8.0 * width as f64)
}

/// A truncated digest or a random number is all that tells rows apart: two of n have the same b bits with a probability of
/// about n²/2^(b+1).
fn truncated(context: &Context<'_>, found: &mut Found<'_>) -> bool {
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
fn same_moment(context: &Context<'_>, found: &mut Found<'_>) -> bool {
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
        let place = crate::Place { start: last.place.end, ..last.place };
        Edit { place, text: format!(", {}", quote::toml(&format!("{tie}: u16"))) }
    });
    found.push(finding.remedy(
        "end the key with a counter or an id that tells rows of one moment apart; or say `unique = \"upsert\"`",
        edits.into_iter().collect(),
    ));
    true
}

fn repeated(context: &Context<'_>, found: &mut Found<'_>) {
    let Some((profile, twice)) = context.profile.and_then(|profile| Some((profile, profile.twice.as_ref()?))) else {
        return;
    };
    let share = profile.repeated * 100.0;
    let message = format!("{share:.2} % of the sample's keys are there before: one row replaces the other");
    let place = context.table.table.sample.as_ref().map_or(context.table.name.place, |sample| sample.place);
    let finding = found.finding(place, message).number("keys that are repeated", share, "%");
    let finding = finding.witness(format!("twice: {}", hbase_binary(twice)));
    let edit = context.design.files.key_added(context.table.name.place, "unique", "\"upsert\"");
    found.push(finding.remedy(
        "if these are writes of different things, end the key with what tells them apart; if they are one thing each, say `unique = \"upsert\"`",
        edit.into_iter().collect(),
    ));
}

/// Whether values of the field are of one row each.
fn is_id(field: &FieldFacts<'_>) -> bool {
    matches!(
        field.meaning,
        Some(Meaning::Sequence | Meaning::Snowflake | Meaning::Uuid4 | Meaning::Uuid7 | Meaning::Ulid)
    )
}

/// Whether an id is one row's alone, as its meaning says: nothing in the file or in a sample says that rows share one.
fn is_one_row(context: &Context<'_>, id: &FieldFacts<'_>) -> bool {
    // What a sample counts is within 1.2 %, 19 times of 20 within twice that.
    const COUNTED: f64 = 0.95;
    let stats = id.stats;
    let counted = stats.and_then(|stats| stats.distinct.as_ref()).map(|distinct| distinct.0);
    // An id of something else has fewer values than there are rows. Where the rows are not known, nothing says that it has not.
    let fewer = counted.is_some_and(|values| rows(context.table).is_none_or(|rows| values < rows));
    let shared = stats
        .and_then(|stats| stats.rows_per.as_ref())
        .is_some_and(|rows| [rows.p50, rows.p99, rows.max].into_iter().flatten().any(|rows| rows.0 > 1.0));
    let repeated = context.profile.is_some_and(|profile| {
        let seen = profile.fields.iter().find(|seen| seen.name == id.name);
        seen.is_some_and(|seen| seen.distinct < COUNTED * profile.distinct)
    });
    // A query by it that has a limit, an order or many answers expects more than one row.
    let many = context.table.table.query.iter().any(|query| {
        let more = |count: Option<f64>| count.is_some_and(|count| count > 1.0);
        query.fix.iter().any(|field| field.as_str() == id.name)
            && (more(query.limit.as_ref().map(|count| count.0)) || more(query.returns.as_ref().map(|count| count.0)))
    });
    !fewer && !shared && !repeated && !many && id.per.is_none()
}

pub(super) fn unused(context: &Context<'_>, found: &mut Found<'_>) {
    let table = &context.table.table;
    let key = &context.keys[0];
    if table.query.is_empty() {
        return;
    }
    let ordered = table.query.iter().any(|query| query.newest_first().is_some());
    for (at, field) in key.fields.iter().enumerate() {
        let asked = table.query.iter().any(|query| Condition::of(query, field.name).is_some());
        let orders = field.growth.is_some() && (ordered || key.growing() == Some(at));
        // A first field that no query has a value of is a finding of those queries.
        if asked || orders || at == 0 || field.meaning == Some(Meaning::TieBreaker) {
            continue;
        }
        let mut others = key.fields.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        if !others.any(|other| is_id(other) && is_one_row(context, other)) {
            continue;
        }
        let message = format!("no query uses {:?}, and the key is one row's without it", field.name);
        let finding = found.finding(field.place, message).of(field.name).number("bytes in each cell", field.bytes, "B");
        let edits = removed(context, at).into_iter().collect();
        found.push(finding.remedy("move it to a column", edits));
    }
}

/// The key without a field, where nothing else in the file speaks of it.
fn removed(context: &Context<'_>, at: usize) -> Option<Edit> {
    let table = &context.table.table;
    let name = context.keys[0].fields[at].name;
    let salted = table.salt.iter().flat_map(|salt| &salt.by);
    let hashed = table.hashed.iter().flat_map(|hashed| &hashed.by);
    let updated = table.write.iter().flat_map(|write| &write.updates);
    let in_text = salted.chain(hashed).chain(updated).any(|by| by.as_str() == name);
    let in_order = table.write.iter().any(|write| {
        matches!(write.order.as_ref().map(|order| &order.value), Some(WriteOrder::RandomIn(field)) if field == name)
    });
    let per = table.stats.values().any(|stats| stats.per.as_ref().is_some_and(|per| per.as_str() == name));
    let allowed = table.allow.iter().any(|allow| allow.of.as_ref().is_some_and(|of| of.as_str() == name));
    let told = table.means.contains_key(name) || table.stats.contains_key(name) || per || allowed;
    if in_text || in_order || told {
        return None;
    }
    let (before, this) = (table.key.get(at.checked_sub(1)?)?, table.key.get(at)?);
    let place = crate::Place { start: before.place.end, ..this.place };
    Some(Edit { place, text: String::new() })
}
