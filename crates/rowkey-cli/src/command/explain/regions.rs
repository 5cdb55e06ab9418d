//! The regions of a table.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use rowkey::LayoutBuf;
use rowkey_design::explain::{Boundary, json_text, regions};
use rowkey_design::quote::{hbase_binary, terminal};
use serde_json::{Value as Json, json};

use super::Args;
use crate::designs;
use crate::failure::Failure;

pub(super) fn run(args: &Args, file: &Path, layout: &LayoutBuf) -> Result<ExitCode, Failure> {
    let Some(form) = args.form.of_key() else {
        return Err(Failure::new(
            "--form line: start keys are hex, shell, go, base64 or json; list_regions needs no form",
        ));
    };
    let (name, text) = if file.as_os_str() == "-" {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
        ("standard input".to_owned(), text)
    } else {
        let file = designs::file(file)?;
        (file.name, file.text)
    };
    let regions = regions(&text, form, layout).map_err(|error| Failure::new(format!("{name}:{error}")))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let side = |key: &[u8]| match key {
            [] => Json::Null,
            key => {
                let mut json = Boundary::of(key, layout).to_json();
                json["shell"] = hbase_binary(key).into();
                json
            }
        };
        let list: Vec<Json> = regions
            .list
            .iter()
            .map(|region| {
                let columns: serde_json::Map<_, _> =
                    region.columns.iter().map(|(name, text)| (name.clone(), Json::String(text.clone()))).collect();
                json!({"start": side(&region.start), "end": side(&region.end), "columns": columns})
            })
            .collect();
        writeln!(out, "{}", json_text(&Json::Array(list), true))?;
        return Ok(ExitCode::SUCCESS);
    }
    let side = |key: &[u8], none: &str| match key {
        [] => none.to_owned(),
        key => format!("{}  ({})", Boundary::of(key, layout), hbase_binary(key)),
    };
    for (i, region) in regions.list.iter().enumerate() {
        let columns: Vec<String> = region.columns.iter().map(|(name, text)| format!("{name} {text}")).collect();
        writeln!(out, "{}", format!("region {}  {}", i + 1, terminal(&columns.join(", "))).trim_end())?;
        writeln!(out, "  from    {}", terminal(&side(&region.start, "the first key")))?;
        writeln!(out, "  before  {}", terminal(&side(&region.end, "the end: it has the last key")))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
