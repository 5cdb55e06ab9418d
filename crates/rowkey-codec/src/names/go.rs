//! Go's names.

use super::{Case, Style};

/// Go's names: all exported, in one package.
pub const GO: Style = Style {
    types: Case::Pascal,
    fields: Case::Pascal,
    constants: Case::Pascal,
    modules: Case::Flat,
    is_nested: false,
    reserved: &[
        "break",
        "case",
        "chan",
        "const",
        "continue",
        "default",
        "defer",
        "else",
        "fallthrough",
        "for",
        "func",
        "go",
        "goto",
        "if",
        "import",
        "interface",
        "map",
        "package",
        "range",
        "return",
        "select",
        "struct",
        "switch",
        "type",
        "var",
    ],
    types_taken: &[],
    members_taken: &["Encode", "AppendTo", "Decode", "Explain", "String"],
    modules_taken: &["runtime", "internal", "vendor", "main", "test", "con", "prn", "aux", "nul"],
};
