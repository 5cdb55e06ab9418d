//! Names of hostile designs: each is a name of the language, and no two of one place are alike.

use std::collections::BTreeSet;

use rowkey::LayoutBuf;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::{Codec, DeclKind, Field, Table};
use rowkey_codec::names::{GO, JAVA, PYTHON, Style};

/// Names that a design can have, besides the words of a language.
const HOSTILE: [&str; 22] = [
    "_",
    "__",
    "0",
    "1",
    "_0",
    "a-b",
    "a_b",
    "aB",
    "AB",
    "a.b",
    "A_B_2",
    "a_b_2",
    "Größe",
    "größe",
    "都市",
    "$",
    "\"",
    "*/",
    "\\u000a",
    "\u{202e}x",
    "é\u{301}",
    "encode",
];

fn table(name: &str, fields: &[&str]) -> Table {
    let shapes = ["u8", "enum{1: (u8), 2: ()}", "(u8, (text))"];
    let fields = fields.iter().zip(shapes.iter().cycle()).map(|(name, shape)| FieldBuf::new(*name, shape).unwrap());
    Table::new(LayoutBuf::of_fields(name, Lead::None, Vec::new(), fields.collect()).unwrap())
}

fn alike(names: impl IntoIterator<Item = String>, style: &Style, taken: &[&str]) {
    let mut seen: BTreeSet<String> = taken.iter().map(|name| name.to_lowercase()).collect();
    for name in names {
        assert!(!style.reserved.contains(&name.as_str()), "{name} is a word of the language");
        let mut chars = name.chars();
        assert!(chars.next().is_some_and(|char| char.is_ascii_alphabetic()), "{name:?}");
        assert!(chars.all(|char| char.is_ascii_alphanumeric() || char == '_'), "{name:?}");
        assert!(seen.insert(name.to_lowercase()), "{name} is taken");
    }
}

fn members(fields: &[Field], style: &Style) {
    alike(fields.iter().map(|field| field.ident.clone()), style, style.members_taken);
}

fn holds(style: &Style) {
    let words = [style.reserved, style.types_taken, style.members_taken, &HOSTILE].concat();
    let words = Vec::from_iter(BTreeSet::from_iter(words));
    let named = words.iter().map(|name| table(name, &["x", name, "X"]));
    let tables: Vec<Table> = named.chain([table("all", &words)]).collect();
    let codec = Codec::of(&tables, style).unwrap();
    alike(codec.keys.iter().map(|key| key.module.clone()), style, style.modules_taken);
    let mut all: Vec<String> = codec.keys.iter().map(|key| key.ident.clone()).collect();
    for key in &codec.keys {
        members(&key.fields, style);
        let mut types = key.steps.clone();
        for decl in &key.types {
            types.push(decl.ident.clone());
            match &decl.kind {
                DeclKind::Tuple(fields) => members(fields, style),
                DeclKind::Enum(variants) => {
                    types.extend(variants.iter().map(|variant| variant.ident.clone()));
                    variants.iter().for_each(|variant| members(&variant.fields, style));
                    alike(variants.iter().map(|variant| variant.constant.clone()), style, style.members_taken);
                }
            }
        }
        match style.is_nested {
            true => alike(types, style, style.types_taken),
            false => all.append(&mut types),
        }
    }
    alike(all, style, style.types_taken);
}

#[test]
fn names_of_java_are_valid() {
    holds(&JAVA);
}

#[test]
fn names_of_python_are_valid() {
    holds(&PYTHON);
}

#[test]
fn names_of_go_are_valid() {
    holds(&GO);
}

#[test]
fn no_file_has_the_name_of_a_device_of_windows() {
    let ports = (1..=9).flat_map(|n| [format!("com{n}"), format!("LPT{n}")]);
    let devices: Vec<String> = ["con", "PRN", "aux", "Nul"].map(str::to_owned).into_iter().chain(ports).collect();
    let tables: Vec<Table> = devices.iter().map(|name| table(name, &["x"])).collect();
    let lower: Vec<String> = devices.iter().map(|name| name.to_lowercase()).collect();
    for style in [&JAVA, &PYTHON, &GO] {
        for key in Codec::of(&tables, style).unwrap().keys {
            assert!(!lower.contains(&key.module.to_lowercase()), "{}", key.module);
            assert!(!style.is_nested || !lower.contains(&key.ident.to_lowercase()), "{}", key.ident);
        }
    }
}

#[test]
fn a_later_key_changes_no_name() {
    let [first, second] = [table("visits", &["a_b", "aB"]), table("Visits", &["x"])];
    let alone = Codec::of(std::slice::from_ref(&first), &PYTHON).unwrap();
    let both = Codec::of(&[first, second], &PYTHON).unwrap();
    assert_eq!(format!("{:?}", both.keys[0]), format!("{:?}", alone.keys[0]));
    let idents = |at: usize| (both.keys[at].ident.as_str(), both.keys[at].module.as_str());
    assert_eq!((idents(0), idents(1)), (("Visits", "visits"), ("Visits_2", "visits_2")));
    let fields: Vec<&str> = both.keys[0].fields.iter().map(|field| field.ident.as_str()).collect();
    assert_eq!(fields, ["a_b", "a_b_2"]);
}
