//! The regions of a table.

use std::fmt::Write as _;

use rowkey::LayoutBuf;
use serde_json::{Value as Json, json};

use super::printed;
use crate::explain::{Boundary, Regions};
use crate::quote::{hbase_binary, terminal};

/// The regions of a table for programs.
pub fn regions_as_json(regions: &Regions, layout: &LayoutBuf) -> String {
    let side = |key: &[u8]| match key {
        [] => Json::Null,
        key => {
            let mut json = Boundary::of(key, layout).to_json();
            json["shell"] = hbase_binary(key).into();
            json
        }
    };
    let list = regions.list.iter().map(|region| {
        let columns: serde_json::Map<_, _> =
            region.columns.iter().map(|(name, text)| (name.clone(), Json::String(text.clone()))).collect();
        json!({"start": side(&region.start), "end": side(&region.end), "columns": columns})
    });
    printed(&list.collect())
}

/// The regions of a table for people: their boundaries, field by field.
pub fn regions_as_text(regions: &Regions, layout: &LayoutBuf) -> String {
    let side = |key: &[u8], none: &str| match key {
        [] => none.to_owned(),
        key => format!("{}  ({})", Boundary::of(key, layout), hbase_binary(key)),
    };
    let mut text = String::new();
    for (i, region) in regions.list.iter().enumerate() {
        let columns: Vec<String> = region.columns.iter().map(|(name, text)| format!("{name} {text}")).collect();
        _ = writeln!(text, "{}", format!("region {}  {}", i + 1, terminal(&columns.join(", "))).trim_end());
        _ = writeln!(text, "  from    {}", terminal(&side(&region.start, "the first key")));
        _ = writeln!(text, "  before  {}", terminal(&side(&region.end, "the end: it has the last key")));
    }
    text
}
