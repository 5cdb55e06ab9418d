//! Documents: how docs begin, how long the README is, and that what Markdown files name exists.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sources;

/// Words that no doc begins with: who searches for a thing types its noun.
const OPENINGS: [&str; 9] = ["What", "Who", "Whose", "How", "So", "Which", "Where", "When", "Whether"];

/// Bytes of the README at most.
const README: usize = 8000;

#[test]
fn the_readme_is_short() {
    let readme = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    assert!(readme.len() <= README, "{} bytes", readme.len());
}

fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")).filter(|text| !text.trim().is_empty())
}

/// The first lines of the paragraphs of docs that begin with one of these words.
fn openings(text: &str) -> Vec<&str> {
    let before = std::iter::once("").chain(text.lines());
    let firsts = text.lines().zip(before).filter(|(_, before)| doc(before).is_none()).filter_map(|(line, _)| doc(line));
    firsts
        .filter(|first| first.split(|c: char| !c.is_alphabetic()).next().is_some_and(|w| OPENINGS.contains(&w)))
        .collect()
}

#[test]
fn docs_begin_with_a_noun_or_a_verb() {
    assert_eq!(
        openings("/// The key.\n/// Who reads it.\n///\n/// When it is.\nfn f() {\n    //! So"),
        ["When it is.", "So"]
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["", "derive", "testkit", "testkit/bigtable", "testkit/browser", "testkit/hbase", "testkit/simulate"]
        .map(|path| root.join(path));
    for package in crates.chain(others) {
        for source in sources(&package) {
            assert_eq!(openings(&source.text), Vec::<&str>::new(), "{}/{}", package.display(), source.path);
        }
    }
}

/// The folders of the repository that documents name.
const FOLDERS: [&str; 12] =
    [".ci", "bench", "crates", "derive", "docs", "examples", "fuzz", "servers", "soak", "src", "studies", "testkit"];
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

/// The paths in code spans: words that begin with a folder of the repository, or have a folder and the ending of a
/// file. So `store/walk.rs` is read, though it is not a path from the root. Globs, placeholders and addresses are left
/// out.
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

/// The paths and links in a document that do not exist. `from` is its folder.
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
