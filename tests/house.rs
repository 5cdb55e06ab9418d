//! The house: what imports what. `keys` ← `store` ← `wide` ← `table` ← `tools`, and the conformance suites on top.
//!
//! Every path that begins with `crate` or `super` is read in every source file, comments left out, and so is every path into
//! `rowkey` in an engine's crate.

use std::fs;
use std::path::Path;

/// The wings of `src`, from the ground up. Each imports those before it.
const WINGS: [&str; 6] = ["keys", "store", "wide", "table", "tools", "conformance"];

/// What an engine, and the traits that it implements, know of keys: they are ranges of bytes.
const OF_KEYS_TO_ENGINES: [&str; 3] = ["clock", "error", "range"];
/// The parts of `store` that stand on the traits of engines, and know layouts.
const ABOVE_ENGINES: [&str; 3] = ["catalog", "error", "value"];
/// What the crate of an engine of plain tables imports of `rowkey`.
const TO_ENGINE_CRATES: [&str; 6] = ["store", "error", "Error", "ErrorKind", "KeyRange", "Result"];

/// The tools that other tools import.
const TO_TOOLS: [&str; 3] = ["job", "splits", "token"];

/// A source file: its path from the package's folder, and its text.
struct Source {
    path: String,
    text: String,
}

fn sources(package: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![package.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(package).unwrap().components();
                let path = path.map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/");
                found.push(Source { path, text });
            }
        }
    }
    found
}

/// The module that a file of `src` is: `src/store/merge/mod.rs` is `store`, `merge`.
fn module(path: &str) -> Vec<&str> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<_> = path.split('/').collect();
    if matches!(module.last(), Some(&"mod" | &"lib")) {
        module.pop();
    }
    module
}

/// The text without comments and without the insides of strings of a line.
fn code(text: &str) -> String {
    let of_line = |line: &str| {
        let mut quoted = false;
        let mut code = String::new();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if quoted => drop(chars.next()),
                '"' => quoted = !quoted,
                '/' if !quoted && chars.peek() == Some(&'/') => break,
                c if !quoted => code.push(c),
                _ => {}
            }
        }
        code
    };
    text.lines().map(of_line).collect::<Vec<_>>().join("\n")
}

/// Whatever begins with `root::`, a group in braces taken apart: `crate::{a::b, c}` is `a::b` and `c`.
fn paths(code: &str, root: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("{root}::")) {
        if !code[..at].ends_with(|c: char| is_name(c) || c == ':') {
            tree("", &code[at + root.len() + 2..], &mut found);
        }
    }
    found
}

/// One path, or a group of them, and how long its text is.
fn tree(before: &str, text: &str, found: &mut Vec<String>) -> usize {
    let Some(group) = text.strip_prefix('{') else {
        let len = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
        let path = format!("{before}{}", &text[..len]);
        if !path.ends_with("::") {
            found.push(path);
            return len;
        }
        return match text[len..].chars().next() {
            Some('{') => len + tree(&path, &text[len..], found),
            _ => {
                found.push(path.trim_end_matches(':').to_owned());
                len
            }
        };
    };
    let mut at = 0;
    while let Some(next) = group[at..].find(|c: char| !c.is_whitespace() && c != ',') {
        at += next;
        if group[at..].starts_with('}') {
            return at + 2;
        }
        at += tree(before, &group[at..], found);
        // `as Name` after a path.
        at += group[at..].find([',', '}']).unwrap_or(group.len() - at);
    }
    text.len()
}

/// What a file of `rowkey` imports, as paths from the crate's root.
fn imports(source: &Source) -> Vec<String> {
    let code = code(&source.text);
    let mut found = paths(&code, "crate");
    let mut parent = module(&source.path);
    let mut up = "super".to_owned();
    while parent.pop().is_some() {
        // Inside a `mod` of the file itself `super` is the file: its paths are then read as too high, never as too low.
        let from = parent.iter().map(|name| format!("{name}::")).collect::<String>();
        found.extend(paths(&code, &up).into_iter().map(|path| format!("{from}{path}")));
        up.push_str("::super");
    }
    found
}

/// What a file of `rowkey` may not import, and why.
fn broken(source: &Source) -> Vec<String> {
    let module = module(&source.path);
    let Some(wing) = module.first().and_then(|first| WINGS.iter().position(|wing| wing == first)) else {
        return Vec::new();
    };
    let part = module.get(1).copied().unwrap_or_default();
    let is_engine = WINGS[wing] == "store" && !ABOVE_ENGINES.contains(&part);
    let mut broken = Vec::new();
    for import in imports(source) {
        let mut names = import.split("::");
        let (of, name) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let why = match WINGS.iter().position(|wing| *wing == of) {
            Some(above) if above > wing => format!("`{}` never knows `{of}`", WINGS[wing]),
            Some(0) if is_engine && !OF_KEYS_TO_ENGINES.contains(&name) => "engines never know keys".to_owned(),
            Some(4) if WINGS[wing] == "tools" && name != part && !TO_TOOLS.contains(&name) => {
                format!("`{part}` never knows `{name}`")
            }
            _ => continue,
        };
        broken.push(format!("{}: {import}: {why}", source.path));
    }
    broken
}

/// What an engine's crate may not import of `rowkey`.
fn broken_in_an_engine(source: &Source) -> Vec<String> {
    let known = |path: &String| TO_ENGINE_CRATES.contains(&path.split("::").next().unwrap_or_default());
    let unknown = paths(&code(&source.text), "rowkey").into_iter().filter(|path| !known(path));
    unknown
        .map(|path| format!("{}: rowkey::{path}: engines know stores and ranges of bytes alone", source.path))
        .collect()
}

#[test]
fn imports_run_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(root);
    for wing in WINGS {
        let read: usize = sources
            .iter()
            .filter(|source| module(&source.path).first() == Some(&wing))
            .map(|source| imports(source).len())
            .sum();
        assert!(wing == "keys" || read > 10, "{wing}: {read} imports were read");
    }
    let broken: Vec<_> = sources.iter().flat_map(broken).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn engines_know_stores_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(&root.join("crates/rowkey-fjall"));
    assert!(sources.len() > 3);
    let broken: Vec<_> = sources.iter().flat_map(broken_in_an_engine).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn each_never_is_seen_where_it_is_broken() {
    let cases = [
        ("src/store/batch.rs", "use crate::keys::key::RowKey;", "engines never know keys"),
        ("src/store/walk.rs", "fn f(range: crate::keys::prefix::Selection) {}", "engines never know keys"),
        (
            "src/store/mod.rs",
            "use crate::{\n    keys::{range::KeyRange, layout::Layout},\n};",
            "engines never know keys",
        ),
        ("src/store/memory.rs", "use crate::wide::Cells;", "`store` never knows `wide`"),
        ("src/store/merge/tree.rs", "use super::super::super::wide::Cells;", "`store` never knows `wide`"),
        ("src/keys/key.rs", "use crate::store::error::Error as E;", "`keys` never knows `store`"),
        ("src/table/scan.rs", "use crate::tools::jobs::{BulkLoad, ParallelScan};", "`table` never knows `tools`"),
        ("src/table/mod.rs", "use super::tools::splits;", "`table` never knows `tools`"),
        ("src/tools/migrate/job.rs", "use crate::tools::secondary::Token;", "`migrate` never knows `secondary`"),
        ("src/tools/migrate/mod.rs", "use super::secondary::Token;", "`migrate` never knows `secondary`"),
        ("src/tools/secondary/mod.rs", "use crate::tools::{migrate, job::Job};", "`secondary` never knows `migrate`"),
        ("src/tools/jobs/scan.rs", "use crate::conformance::store;", "`tools` never knows `conformance`"),
    ];
    for (path, text, why) in cases {
        let seen = broken(&Source { path: path.to_owned(), text: text.to_owned() });
        assert!(!seen.is_empty() && seen.iter().all(|line| line.ends_with(why)), "{path}: {text}: {seen:?}");
    }
    let fine = [
        (
            "src/store/walk.rs",
            "use crate::keys::range::{Cut, KeyRange};\n// crate::wide::Cells\nconst A: &str = \"crate::wide\";",
        ),
        ("src/store/catalog/mod.rs", "use crate::keys::layout::Layout;"),
        ("src/tools/jobs/typed.rs", "use crate::tools::splits::Splits;\nuse super::scan::ParallelScan;"),
        ("src/tools/migrate/job.rs", "use super::{Migration, phase};\nuse crate::tools::job::Job;"),
        ("src/wide/cells/read.rs", "use super::super::row::Row;"),
    ];
    for (path, text) in fine {
        assert_eq!(broken(&Source { path: path.to_owned(), text: text.to_owned() }), [""; 0], "{path}: {text}");
    }
    let engine = |text: &str| broken_in_an_engine(&Source { path: "src/lib.rs".to_owned(), text: text.to_owned() });
    assert_eq!(
        engine("use rowkey::store::{Batch, Store};\nuse rowkey::{Error, KeyRange};\nuse rowkey_fjall::Fjall;"),
        [""; 0]
    );
    for text in ["use rowkey::wide::Cells;", "use rowkey::{Error, RowKey};", "fn f<K: rowkey::OwnedKey>() {}"] {
        assert_eq!(engine(text).len(), 1, "{text}");
    }
}
