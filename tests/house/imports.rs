//! Imports: `keys` ← `store` ← `wide` ← `table` ← `nonblocking` ← `tools`, and the conformance suites on top; what a
//! crate may know of `rowkey`; rooms within crates; no circles of files.
//!
//! Every path that begins with `crate`, `super` or `rowkey` is read in every source file, comments and strings left
//! out. A path by a re-export of the root, such as `crate::RowKey`, is taken for the one in its wing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::{Source, code, sources};

/// The wings of `src`, from the ground up. Each imports those before it.
const WINGS: [&str; 7] = ["keys", "store", "wide", "table", "nonblocking", "tools", "conformance"];

/// What an engine, and the traits that it implements, know of keys: they are ranges of bytes.
const OF_KEYS_TO_ENGINES: [&str; 3] = ["clock", "error", "range"];
/// The parts of `store` that stand on the traits of engines, and know layouts.
const ABOVE_ENGINES: [&str; 3] = ["catalog", "error", "value"];
/// The parts of `wide` that serve every engine of wide rows, and the names of the engines in `wide`.
const FOR_WIDE_ENGINES: [&str; 2] = ["catalog", "client_filter"];
const WIDE_ENGINES: [&str; 6] = ["cells", "Cells", "CellsDatabase", "one_column", "OneColumn", "OneColumnDatabase"];
/// What the crate of an engine of plain tables imports of `rowkey`.
const TO_ENGINES: &[&str] = &["store", "error", "Error", "ErrorKind", "KeyRange", "Result"];
/// What the crate of an asynchronous engine of wide tables imports of `rowkey`.
const TO_WIDE_ENGINES: &[&str] =
    &["store", "wide", "nonblocking", "clock", "error", "Error", "ErrorKind", "KeyRange", "Result"];
/// What the design tool imports of `rowkey`: keys, split points and, of wide rows, schemas; no stores and no tables.
const TO_DESIGNS: &[&str] = &[
    "KeyRange",
    "LayoutBuf",
    "LayoutError",
    "RowKey",
    "Value",
    "ValueError",
    "foreign",
    "layout",
    "lead",
    "splits",
    "untyped",
    "wide",
];
/// The crates in `crates/`, what each may import of `rowkey`, and why no more.
const CRATES: [(&str, &[&str], &str); 11] = [
    ("rowkey-retry", &[], "it stands alone"),
    ("hbase-client", &[], "it stands alone"),
    ("rowkey-fjall", TO_ENGINES, "engines know stores and ranges of bytes alone"),
    ("rowkey-bigtable", TO_WIDE_ENGINES, "engines know stores, wide rows and ranges of bytes alone"),
    ("rowkey-hbase", TO_WIDE_ENGINES, "engines know stores, wide rows and ranges of bytes alone"),
    ("rowkey-design", TO_DESIGNS, "designs know keys, split points and schemas alone"),
    ("rowkey-simulate", TO_DESIGNS, "designs know keys, split points and schemas alone"),
    ("rowkey-codec", TO_DESIGNS, "generated code is of keys alone"),
    ("rowkey-cli", TO_DESIGNS, "designs know keys, split points and schemas alone"),
    ("rowkey-watch", &[], "counts are of regions alone"),
    ("rowkey-page", TO_DESIGNS, "designs know keys, split points and schemas alone"),
];

/// A file, code in it, and what is wrong with that.
type Broken = (&'static str, &'static str, &'static str);

/// The rooms of crates that have many, from the ground up. Each imports those before it; and imports that break this.
const ROOMS: [(&str, &[&str], &[Broken]); 3] = [
    (
        "hbase-client",
        &["pb", "sync", "time", "model", "security", "config", "rpc", "cluster", "ops", "table", "client", "protocol"],
        &[
            ("src/model/cell.rs", "use crate::ops::executor::Core;", "`model` never knows `ops`"),
            ("src/rpc/pool.rs", "fn f(table: crate::Table) {}", "`rpc` never knows `table`"),
            ("src/ops/batch/mod.rs", "use super::super::table::Table;", "`ops` never knows `table`"),
            ("src/ops/regions.rs", "use crate::protocol::GetRequest;", "`ops` never knows `protocol`"),
            ("src/attic/mod.rs", "", "is in no list of rooms"),
        ],
    ),
    (
        "rowkey-design",
        &[
            "choice",
            "problem",
            "quote",
            "profile",
            "lines",
            "format",
            "row_key_schema",
            "file",
            "design",
            "rule",
            "finding",
            "edit",
            "resolve",
            "write_cost",
            "facts",
            "row_bytes",
            "frequencies",
            "load",
            "cost",
            "drawn",
            "ddl",
            "import",
            "forms",
            "sample",
            "rules",
            "check",
            "sketch",
            "baseline",
            "suggest",
            "diff",
            "explain",
            "infer",
            "report",
            "from_key",
        ],
        &[
            ("src/rule.rs", "use crate::rules::context::Context;", "`rule` never knows `rules`"),
            ("src/finding.rs", "fn f(report: crate::Report) {}", "`finding` never knows `check`"),
            ("src/resolve/mod.rs", "use super::rules::FINDERS;", "`resolve` never knows `rules`"),
            ("src/rules/keys/h01_time_first.rs", "use crate::report::svg;", "`rules` never knows `report`"),
        ],
    ),
    (
        "rowkey-cli",
        &["args", "failure", "levels", "designs", "ask", "samples", "revision", "fix", "cluster", "command", "main"],
        &[
            ("src/failure.rs", "use crate::command::check::Args;", "`failure` never knows `command`"),
            ("src/command/man.rs", "use crate::main::usage;", "`command` never knows `main`"),
        ],
    ),
];

/// The crates no files of which import each other in a circle.
const NO_CIRCLE: [&str; 11] = [
    "rowkey-retry",
    "rowkey-fjall",
    "rowkey-bigtable",
    "hbase-client",
    "rowkey-hbase",
    "rowkey-design",
    "rowkey-simulate",
    "rowkey-codec",
    "rowkey-cli",
    "rowkey-watch",
    "rowkey-page",
];

/// The tools that other tools import.
const TO_TOOLS: [&str; 4] = ["job", "piece", "splits", "token"];

/// The module that a file of `src` is: `src/store/merge/mod.rs` is `store`, `merge`.
fn module(path: &str) -> Vec<&str> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<_> = path.split('/').collect();
    if matches!(module.last(), Some(&"mod" | &"lib")) {
        module.pop();
    }
    module
}

/// Whatever begins with `root::`, a group in braces taken apart: `crate::{a::b, c}` is `a::b` and `c`.
fn paths(code: &str, root: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&format!("{root}::")) {
        // `::rowkey::a` is `rowkey::a`; `a::super::b` is read from `a` on.
        let before = code[..at].strip_suffix("::").unwrap_or(&code[..at]);
        if !before.ends_with(|c: char| is_name(c) || c == '>') {
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

/// What a file of `rowkey` imports of it, as paths from the crate's root.
fn imports(source: &Source) -> Vec<String> {
    let code = code(&source.text);
    let mut found = own_imports(source);
    found.extend(paths(&code, "rowkey").iter().map(|path| risen(path)));
    if code.contains("rowkey as ") {
        found.push("*".to_owned());
    }
    found
}

/// What a file imports of its own crate, as paths from the crate's root.
fn own_imports(source: &Source) -> Vec<String> {
    let code = code(&source.text).replace("self::super::", "super::");
    let mut found = paths(&code, "crate");
    if code.contains("use crate as ") {
        found.push("*".to_owned());
    }
    let mut parent = module(&source.path);
    let mut up = "super".to_owned();
    while parent.pop().is_some() {
        // Inside a `mod` of the file itself `super` is the file: its paths are then read as too high, never as too low.
        let from = parent.iter().map(|name| format!("{name}::")).collect::<String>();
        found.extend(paths(&code, &up).into_iter().map(|path| format!("{from}{path}")));
        up.push_str("::super");
    }
    found.iter().map(|path| risen(path)).collect()
}

/// The path without `super` inside it: `a::b::super::c` is `a::c`.
fn risen(path: &str) -> String {
    let mut names = Vec::new();
    for name in path.split("::") {
        match name {
            "super" => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("::")
}

/// The path in the wings of what `lib.rs` and `error.rs` re-export: `RowKey` is `keys::key::RowKey`.
fn in_its_wing(path: &str) -> String {
    let is_wing = |path: &str| path.split("::").next().is_some_and(|first| WINGS.contains(&first));
    if is_wing(path) {
        return path.to_owned();
    }
    // `error` itself is a module of the root.
    let path = path.strip_prefix("error::").unwrap_or(path);
    for text in [include_str!("../../src/lib.rs"), include_str!("../../src/error.rs")] {
        let code = code(text);
        for (at, begin) in code.match_indices("pub use ") {
            let mut exports = Vec::new();
            tree("", &code[at + begin.len()..], &mut exports);
            for export in exports.iter().map(|export| export.trim_start_matches("crate::")).filter(|e| is_wing(e)) {
                let (name, rest) = path.split_once("::").map_or((path, String::new()), |(a, b)| (a, format!("::{b}")));
                if export.rsplit("::").next() == Some(name) {
                    return format!("{export}{rest}");
                }
            }
        }
    }
    path.to_owned()
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
        let path = in_its_wing(&import);
        let mut names = path.split("::");
        let (of, name) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
        let why = match WINGS.iter().position(|wing| *wing == of) {
            None => "the wing that it is in can't be read".to_owned(),
            Some(above) if above > wing => format!("`{}` never knows `{of}`", WINGS[wing]),
            Some(0) if is_engine && !OF_KEYS_TO_ENGINES.contains(&name) => "engines never know keys".to_owned(),
            Some(_) if of == "wide" && FOR_WIDE_ENGINES.contains(&part) && WIDE_ENGINES.contains(&name) => {
                format!("`{part}` never knows `{name}`")
            }
            Some(_) if of == "tools" && WINGS[wing] == "tools" && name != part && !TO_TOOLS.contains(&name) => {
                format!("`{part}` never knows `{name}`")
            }
            _ => continue,
        };
        broken.push(format!("{}: {import}: {why}", source.path));
    }
    broken
}

/// What a crate in `crates/` may not import of `rowkey`.
fn broken_in_a_crate(source: &Source, known: &[&str], why: &str) -> Vec<String> {
    let known = |path: &String| known.contains(&path.split("::").next().unwrap_or_default());
    let code = code(&source.text);
    let renamed = code.contains("rowkey as ").then(|| "*".to_owned());
    let unknown = paths(&code, "rowkey").into_iter().chain(renamed).filter(|path| !known(path));
    unknown.map(|path| format!("{}: rowkey::{path}: {why}", source.path)).collect()
}

/// What a file of a crate with rooms may not import, and why. Its tests may import all.
fn broken_in_a_room(source: &Source, rooms: &[&str], root: &str) -> Vec<String> {
    let storey = |name: &str| rooms.iter().position(|room| *room == name);
    let module = module(&source.path);
    let Some(own) = module.first().filter(|_| module.last() != Some(&"tests")) else { return Vec::new() };
    let Some(at) = storey(own) else { return vec![format!("{}: `{own}` is in no list of rooms", source.path)] };
    let source = without_tests(source);
    let mut broken = Vec::new();
    for import in own_imports(&source) {
        let first = import.split("::").next().unwrap_or_default();
        // A name that the root re-exports is in the room that it is from.
        let exported = || {
            let names = paths(root, "self");
            let path = names.iter().find(|path| path.rsplit("::").next() == Some(first))?;
            path.split("::").next().and_then(storey)
        };
        match storey(first).or_else(exported) {
            Some(of) if of <= at => {}
            Some(of) => broken.push(format!("{}: {import}: `{own}` never knows `{}`", source.path, rooms[of])),
            None => broken.push(format!("{}: {import}: the room that it is in can't be read", source.path)),
        }
    }
    broken
}

#[test]
fn rooms_stand_on_those_before_them() {
    for (name, rooms, wrong) in ROOMS {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates").join(name));
        let root = sources.iter().find(|source| matches!(&*source.path, "src/lib.rs" | "src/main.rs")).unwrap();
        let root = code(&root.text);
        for room in rooms {
            assert!(sources.iter().any(|source| module(&source.path).first() == Some(room)), "{name} has no {room}");
        }
        let broken: Vec<_> = sources.iter().flat_map(|source| broken_in_a_room(source, rooms, &root)).collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));

        for (path, text, why) in wrong {
            let source = Source { path: (*path).to_owned(), text: (*text).to_owned() };
            let broken = broken_in_a_room(&source, rooms, &root);
            assert!(!broken.is_empty() && broken.iter().all(|one| one.contains(why)), "{path}: {broken:?}");
        }
    }
}

/// The files of a crate that import each other in a circle, through others too; a file and those in its folder may.
fn in_a_circle(sources: &[Source]) -> Vec<String> {
    let modules: Vec<String> = sources.iter().map(|source| module(&source.path).join("::")).collect();
    let is_in = |path: &str, module: &str| {
        let rest = path.strip_prefix(module);
        !module.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    let imported = |at: usize| -> Vec<usize> {
        let found = own_imports(&without_tests(&sources[at]));
        let file = |path: &String| {
            let files = (0..modules.len()).filter(|&file| is_in(path, &modules[file]));
            files.max_by_key(|&file| modules[file].len()).filter(|&file| !is_in(&modules[file], &modules[at]))
        };
        found.iter().filter_map(file).collect()
    };
    let mut left: BTreeMap<usize, Vec<usize>> =
        (0..sources.len()).filter(|&at| !modules[at].is_empty()).map(|at| (at, imported(at))).collect();
    // What imports none of those left, or is imported by none of them, is in no circle.
    loop {
        let before = left.len();
        let (files, imports): (BTreeSet<usize>, BTreeSet<usize>) =
            (left.keys().copied().collect(), left.values().flatten().copied().collect());
        left.retain(|file, of_file| imports.contains(file) && of_file.iter().any(|file| files.contains(file)));
        if left.len() == before {
            return left.keys().map(|&at| sources[at].path.clone()).collect();
        }
    }
}

/// A file without the tests at its end, which may import all.
fn without_tests(source: &Source) -> Source {
    let text = source.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
    Source { path: source.path.clone(), text }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for name in NO_CIRCLE {
        let mut sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates").join(name));
        assert_eq!(in_a_circle(&sources), [""; 0], "{name}");
        let file = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        sources.push(file("src/one.rs", "use crate::two::B;"));
        sources.push(file("src/two/mod.rs", "use self::three::C;"));
        sources.push(file("src/two/three.rs", "fn f(a: crate::one::A) {}"));
        assert_eq!(in_a_circle(&sources), [""; 0], "{name}: by a file and its folder");
        sources.push(file("src/four.rs", "use super::five::E;"));
        sources.push(file("src/five.rs", "mod six { use crate::four::D; }"));
        assert_eq!(in_a_circle(&sources), ["src/four.rs", "src/five.rs"], "{name}");
    }
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
fn each_crate_imports_what_it_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let package = entry.unwrap().path();
        let name = package.file_name().unwrap();
        let known = CRATES.iter().find(|(known, ..)| name == *known);
        let (_, known, why) = known.unwrap_or_else(|| panic!("{name:?}: say here what it may import"));
        let sources = sources(&package);
        assert!(sources.len() > 3);
        let broken: Vec<_> = sources.iter().flat_map(|source| broken_in_a_crate(source, known, why)).collect();
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
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
        ("src/wide/catalog/mod.rs", "use crate::wide::Cells;", "`catalog` never knows `Cells`"),
        ("src/wide/client_filter.rs", "use super::cells::Pick;", "`client_filter` never knows `cells`"),
        ("src/keys/key.rs", "use crate::store::error::Error as E;", "`keys` never knows `store`"),
        ("src/table/scan.rs", "use crate::tools::jobs::{BulkLoad, ParallelScan};", "`table` never knows `tools`"),
        ("src/table/mod.rs", "use super::tools::splits;", "`table` never knows `tools`"),
        ("src/tools/migrate/job.rs", "use crate::tools::secondary::Token;", "`migrate` never knows `secondary`"),
        ("src/tools/migrate/mod.rs", "use super::secondary::Token;", "`migrate` never knows `secondary`"),
        ("src/tools/secondary/mod.rs", "use crate::tools::{migrate, job::Job};", "`secondary` never knows `migrate`"),
        ("src/tools/jobs/scan.rs", "use crate::conformance::store;", "`tools` never knows `conformance`"),
        // By the root's re-exports.
        ("src/store/walk.rs", "use crate::RowKey;", "engines never know keys"),
        ("src/store/walk.rs", "fn f() -> crate::layout::Layout {}", "engines never know keys"),
        ("src/store/walk.rs", "use ::rowkey::Table;", "`store` never knows `table`"),
        ("src/keys/key.rs", "use crate::error::Error;", "`keys` never knows `store`"),
        ("src/table/scan.rs", "use crate::{Table, jobs::Job};", "`table` never knows `tools`"),
        ("src/tools/migrate/job.rs", "use crate::secondary::Primary;", "`migrate` never knows `secondary`"),
        ("src/store/walk.rs", "use crate::*;", "can't be read"),
        ("src/store/walk.rs", "use crate as root;", "can't be read"),
        // `super` in odd places.
        ("src/store/merge/tree.rs", "use super::{super::super::wide::Cells, order};", "`store` never knows `wide`"),
        ("src/store/merge/tree.rs", "use self::super::super::super::wide::Cells;", "`store` never knows `wide`"),
        ("src/store/batch.rs", "mod t { use super::super::super::wide::Cells; }", "`store` never knows `wide`"),
        // After what only looks like a string or a comment.
        ("src/store/batch.rs", "let c = '\"'; let x = crate::wide::f();", "`store` never knows `wide`"),
        ("src/store/batch.rs", "let c = \"a\n b\"; let x = crate::wide::f();", "`store` never knows `wide`"),
        ("src/store/batch.rs", "let c = r#\"\\\"#; let x = crate::wide::f();", "`store` never knows `wide`"),
        ("src/store/batch.rs", "/* \" */ use crate::wide::f;", "`store` never knows `wide`"),
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
        ("src/wide/cells/key.rs", "use crate::{Error, RowKey, error::DecodeError, store::Store};"),
        (
            "src/store/walk.rs",
            "/* crate::wide */ const A: &str = r#\"\" crate::wide\"#; const B: &str = \"a\n crate::wide\";",
        ),
    ];
    for (path, text) in fine {
        assert_eq!(broken(&Source { path: path.to_owned(), text: text.to_owned() }), [""; 0], "{path}: {text}");
    }
    let engine = |text: &str| {
        broken_in_a_crate(&Source { path: "src/lib.rs".to_owned(), text: text.to_owned() }, TO_ENGINES, "")
    };
    assert_eq!(
        engine("use rowkey::store::{Batch, Store};\nuse rowkey::{Error, KeyRange};\nuse rowkey_fjall::Fjall;"),
        [""; 0]
    );
    for text in [
        "use rowkey::wide::Cells;",
        "use ::rowkey::wide::Cells;",
        "use rowkey as rk;",
        "use rowkey::{Error, RowKey};",
        "fn f<K: rowkey::OwnedKey>() {}",
    ] {
        assert_eq!(engine(text).len(), 1, "{text}");
    }
}
