//! Q09: times without a zone, or in several formats.

use super::bytes::{fields, is_text, of_field, retyped, seen};
use crate::design::Meaning;
use crate::profile::FieldProfile;
use crate::rules::context::{Context, RuleSink};

pub(crate) fn find(context: &Context<'_>, found: &mut RuleSink<'_>) {
    for (_, field) in fields(context) {
        let formats = seen(context, field).filter(|_| is_text(field)).map(formats).unwrap_or_default();
        let message = match (field.meaning, formats.as_slice()) {
            (Some(Meaning::LocalTime), _) => format!(
                "{:?} is a local time: when clocks go back, an hour comes twice, and a range has both or neither",
                field.name
            ),
            (_, [_, _, ..]) => {
                format!("{:?} has times in several formats or zones: they do not sort by time", field.name)
            }
            _ => continue,
        };
        let mut finding = of_field(found, context, field, message);
        for format in formats.iter().take(3) {
            finding = finding.witness(format!("format: {format:?}, where 9 is a digit"));
        }
        let text = "write instants (UTC), and turn the bounds of a local day into instants when reading";
        // A field that means a local time stays one whatever its type.
        let edits = if field.meaning.is_none() { retyped(field, "instant") } else { Vec::new() };
        found.push(finding.remedy(text, edits));
    }
}

/// The formats of a text field's values that begin as a date does, with `9` for each digit.
fn formats(seen: &FieldProfile) -> Vec<String> {
    let shape = |text: &str| -> String {
        let date: String = text.chars().take(40).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        // Of the offset from UTC the value counts.
        match text.char_indices().nth(19).and_then(|(at, _)| text.get(at..)?.rfind(['+', '-']).map(|sign| at + sign)) {
            Some(sign) if date.is_ascii() => {
                format!("{}{}", &date[..sign.min(date.len())], text.get(sign..).unwrap_or_default())
            }
            _ => date,
        }
    };
    let mut formats: Vec<String> = Vec::new();
    for (text, _) in &seen.top {
        // A sketch may show values in quotes.
        let format = shape(text.trim_matches('"'));
        let is_date = ["9999-99-99", "9999/99/99", "99.99.9999", "99/99/9999", "99999999T"]
            .iter()
            .any(|start| format.starts_with(start));
        if is_date && !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}
