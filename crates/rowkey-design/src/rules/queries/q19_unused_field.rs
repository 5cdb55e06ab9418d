//! Q19: a field of the key that nothing uses.

use crate::cost::{Condition, rows};
use crate::design::{Meaning, WriteOrder};
use crate::facts::FieldFacts;
use crate::finding::Edit;
use crate::rules::context::{Context, RuleSink};

/// True if values of the field are of one row each.
fn is_id(field: &FieldFacts<'_>) -> bool {
    matches!(
        field.meaning,
        Some(Meaning::Sequence | Meaning::Snowflake | Meaning::Uuid4 | Meaning::Uuid7 | Meaning::Ulid)
    )
}

/// True if an id is one row's alone, as its meaning says: nothing in the file or in a sample says that rows share one.
fn is_one_row(context: &Context<'_>, id: &FieldFacts<'_>) -> bool {
    // What a sample counts is within 1.2 %, 19 times of 20 within twice that.
    const COUNTED: f64 = 0.95;
    let stats = id.stats;
    let counted = stats.and_then(|stats| stats.distinct.as_ref()).map(|distinct| distinct.0);
    // An id of something else has fewer values than there are rows. Where the rows are not known, nothing says that it
    // has not.
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

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
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
    let place = crate::problem::Span { start: before.place.end, ..this.place };
    Some(Edit { place, text: String::new() })
}
