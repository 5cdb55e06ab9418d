//! Keys as text for terminals, and as JSON.

use rowkey::untyped::Explanation;
use rowkey::{LayoutBuf, Value};
use serde_json::{Value as Json, json};

use super::printed;
use crate::explain::values_as_json;
use crate::forms::{KeyForm, Times};
use crate::quote::terminal;

/// A key as text for a terminal: its bytes field by field, then the key in every form.
///
/// ```
/// use rowkey_design::internal::forms::Times;
/// use rowkey_design::internal::report::key_as_text;
///
/// let layout = "text, u16".parse()?;
/// let text = key_as_text(b"a\0\x01\x02", &layout, &Times::default());
/// assert!(text.contains("_1  u16   01 02  258"), "{text}");
/// assert!(text.contains("shell   a\\x00\\x01\\x02"), "{text}");
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub fn key_as_text(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> String {
    let mut text = String::new();
    for line in explained(key, layout, times).to_string().lines() {
        text += &terminal(line);
        text.push('\n');
    }
    text + &forms_as_text(key, layout)
}

/// With the dates of times that are numbers.
fn explained(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Explanation {
    let mut explanation = layout.explain(key);
    for part in &mut explanation.parts {
        let number = part.value.parse().ok().map(Value::Signed);
        if let Some(date) = number.and_then(|number| times.date(&part.field, &number)) {
            part.note = date;
        }
    }
    explanation
}

/// A key in every form, a line for each.
pub fn forms_as_text(key: &[u8], layout: &LayoutBuf) -> String {
    forms(key, layout).into_iter().map(|(form, text)| format!("{:6}  {text}\n", form.word())).collect()
}

/// A key in every form that it has, none of which holds a character that a terminal would not show.
pub fn forms(key: &[u8], layout: &LayoutBuf) -> Vec<(KeyForm, String)> {
    let write = |form: KeyForm| match form {
        KeyForm::Json => layout.decode(key).ok().map(|values| values_as_json(&values)),
        _ => form.write(key, layout),
    };
    KeyForm::ALL.iter().copied().filter_map(|form| Some((form, write(form)?))).collect()
}

/// Keys as a JSON array, for programs.
pub fn keys_as_json(keys: &[impl AsRef<[u8]>], layout: &LayoutBuf, times: &Times<'_>) -> String {
    printed(&keys.iter().map(|key| key_as_json(key.as_ref(), layout, times)).collect())
}

/// A key as JSON: its bytes field by field, the key in every form, and the error if it does not decode.
pub fn key_as_json(key: &[u8], layout: &LayoutBuf, times: &Times<'_>) -> Json {
    let explanation = explained(key, layout, times);
    let parts = explanation.parts.iter().map(|part| {
        let bytes = key.get(part.range.clone()).unwrap_or_default();
        json!({
            "start": part.range.start, "end": part.range.end, "field": part.field, "shape": part.shape,
            "hex": data_encoding::HEXLOWER.encode(bytes), "value": part.value, "note": part.note,
        })
    });
    let values = layout.decode(key).ok();
    let forms = KeyForm::ALL.iter().copied().filter_map(|form| {
        let text = match form {
            KeyForm::Json => Json::Array(values.as_ref()?.iter().map(rowkey::Value::to_json).collect()),
            _ => Json::String(form.write(key, layout)?),
        };
        Some((form.word().to_owned(), text))
    });
    json!({
        "key": explanation.key, "bytes": key.len(), "parts": parts.collect::<Vec<_>>(),
        "forms": forms.collect::<serde_json::Map<_, _>>(), "error": explanation.error.map(|error| error.to_string()),
    })
}
