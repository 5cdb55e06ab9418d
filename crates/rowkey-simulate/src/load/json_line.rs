//! A line of a trace as JSON: read into its columns without a tree of values.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value as Json;

use super::columns::{Column, Columns};
use super::line::Line;

/// Reads a line; or says where it is wrong, and why.
pub(super) fn read_line(text: &[u8], columns: &Columns, line: &mut Line) -> Result<(), (String, String)> {
    let told = |error: serde_json::Error| {
        let reason = error.to_string();
        let reason = reason.rsplit_once(" at line ").map_or(&*reason, |(reason, _)| reason);
        if reason.contains("EOF while parsing") {
            let end = text.trim_ascii_end().len();
            return (format!("column {}", end + 1), "the line ends in an object: write one object a line".to_owned());
        }
        (format!("column {}", error.column()), reason.replace("expected u64", "expected a whole number"))
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    Of { columns, line }.deserialize(&mut json).map_err(told)?;
    json.end().map_err(told)
}

struct Of<'c, 'l> {
    columns: &'c Columns,
    line: &'l mut Line,
}

impl<'de> DeserializeSeed<'de> for Of<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Of<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `t_ms`, `op` and `key`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut known = Vec::new();
        while let Some(Text(name)) = map.next_key()? {
            let told = |reason: String| A::Error::custom(format!("`{name}`: {reason}"));
            let column = self.columns.named(&name).map_err(told)?;
            if known.contains(&column) {
                return Err(told("the line has it already".to_owned()));
            }
            known.push(column);
            let of_value = |error: A::Error| told(error.to_string());
            match column {
                Column::Time => self.line.t_ms = map.next_value().map_err(of_value)?,
                Column::Bytes => self.line.bytes = map.next_value::<Option<u64>>().map_err(of_value)?.unwrap_or(0),
                Column::Batch => self.line.batch = map.next_value().map_err(of_value)?,
                Column::Limit => {
                    let limit = map.next_value::<Option<u64>>().map_err(of_value)?;
                    self.line.limit = limit.filter(|limit| *limit > 0);
                }
                Column::Field(at) => self.line.fields[at] = map.next_value::<Json>()?,
                Column::Op | Column::Key | Column::End => {
                    if let Some(Text(text)) = map.next_value::<Option<Text<'_>>>().map_err(of_value)? {
                        self.line.take(column, &text).map_err(told)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Text that is not copied where it has no escapes.
#[derive(Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);
