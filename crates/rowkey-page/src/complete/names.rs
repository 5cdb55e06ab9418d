//! Completions of what no schema lists: the fields of a table, their types, and the ids of rules.

use rowkey::LayoutBuf;
use rowkey::untyped::TypeBuf;
use rowkey::untyped::words::{OTHERS, TYPES};
use rowkey_design::Rule;
use rowkey_design::internal::quote::{toml, toml_key};
use serde_json::{Value as Json, json};

use super::place::{Place, Wanted};
use super::scan::Scan;

/// The keys whose strings are names of a table's fields.
const OF_FIELDS: [&str; 6] = ["by", "fix", "partition", "per", "updates", "where"];

/// The keys whose own keys are names of a table's fields.
const BY_FIELD: [&str; 7] = ["among", "means", "parts", "range", "skew", "starts_with", "stats"];

/// The names that can stand at a place.
pub(super) fn names(design: &str, place: &Place) -> Vec<Json> {
    let key = place.path.last().map_or("", String::as_str);
    let scan = Scan::of(design);
    let fields: Vec<&str> = place.path.get(1).map_or_else(Vec::new, |table| scan.fields_of(table).collect());
    let names =
        || fields.iter().filter_map(|field| field.split_once(':')).map(|(name, shape)| (name.trim(), shape.trim()));
    let rules = || Rule::all().map(|rule| (rule.id, rule.title));
    match place.wanted {
        Wanted::Value if key == "key" && place.path.len() > 3 => {
            fitting(fields.iter().map(|field| (*field, "")), place)
        }
        Wanted::Value if OF_FIELDS.contains(&key) => fitting(names(), place),
        Wanted::Value if key == "rule" => fitting(rules(), place),
        Wanted::Key | Wanted::Header if BY_FIELD.contains(&key) => fitting(names(), place),
        Wanted::Key | Wanted::Header if key == "rules" => fitting(rules(), place),
        _ => Vec::new(),
    }
}

/// Those that begin as the place does and are not there, as they are written at it.
fn fitting<'n>(names: impl Iterator<Item = (&'n str, &'n str)>, place: &Place) -> Vec<Json> {
    let is_there = |name: &str| place.wanted == Wanted::Key && place.has.iter().any(|has| has == name);
    let names = names.filter(|(name, _)| name.starts_with(place.begun()) && !is_there(name));
    let written = |name: &str| match place.wanted {
        Wanted::Value => toml(name),
        Wanted::Key => toml_key(name) + " = ",
        _ => toml_key(name),
    };
    names.map(|(name, says)| word(&written(name), &says.into())).collect()
}

/// The part of a field's shape that is there, and the words that the format takes after what is before it; none where
/// the place is in no shape.
pub(super) fn types(place: &Place) -> Option<(&str, Vec<Json>)> {
    let is_field = place.wanted == Wanted::Value && place.path.last().is_some_and(|key| key == "key");
    let (_, shape) = place.begun().split_once(':').filter(|_| is_field)?;
    let end = shape.rfind(|character: char| !character.is_alphanumeric() && character != '_');
    let (before, begun) = shape.split_at(end.map_or(0, |at| at + shape[at..].chars().next().map_or(0, char::len_utf8)));
    let closed = closers(before);
    let is_taken = |made: &str| {
        let layout = format!("{}{made}{closed}", before.trim_start()).parse::<LayoutBuf>();
        layout.is_ok_and(|layout| !layout.fields().iter().any(|field| matches!(field.ty, TypeBuf::Custom(_))))
    };
    let words = TYPES.iter().chain(OTHERS).filter(|word| word.starts_with(begun));
    // A word alone, or with what has to stand behind it.
    let ends = |word: &&str| {
        let made = ["", "<u8>", "[1]", "{1: ()}"].map(|end| (format!("{word}{end}"), word.len() + end.len().min(1)));
        made.into_iter()
            .filter(|(made, _)| is_taken(made))
            .map(|(made, shown)| made[..shown].to_owned())
            .collect::<Vec<_>>()
    };
    Some((begun, words.flat_map(ends).map(|text| self::word(&text, &Json::Null)).collect()))
}

/// The brackets that close those that are open in a shape.
fn closers(shape: &str) -> String {
    let mut open = Vec::new();
    for character in shape.chars() {
        match character {
            '<' => open.push('>'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '(' => open.push(')'),
            '>' | ']' | '}' | ')' => _ = open.pop(),
            _ => {}
        }
    }
    open.iter().rev().collect()
}

/// A completion, and the first line of its words.
pub(super) fn word(text: &str, says: &Json) -> Json {
    let says = says.as_str().unwrap_or_default();
    json!({ "text": text, "says": says.lines().next().unwrap_or_default() })
}
