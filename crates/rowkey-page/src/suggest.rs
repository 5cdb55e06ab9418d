//! Other keys for a table, with their numbers.

use rowkey_design::internal::report::suggestions_as_json;
use rowkey_design::{CheckOptions, Design};
use serde_json::Value as Json;

/// The output of `rowkey suggest --json` for a table.
pub(crate) fn suggested(design: &Design, table: &str, options: &CheckOptions) -> Result<Json, String> {
    let suggestions = design.suggest(table, options);
    let suggestions = suggestions.ok_or_else(|| format!("{table:?} is none of the design's own tables"))?;
    serde_json::from_str(&suggestions_as_json(&suggestions)).map_err(|error| error.to_string())
}
