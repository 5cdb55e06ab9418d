//! Layouts of keys that are there.

use rowkey_design::infer::{KeyText, Sample};
use rowkey_design::internal::report::inferred_as_json;
use serde_json::Value as Json;

/// The table's name in the design file of a candidate.
const TABLE: &str = "inferred";

/// The output of `rowkey infer --json` for keys, one a line.
pub(crate) fn inferred(keys: &str) -> Result<Json, String> {
    let text = KeyText::of(keys.as_bytes());
    let mut sample = Sample::new();
    sample.read(keys.as_bytes(), text, |_, _| {}).map_err(|error| error.to_string())?;
    serde_json::from_str(&inferred_as_json(&sample.infer(), text, TABLE)).map_err(|error| error.to_string())
}
