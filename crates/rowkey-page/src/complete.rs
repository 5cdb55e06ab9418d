//! Completions of a design: from the schema of design files, and by the names that it has itself.

use rowkey_design::internal::design::json_schema;
use serde_json::{Value as Json, json};

use crate::units::byte_at;

mod names;
mod place;
mod scan;

use names::word;
use place::{Place, Wanted};
use scan::Scan;

/// The words that can stand at a place of a design, given in UTF-16 units, each with what it says; and how many units
/// before and after the place each takes the place of.
pub(crate) fn complete(design: &str, at: usize) -> Json {
    let (before, after) = design.split_at(byte_at(design, at));
    let place = Scan::of(before).into_place();
    let name = after.find(|character: char| !character.is_alphanumeric() && character != '_');
    let name = &after[..name.unwrap_or(after.len())];
    if let Some((begun, words)) = names::types(&place) {
        return found(begun, name.encode_utf16().count(), words);
    }
    // A string is replaced as far as its end, if a name is all that is before it.
    let is_whole = place.quote().is_some_and(|quote| after[name.len()..].starts_with(quote));
    let units_after = if is_whole { name.encode_utf16().count() + 1 } else { 0 };
    let schema = json_schema();
    let parts = within(&schema, &place.path);
    let mut words = Vec::new();
    for part in &parts {
        match place.wanted {
            Wanted::Key => keys(part, &place, &mut words),
            Wanted::Header => headers(part, &place, &mut words),
            Wanted::Value => values(part, &place, &mut words),
            Wanted::Nothing => {}
        }
    }
    // Keys that the schema does not list are names of the design's own.
    let is_named = |part: &&Json| place.wanted == Wanted::Value || part["additionalProperties"].is_object();
    if parts.iter().any(is_named) {
        words.extend(names::names(design, &place));
    }
    words.dedup();
    found(&place.word, units_after, words)
}

fn found(begun: &str, after: usize, words: Vec<Json>) -> Json {
    json!({ "replaces": begun.encode_utf16().count(), "after": after, "words": words })
}

/// The parts of the schema that a path of keys leads to: where there is a choice, those of each.
fn within<'s>(schema: &'s Json, path: &[String]) -> Vec<&'s Json> {
    path.iter().fold(choices(schema), |parts, key| {
        let next = |part: &'s Json| {
            let named = part["properties"].get(key);
            named.or_else(|| part.get("additionalProperties").filter(|any| any.is_object()))
        };
        parts.into_iter().filter_map(next).flat_map(choices).collect()
    })
}

/// A part, or what it is a choice of; of a list, its items.
fn choices(part: &Json) -> Vec<&Json> {
    let several = ["anyOf", "oneOf"].iter().filter_map(|key| part[key].as_array()).flatten();
    let of_choice: Vec<&Json> = several.flat_map(choices).collect();
    let items = if part["items"].is_object() { choices(&part["items"]) } else { Vec::new() };
    std::iter::once(part).chain(of_choice).chain(items).collect()
}

fn properties(part: &Json) -> impl Iterator<Item = (&String, &Json)> {
    part["properties"].as_object().into_iter().flatten()
}

/// Keys that begin with the word, but for those that are there.
fn keys(part: &Json, place: &Place, found: &mut Vec<Json>) {
    for (key, of) in properties(part).filter(|(key, _)| key.starts_with(&place.word) && !place.has.contains(key)) {
        found.push(word(&format!("{key} = "), &of["description"]));
    }
}

/// The parts of a header: keys of tables.
fn headers(part: &Json, place: &Place, found: &mut Vec<Json>) {
    for (key, of) in properties(part).filter(|(key, _)| key.starts_with(&place.word)) {
        let is_table =
            choices(of).iter().any(|of| of["properties"].is_object() || of["additionalProperties"].is_object());
        let is_list = of["type"] == "array" || of["items"].is_object();
        if is_table && is_list == place.is_list || is_table && !place.is_list && key == "table" {
            found.push(word(key, &of["description"]));
        }
    }
}

/// Values: words, truths, and examples.
fn values(part: &Json, place: &Place, found: &mut Vec<Json>) {
    let listed = ["enum", "examples"].iter().filter_map(|key| part[key].as_array()).flatten();
    let truths = [Json::Bool(true), Json::Bool(false)];
    let truths = truths.iter().filter(|_| part["type"] == "boolean");
    for value in listed.chain(part.get("const")).chain(truths) {
        let text = value.to_string();
        let same = found.iter().any(|word| word["text"] == text.as_str());
        if text.trim_matches('"').starts_with(place.begun()) && !same {
            found.push(word(&text, &part["description"]));
        }
    }
}

#[cfg(test)]
mod tests;
