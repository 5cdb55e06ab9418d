//! Public enums: they may grow, or a reason is given.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{code, sources};

/// Public enums without `#[non_exhaustive]`: the folder and the names of each, and why a match on it needs no other arm.
const CLOSED: [(&str, &[&str], &str); 16] = [
    ("src/keys", &["FieldSpan"], "is hidden: the derive's code has it"),
    ("src/keys", &["Lead"], "is the format of layouts: who reads one cannot pass over what keys begin with"),
    ("src/keys", &["Nulls"], "a field has two ends"),
    (
        "src/keys/foreign",
        &["Case", "Endian", "Order"],
        "letters have two cases and bytes two orders; values sort right, the other way round, or not",
    ),
    ("src/store", &["Access"], "a value is read or written"),
    ("src/store", &["OpenMode", "Write"], "an engine has to do each"),
    ("src/store", &["Step"], "the caller of a merge has to do each"),
    ("src/wide", &["Change", "Edit"], "an engine has to do each"),
    ("src/wide/cells", &["Entry", "Kind"], "is the format of stored keys"),
    ("src/tools", &["Reading"], "a migration has two tables, and its program reads the one that it is told"),
    ("", &["Compare"], "an order has no other comparison"),
    ("crates/hbase-client/src", &["IfMissing", "Protection"], "is a bool of HBase, or the three of SASL"),
    (
        "crates/hbase-client/src/pb",
        &[
            "CompactionState",
            "CompareType",
            "Durability",
            "LockStatus",
            "LockType",
            "MutationType",
            "Operator",
            "RegionSpecifierType",
            "State",
        ],
        "is generated, and private",
    ),
    (
        "crates/rowkey-design/src",
        &["Balancer", "Columns", "CostLevel", "OrderFit", "Shape", "Size", "Skew", "Styles", "Width", "WriteOrder"],
        "is hidden: the program has to do each",
    ),
    (
        "crates/rowkey-codec/src",
        &[
            "Beginning",
            "Case",
            "DatePart",
            "DeclKind",
            "End",
            "Form",
            "HashFunction",
            "IntForm",
            "Lead",
            "Order",
            "Ordered",
            "Radix",
            "SaltHash",
            "Taken",
            "TextEnd",
            "Type",
        ],
        "an emitter has to do each",
    ),
    ("crates/rowkey-simulate/src", &["Line", "Op", "SplitPolicy"], "a simulated cluster has to do each"),
];

/// The public enums of a text that are not `#[non_exhaustive]`. Those that a macro declares are read in the macro.
fn exhaustive(text: &str) -> Vec<String> {
    let code = code(text);
    let mut found = Vec::new();
    for (at, enum_) in code.match_indices("pub enum ") {
        let before = &code[..at];
        let name: String = code[at + enum_.len()..].chars().take_while(|c| !" <{".contains(*c)).collect();
        let item = before.lines().rev().find(|line| line.starts_with(char::is_alphabetic)).unwrap_or_default();
        let attributes = before.rsplit(['{', '}', ';']).next().unwrap_or_default();
        let is_in_a_call = before.ends_with(' ') && item.ends_with("! {")
            || before[..before.len() - attributes.len()].ends_with("! {");
        let is_declared = is_in_a_call || name.contains(':');
        if !is_declared && !attributes.contains("#[non_exhaustive]") {
            found.push(name);
        }
    }
    found
}

#[test]
fn public_enums_may_grow_unless_a_reason_is_given() {
    let text = "pub enum A { B }\n/// #[non_exhaustive]\n#[derive(C)]\npub enum D<'d> {}\n#[non_exhaustive]\n#[derive(C)]\n\
        pub enum E {}\nmacro_rules! words {\n    (pub enum $name:ident) => {\n        pub enum $name {}\n    }\n}\n\
        words! {\n    pub enum F {}\n    pub enum G {}\n}\npub(crate) enum H {}\npub mod h {\n    pub enum I {}\n}";
    assert_eq!(exhaustive(text), ["A", "D", "$name", "I"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let mut left: BTreeSet<_> =
        CLOSED.iter().flat_map(|(folder, names, _)| names.iter().map(move |name| (*folder, *name))).collect();
    for package in crates.chain(["", "derive"].map(|path| root.join(path))) {
        for source in sources(&package) {
            let path = package.join(&source.path);
            let path = path.strip_prefix(root).unwrap();
            for name in exhaustive(&source.text) {
                let known = CLOSED.iter().find(|(at, names, _)| path.starts_with(at) && names.contains(&&*name));
                let (folder, ..) = known.unwrap_or_else(|| {
                    panic!("{}: `{name}` is not #[non_exhaustive]: if it can never grow, say here why", path.display())
                });
                left.retain(|closed| *closed != (*folder, &*name));
            }
        }
    }
    assert!(left.is_empty(), "no such enum, or it is #[non_exhaustive]: {left:?}");
}
