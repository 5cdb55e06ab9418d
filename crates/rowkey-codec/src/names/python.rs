//! Python's names.

use super::{Case, Style};

/// Lists of keywords alone, and of all words that no field has for a name.
macro_rules! words {
    ($($keyword:literal)*; $($other:literal)*) => {
        /// The words that no module can have for a name.
        pub(crate) const KEYWORDS: &[&str] = &[$($keyword),*];

        const RESERVED: &[&str] = &[$($keyword,)* $($other),*];
    };
}

words! {
    "False" "None" "True" "and" "as" "assert" "async" "await" "break" "class" "continue" "def" "del" "elif"
    "else" "except" "finally" "for" "from" "global" "if" "import" "in" "is" "lambda" "nonlocal" "not" "or"
    "pass" "raise" "return" "try" "while" "with" "yield";
    "match" "case" "type"
    // What annotations and decorators in a class call, which a field's name would hide.
    "bool" "bytes" "classmethod" "cls" "dataclass" "float" "int" "rt" "self"
    "staticmethod" "str" "tuple"
}

/// Python's names: PEP 8.
pub const PYTHON: Style = Style {
    types: Case::Pascal,
    fields: Case::Snake,
    constants: Case::UpperSnake,
    modules: Case::Snake,
    is_nested: false,
    reserved: RESERVED,
    types_taken: &["Any", "ClassVar", "Enum", "Iterable", "Iterator", "TypeAlias", "TypeVar"],
    members_taken: &[
        "check_layout",
        "decode",
        "encode",
        "explain",
        "fingerprint",
        "merge",
        "mro",
        "prefix",
        "ranges",
        "ranges_by_bucket",
        "shape",
        "tag",
    ],
    modules_taken: &["runtime"],
};
