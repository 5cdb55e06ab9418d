//! Generated code.

use rowkey_codec::ir::Table;
use rowkey_codec::{Language, Package, generate};
use rowkey_design::Design;
use serde_json::{Value as Json, json};

/// The files of a package with a table's codec; those that are of this table alone come first.
pub(crate) fn generated(design: &Design, table: &str, language: &str) -> Result<Json, String> {
    let language = language.parse::<Language>().map_err(|error| format!("{language}: {error}"))?;
    let tables: Vec<Table> = design.tables.values().flat_map(Table::of_design).collect();
    let found = tables.into_iter().find(|known| known.name() == table);
    let table = found.ok_or_else(|| format!("there is no table {table:?}"))?;
    let package = Package::new(format!("{} keys", table.name()));
    let files = generate(&[table], language, &package).map_err(|refusal| refusal.to_string())?;
    // What another key's package has too is the runtime, or the package's frame.
    let other = "u8".parse().map(Table::new).map_err(|error| format!("{error}"))?;
    let frame = generate(&[other], language, &package).map_err(|refusal| refusal.to_string())?;
    let (mut own, rest): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| !frame.contains(file));
    let count = own.len();
    own.extend(rest);
    let files = own.into_iter().map(|(path, text)| json!({ "path": path, "text": text }));
    Ok(json!({ "own": count, "files": files.collect::<Vec<_>>() }))
}
