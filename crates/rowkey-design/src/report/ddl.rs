//! The statements that create tables.

use serde_json::json;

use super::json::place;
use crate::ddl::{Ddl, Target};
use crate::resolve::Design;

/// The statements that create the tables of a design for programs: table by table, and the notes.
pub fn ddl_as_json(design: &Design, target: Target, ddl: &Ddl) -> String {
    let tables = ddl.tables.iter().map(|it| json!({"table": it.table, "statements": it.statements}));
    let notes = ddl.notes.iter();
    let notes = notes.map(|note| json!({"message": note.message, "place": place(&design.files, note.place)}));
    let json = json!({
        "version": 1,
        "dialect": target.word(),
        "preamble": ddl.preamble,
        "tables": tables.collect::<Vec<_>>(),
        "notes": notes.collect::<Vec<_>>(),
    });
    format!("{json:#}\n")
}
