//! Generated code.

use rowkey_codec::ir::Table;
use rowkey_codec::{Language, Package, generate};
use rowkey_design::Design;
use serde_json::{Value as Json, json};

/// The files of a package with a table's codec, and those of its rows under other keys; those files come first.
pub(crate) fn generated(design: &Design, table: &str, language: &str) -> Result<Json, String> {
    let language = language.parse::<Language>().map_err(|error| format!("{language}: {error}"))?;
    let group = design.tables.values().map(Table::of_design).find_map(|mut group| {
        let at = group.iter().position(|known| known.name() == table)?;
        // Of a table under another key it is that alone.
        Some(if at == 0 { group } else { vec![group.swap_remove(at)] })
    });
    let tables = group.ok_or_else(|| format!("there is no table {table:?}"))?;
    let package = Package::new(format!("{table} keys"));
    let files = generate(&tables, language, &package).map_err(|refusal| refusal.to_string())?;
    // What another key's package has too is the runtime, or the package's frame.
    let other = "u8".parse().map(Table::new).map_err(|error| format!("{error}"))?;
    let frame = generate(&[other], language, &package).map_err(|refusal| refusal.to_string())?;
    let (mut own, rest): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| !frame.contains(file));
    let count = own.len();
    own.extend(rest);
    let files = own.into_iter().map(|(path, text)| json!({ "path": path, "text": text }));
    Ok(json!({ "own": count, "files": files.collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of the files of a table of this design that no other package has.
    fn own(table: &str, language: &str) -> Vec<String> {
        let design = "format = 1\n[table.orders]\nkey = [\"id: u64\", \"at: u32\"]\n\
                      [[table.orders.secondary]]\nname = \"by_at\"\nkey = [\"at: u32\", \"id: u64\"]\n\
                      [[table.orders.secondary]]\nname = \"by_id\"\nkey = [\"id: u64 desc\", \"at: u32\"]\n";
        let design = Design::parse([crate::check::file(design)]).unwrap();
        let json = generated(&design, table, language).unwrap();
        let own = json["own"].as_u64().unwrap() as usize;
        json["files"].as_array().unwrap()[..own].iter().map(|file| file["path"].as_str().unwrap().into()).collect()
    }

    #[test]
    fn the_code_of_a_table_has_its_rows_under_other_keys() {
        for language in ["java", "python", "go"] {
            let files = own("orders", language).join(" ").to_lowercase().replace('_', "");
            assert!(files.contains("byat") && files.contains("byid"), "{files}");
        }
    }
}
