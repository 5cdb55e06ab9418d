//! What keys, queries and regions of a table mean: keys back and forth between bytes and values, a query as commands to
//! paste, a list of regions field by field.

mod line;
mod query;
mod regions;
mod snippet;
mod stream;
mod svg;
mod values;

use serde_json::{Value as Json, json};

use rowkey::untyped::Explanation;
use rowkey::{LayoutBuf, Value};

pub use self::line::key_of_line;
pub use self::query::{CALL, Plan, Rung};
pub use self::regions::{Boundary, Region, Regions, RegionsError, regions};
pub use self::snippet::{PREFIX_FILTER, Snippets};
pub use self::stream::{ReadLine, Stopped, Told, stream, values_as_json};
pub use self::svg::svg;
pub use self::values::{ArgumentError, value_of, values_of};
use crate::forms::KeyForm;
pub use crate::forms::Times;
use crate::quote::{terminal, unprintable};
use crate::resolve::Design;

impl Design {
    /// The layout of the keys of a table or of a secondary table, by its name.
    pub fn layout_named(&self, name: &str) -> Option<&LayoutBuf> {
        if let Some(table) = self.tables.get(name) {
            return Some(&table.layout);
        }
        self.tables.values().find_map(|table| {
            let index = table.table.secondary.iter().position(|secondary| secondary.name.as_str() == name)?;
            table.secondary.get(index)
        })
    }

    /// The names of its tables and secondary tables.
    pub fn names_of_tables(&self) -> Vec<&str> {
        let secondaries = self.tables.values().flat_map(|table| &table.table.secondary);
        let secondaries = secondaries.map(|secondary| secondary.name.as_str());
        self.tables.keys().map(String::as_str).chain(secondaries).collect()
    }
}

/// A key as text for a terminal: its bytes field by field, then the key in every form.
///
/// ```
/// use rowkey_design::explain::{Times, key_as_text};
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
    KeyForm::ALL.into_iter().filter_map(|form| Some((form, write(form)?))).collect()
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
    let forms = KeyForm::ALL.into_iter().filter_map(|form| {
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

/// JSON as text that a terminal may be sent: what it would not show is escaped.
///
/// ```
/// use rowkey_design::explain::json_text;
///
/// assert_eq!(json_text(&serde_json::json!(["\u{202e}\u{7f}"]), false), r#"["\u202e\u007f"]"#);
/// ```
pub fn json_text(json: &Json, pretty: bool) -> String {
    let text = if pretty { format!("{json:#}") } else { json.to_string() };
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        // Line breaks are between values alone: in strings they are escaped already.
        if c != '\n' && unprintable(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| safe += &format!("\\u{unit:04x}"));
        } else {
            safe.push(c);
        }
    }
    safe
}
