//! Keys from values, and the bytes of keys taken apart.

use rowkey::{LayoutBuf, Value};
use rowkey_design::Design;
use rowkey_design::infer::KeyText;
use rowkey_design::internal::choice::Choice;
use rowkey_design::internal::explain::{Times, key_of_line, value_of};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::report::key_as_json;
use serde_json::{Map, Value as Json, json};

/// The longest key that is shown: no store takes one as long.
const LONGEST: usize = 65_536;

fn layout<'d>(design: &'d Design, table: &str) -> Result<(&'d LayoutBuf, Times<'d>), String> {
    let layout = design.layout_named(table).ok_or_else(|| format!("there is no table {table:?}"))?;
    Ok((layout, design.times_of(table)))
}

/// The key of some values, by the names of the fields; or what is wrong with each.
pub(crate) fn encoded(design: &Design, table: &str, texts: &[(String, String)]) -> Result<Json, String> {
    let (layout, times) = layout(design, table)?;
    let (mut values, mut faults) = (Vec::<Value>::new(), Map::new());
    for field in layout.fields() {
        let text = texts.iter().find(|(name, _)| *name == field.name).map_or("", |(_, text)| text);
        match value_of(field, text, &times) {
            Ok(value) => values.push(value),
            Err(error) => _ = faults.insert(field.name.clone(), error.reason.into()),
        }
    }
    if !faults.is_empty() {
        return Ok(json!({ "faults": faults }));
    }
    let key = layout.encode(&values).map_err(|error| error.to_string())?;
    told(&key, layout, &times)
}

/// A key in a form, or in the form that it seems to have, taken apart.
pub(crate) fn explained(design: &Design, table: &str, form: &str, text: &str) -> Result<Json, String> {
    let (layout, times) = layout(design, table)?;
    let text = text.trim();
    let named = KeyForm::ALL.iter().find(|known| known.name() == form).map(|form| KeyText::Lines(*form));
    let form = named.unwrap_or_else(|| looks_like(text, layout));
    let key = read(text, form, layout)?;
    let mut json = told(&key, layout, &times)?;
    json["read_as"] = form.word().into();
    Ok(json)
}

/// The form that a text has by its looks; if that gives no key of the layout, one that does.
fn looks_like(text: &str, layout: &LayoutBuf) -> KeyText {
    let looks = KeyText::of(format!("{text}\n").as_bytes());
    let all = std::iter::once(looks).chain(KeyForm::ALL.iter().map(|form| KeyText::Lines(*form)));
    let is_key = |form: &KeyText| read(text, *form, layout).is_ok_and(|key| layout.decode(&key).is_ok());
    all.into_iter().find(is_key).unwrap_or(looks)
}

fn read(text: &str, form: KeyText, layout: &LayoutBuf) -> Result<Vec<u8>, String> {
    match form {
        KeyText::Lines(form) => form.parse(text, layout).map_err(|error| format!("{error}; it was read as {form}")),
        _ => key_of_line(text.as_bytes())?
            .ok_or_else(|| "the line has no key: paste a row of HBase's scan or of cbt read".to_owned()),
    }
}

fn told(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Result<Json, String> {
    if key.len() > LONGEST {
        return Err(format!("the key has {} bytes: no store takes more than {LONGEST}", key.len()));
    }
    Ok(key_as_json(key, layout, times))
}
