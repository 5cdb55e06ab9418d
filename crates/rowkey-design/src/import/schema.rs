//! The text of a wide table's schema: `rowkey::wide::TableSchema`.

use std::ops::Range;

use rowkey::LayoutBuf;
use rowkey::untyped::TypeBuf;
use rowkey::wide::{FamilySchema, TableSchema};

use super::draft::{Draft, Family, period};
use super::{Reading, layout, lines};
use crate::ddl::ALL_VERSIONS;
use crate::quote;

const HELP: &str =
    "paste what TableSchema prints: `row key: SHAPE`, `row key field: 0 NAME`, `family NAME: max versions 1`";

pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    let Some(name) = name else {
        reading.problem(0..0, "a schema does not have its table's name", "give the name");
        return Vec::new();
    };
    let mut draft = Draft { name: name.to_owned(), ..Draft::default() };
    draft.comments.push("A schema has no split points".to_owned());
    let (mut key, mut fields, mut is_empty) = (None, Vec::new(), true);
    for (start, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let at = start..start + line.len();
        is_empty = false;
        // Each line by itself is a schema.
        let Ok(schema) = line.parse::<TableSchema>() else {
            reading.problem(at, "this is not a line of a schema", HELP);
            continue;
        };
        for (name, family) in schema.families {
            let is_known = draft.families.iter().any(|known| known.name == name);
            if is_known {
                reading.problem(at.clone(), format!("family {name:?} is there twice"), "paste the schema of one table");
            } else if let Some(family) = of_family(&name, &family, at.clone(), reading) {
                draft.families.push(family);
            }
        }
        match (schema.row_key, &key) {
            (Some(_), Some(_)) => reading.problem(at, "the row key is there twice", "paste the schema of one table"),
            (Some(shape), None) => key = Some((shape, at)),
            (None, _) => fields.extend(schema.row_fields.map(|field| (field, at))),
        }
        draft
            .comments
            .extend(schema.earlier_row_keys.into_iter().map(|shape| format!("Its row key was before: {shape}")));
    }
    if is_empty {
        return Vec::new();
    }
    let Some((shape, at)) = key else {
        for (_, at) in fields {
            reading.problem(at, "a field of a row key whose shape is not there", "paste the line `row key: SHAPE` too");
        }
        return vec![draft];
    };
    match shape.parse::<LayoutBuf>() {
        Ok(layout) => of_key(&layout, at, &fields, &mut draft, reading),
        Err(error) => reading.problem(at, format!("{shape:?} is not the shape of a key: {error}"), ""),
    }
    vec![draft]
}

fn of_family(name: &str, schema: &FamilySchema, at: Range<usize>, reading: &mut Reading) -> Option<Family> {
    if let Err(error) = TableSchema::new().family(name, *schema).check() {
        reading.problem(at, error.to_string(), "");
        return None;
    }
    let mut family = Family::new(name);
    if let Some(ttl) = schema.ttl {
        let Ok(millis) = u64::try_from(ttl.as_millis()) else {
            reading.problem(at, "a design cannot say a TTL this long", "remove it: without one, cells do not expire");
            return None;
        };
        family.option("ttl", period(millis));
    }
    family.option("versions", schema.max_versions.min(ALL_VERSIONS).to_string());
    if schema.min_versions > 0 {
        family.option("min_versions", schema.min_versions.to_string());
    }
    Some(family)
}

/// Units of instants, which a design says as a meaning.
const UNITS: &[&str] = &["seconds", "milliseconds", "microseconds", "nanoseconds"];

/// Adds the key: the fields of its shape with the names and units of the lines after it.
fn of_key(
    shape: &LayoutBuf,
    at: Range<usize>,
    lines: &[(String, Range<usize>)],
    draft: &mut Draft,
    reading: &mut Reading,
) {
    let (mut fields, mut means) = (shape.fields().to_vec(), Vec::new());
    for (line, at) in lines {
        let mut words = line.trim_end().split(' ');
        let (place, names) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let Ok(index) = place.parse::<usize>() else {
            // Of a part of a field.
            draft.comments.push(format!("A design has no key for row key field: {}", line.trim_end()));
            continue;
        };
        let Some(field) = fields.get_mut(index).filter(|_| !names.is_empty()) else {
            reading.problem(at.clone(), "this is not a field of the row key", "write `row key field: 0 NAME`, from 0");
            continue;
        };
        let mut names = names.split('|');
        match names.next() {
            Some("_") | None => {}
            Some(newest) => field.name = newest.to_owned(),
        }
        let field = field.name.as_str();
        draft.comments.extend(names.map(|earlier| format!("The field {field} was {earlier} before")));
        for detail in words {
            if UNITS.contains(&detail) {
                means.push(format!("{} = \"{detail}\"", quote::toml_key(field)));
            } else if let Some(epoch) = detail.strip_prefix("snowflake(").and_then(|epoch| epoch.strip_suffix(')')) {
                means.push(format!("{} = \"snowflake\"", quote::toml_key(field)));
                draft.comments.push(format!("The snowflakes of {field} begin at {epoch}, in milliseconds since 1970"));
            } else if let Some(seconds) = detail.strip_prefix("bucket(").and_then(|seconds| seconds.strip_suffix(')')) {
                draft.comments.push(format!("The field {field} is rounded down to {seconds} seconds"));
            } else {
                draft.comments.push(format!("A design has no key for this of the field {field}: {detail}"));
            }
        }
    }
    for field in &fields {
        if let TypeBuf::Custom(custom) = &field.ty {
            let message = format!("`{}` is not a type of the format, but a program's own encoding", custom.shape);
            reading.problem(at.clone(), message, "write the type of the bytes that it makes");
            return;
        }
    }
    match LayoutBuf::of_fields("Row", shape.lead().clone(), shape.by().to_vec(), fields) {
        Ok(named) => layout::key(&named, draft, at, reading),
        Err(error) => reading.problem(at, error.to_string(), ""),
    }
    if !means.is_empty() {
        draft.settings.push(("means", format!("{{ {} }}", means.join(", "))));
    }
}
