//! Values whose bytes do not sort as they do, or are not one form of one thing.
//!
//! The types of the format exclude most of it: these rules find what is written into `text` and `bytes` instead, by
//! what the file says that fields mean, and by a sample.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::mend;
use crate::design::{Meaning, Query};
use crate::facts::FieldFacts;
use crate::finding::{Edit, Finding};
use crate::profile::FieldProfile;
use crate::rule::Severity::Note;
use crate::rules::context::{Context, RuleSink};

/// The fields of the table's key, and of its secondary tables' keys that the table's has not.
pub(super) fn fields<'c, 'd>(context: &'c Context<'d>) -> impl Iterator<Item = (usize, &'c FieldFacts<'d>)> {
    let all =
        context.keys.iter().enumerate().flat_map(|(key, facts)| facts.fields.iter().map(move |field| (key, field)));
    all.filter(|(key, field)| *key == 0 || context.keys[0].index(field.name).is_none())
}

pub(super) fn is_text(field: &FieldFacts<'_>) -> bool {
    matches!(field.field.ty, TypeBuf::Scalar(Scalar::Text | Scalar::Bytes))
}

/// True if it is a time or a count in units, which the file says of a number.
pub(super) fn is_number(meaning: Option<Meaning>) -> bool {
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

pub(super) fn seen<'c>(context: &'c Context<'_>, field: &FieldFacts<'_>) -> Option<&'c FieldProfile> {
    context.profile?.fields.iter().find(|seen| seen.name == field.name)
}

/// True if a query needs the field's order: one value of it is found in any form.
pub(super) fn is_ordered_by(query: &Query, name: &str) -> bool {
    query.range.contains_key(name) || query.is_ordered()
}

/// A finding of a field: a note where no query needs its order.
pub(super) fn of_field(
    found: &RuleSink<'_>,
    context: &Context<'_>,
    field: &FieldFacts<'_>,
    message: String,
) -> Finding {
    let mut finding = found.finding(field.place, message).of(field.name);
    let mut queries = context.table.table.query.iter();
    if !queries.any(|query| is_ordered_by(query, field.name)) {
        finding.severity = Note;
    }
    finding
}

/// The field with another shape, as an edit; a raw one keeps its bytes.
pub(super) fn retyped(field: &FieldFacts<'_>, shape: &str) -> Vec<Edit> {
    match FieldBuf::new(field.name, shape) {
        Ok(new) if !field.field.raw => {
            let new = FieldBuf { desc: field.field.desc, ..new };
            vec![Edit { place: field.place, text: mend::field_text(&new) }]
        }
        _ => Vec::new(),
    }
}
