//! A key's layout as JSON.

use std::ops::Range;

use rowkey::LayoutBuf;
use rowkey::lead::{Lead, Salt, SaltFormat};

use super::Reading;
use super::draft::{Draft, Splits};
use crate::quote;

pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    let layout = match LayoutBuf::from_json(text) {
        Ok(layout) => layout,
        Err(error) => {
            reading.problem(0..0, format!("this is not a layout: {error}"), "write it with LayoutBuf::to_json");
            return Vec::new();
        }
    };
    vec![draft(&layout, name.unwrap_or(layout.name()), &[], Vec::new(), reading)]
}

/// A table of this layout; `means` has the words for fields, by name.
pub(super) fn draft(
    layout: &LayoutBuf,
    table: &str,
    means: &[(&str, &str)],
    comments: Vec<String>,
    reading: &mut Reading,
) -> Draft {
    let mut draft = Draft { name: table.to_owned(), comments, ..Draft::default() };
    key(layout, &mut draft, 0..0, reading);
    if !means.is_empty() {
        let means: Vec<_> =
            means.iter().map(|(field, word)| format!("{} = {}", quote::toml_key(field), quote::toml(word))).collect();
        draft.settings.push(("means", format!("{{ {} }}", means.join(", "))));
    }
    if let Lead::Salt(_) = layout.lead() {
        draft.splits = Splits::Buckets;
    }
    draft
}

/// Adds the fields of a layout that stands at `at`, and what is before them.
pub(super) fn key(layout: &LayoutBuf, draft: &mut Draft, at: Range<usize>, reading: &mut Reading) {
    for field in layout.fields() {
        if field.name.is_empty() || field.name.contains(|c: char| c == ':' || c.is_whitespace()) {
            let message = format!("a design takes no field named {:?}", field.name);
            reading.problem(at.clone(), message, "rename it: a name has no `:` and no white space");
            continue;
        }
        match LayoutBuf::of_fields("Row", Lead::None, Vec::new(), vec![field.clone()]) {
            Ok(alone) => draft.key.push(format!("{}: {}", field.name, alone.shape())),
            Err(error) => reading.problem(at.clone(), error.to_string(), ""),
        }
    }
    let by = match layout.by() {
        [] => String::new(),
        by => {
            let names = by.iter().filter_map(|field| layout.fields().get(*field));
            let names: Vec<_> = names.map(|field| quote::toml(&field.name)).collect();
            format!(", by = [{}]", names.join(", "))
        }
    };
    match layout.lead() {
        Lead::None => {}
        Lead::Digest(bytes) => draft.settings.push(("hashed", format!("{{ bytes = {bytes}{by} }}"))),
        Lead::Hash(prefix) => {
            draft.settings.push(("hashed", format!("{{ of = {}{by} }}", quote::toml(&prefix.to_string()))))
        }
        Lead::Salt(Salt { buckets, hash, format }) => {
            let hash = match hash.name.as_str() {
                "xxh3" => String::new(),
                name => format!(", hash = {}", quote::toml(name)),
            };
            let format = match format {
                SaltFormat::Binary => String::new(),
                SaltFormat::Foreign(foreign) => format!(", text = {}", quote::toml(&foreign.to_string())),
                _ => ", format = \"hex\"".to_owned(),
            };
            draft.settings.push(("salt", format!("{{ buckets = {buckets}{by}{hash}{format} }}")));
        }
    }
}
