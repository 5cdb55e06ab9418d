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
    let form = match KeyForm::ALL.iter().find(|known| known.name() == form) {
        Some(form) => KeyText::Lines(*form),
        None if text.starts_with('[') => KeyText::Lines(KeyForm::Json),
        None => KeyText::of(format!("{text}\n").as_bytes()),
    };
    let key = match form {
        KeyText::Lines(form) => form.parse(text, layout).map_err(|error| format!("{error}; it was read as {form}"))?,
        _ => key_of_line(text.as_bytes())?.ok_or("the line has no key: paste a row of HBase's scan or of cbt read")?,
    };
    let mut json = told(&key, layout, &times)?;
    json["read_as"] = form.word().into();
    Ok(json)
}

fn told(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Result<Json, String> {
    if key.len() > LONGEST {
        return Err(format!("the key has {} bytes: no store takes more than {LONGEST}", key.len()));
    }
    Ok(key_as_json(key, layout, times))
}
