//! The house: what imports what. `keys` ← `store` ← `wide` ← `table` ← `tools`, and the conformance suites on top.
//!
//! Every path that begins with `crate` or `super` is read in every source file, comments left out, and so is every path into
//! `rowkey` in an engine's crate. The paths and links in the Markdown files are read too: each must exist.

use std::fs;
use std::path::{Path, PathBuf};

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

/// The folders of the repository that documents name.
const FOLDERS: [&str; 10] =
    ["bench", "crates", "derive", "docs", "examples", "fuzz", "soak", "src", "studies", "testkit"];
/// Files with these endings are named by their path from the repository's root.
const ENDINGS: [&str; 6] = [".md", ".rs", ".svg", ".toml", ".tsv", ".txt"];

/// The Markdown files under a folder, without those of builds and of hidden folders.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// A document's text without its blocks of code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths in code spans: words that begin with a folder of the repository, or have a folder and the ending of a file.
/// So `store/walk.rs` is read, though it is not a path from the root. Globs, placeholders and addresses are left out.
fn named_paths(prose: &str) -> Vec<&str> {
    let spans = prose.split('`').skip(1).step_by(2);
    let words = spans.flat_map(str::split_whitespace).filter(|word| {
        let (folder, rest) = word.split_once('/').unwrap_or_default();
        word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
            && !folder.is_empty()
            && (FOLDERS.contains(&folder) || folder == "tests" || ENDINGS.iter().any(|ending| rest.ends_with(ending)))
    });
    words.collect()
}

/// The targets of links that are not addresses and not items of rustdoc: `docs/merge.md#merge`, `#wide-rows`.
fn links(prose: &str) -> Vec<&str> {
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("::") && !target.contains("//")).collect()
}

/// The anchors of a document's headings, as code hosts make them.
fn anchors(text: &str) -> Vec<String> {
    let prose = prose(text);
    let headings = prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings.map(|heading| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")).collect()
}

/// What a document names that does not exist. `from` is its folder.
fn missing(root: &Path, from: &Path, text: &str) -> Vec<String> {
    let prose = prose(text);
    let paths = named_paths(&prose).into_iter().filter(|path| !root.join(path).exists());
    let mut missing: Vec<_> = paths.map(|path| format!("there is no `{path}`")).collect();
    for link in links(&prose) {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = from.join(path);
        let there = anchor.is_empty() || {
            let of_another = (!path.is_empty()).then(|| fs::read_to_string(&target).unwrap_or_default());
            anchors(of_another.as_deref().unwrap_or(text)).iter().any(|known| known == anchor)
        };
        if !target.exists() || !there {
            missing.push(format!("a link leads nowhere: {link}"));
        }
    }
    missing
}

#[test]
fn documents_name_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents_found = Vec::new();
    documents(root, &mut documents_found);
    let (mut broken, mut paths_read, mut links_read) = (Vec::new(), 0, 0);
    for path in &documents_found {
        let text = fs::read_to_string(path).unwrap();
        paths_read += named_paths(&prose(&text)).len();
        links_read += links(&prose(&text)).len();
        let missing = missing(root, path.parent().unwrap(), &text);
        broken
            .extend(missing.into_iter().map(|what| format!("{}: {what}", path.strip_prefix(root).unwrap().display())));
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(paths_read > 30 && links_read > 50, "{paths_read} paths and {links_read} links were read");
}

#[test]
fn what_a_document_names_wrongly_is_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = root.join("docs");
    let of = |text: &str| missing(root, &docs, text);
    let fine = [
        "`src/store/walk.rs`, `tests/golden/`, `cargo run --manifest-path soak/Cargo.toml`, `tests/under_load`",
        "[Merge](merge.md#measurements-of-the-merge), [here](#a-heading-of-it)\n\n## A heading, of it",
        "[an item](crate::Table), [an address](https://example.org/nowhere.md)",
        "```text\n`src/nowhere.rs` [nowhere](nowhere.md)\n```",
        "`and/or`, `text/html`, `src/*.rs`, `PATH/TO/CHECKOUT`, `.rs`",
    ];
    for text in fine {
        assert_eq!(of(text), [""; 0], "{text}");
    }
    let wrong = [
        "`src/nowhere.rs`",
        "as `store/walk.rs` says",
        "`cargo run --manifest-path nowhere/Cargo.toml`",
        "`tests/nowhere`",
        "[nowhere](nowhere.md)",
        "[a folder up](docs/merge.md)",
        "[Merge](merge.md#nowhere)",
        "[here](#nowhere)",
    ];
    for text in wrong {
        assert_eq!(of(text).len(), 1, "{text}: {:?}", of(text));
    }
}
