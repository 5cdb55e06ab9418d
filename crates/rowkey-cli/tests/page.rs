//! The page to try rowkey, beside the program: the same map, and the same code.

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::program::rowkey;

/// The designs of the case studies, which the page has as examples too.
fn designs() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs");
    let paths = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut designs: Vec<PathBuf> = paths.filter(|path| path.to_str().unwrap().ends_with(".rowkey.toml")).collect();
    designs.sort();
    assert!(designs.len() > 3, "{designs:?}");
    designs.into_iter().map(|path| (path.canonicalize().unwrap(), fs::read_to_string(&path).unwrap())).collect()
}

fn page(question: &Json) -> Json {
    let answered: Json = serde_json::from_str(&rowkey_page::answer(&question.to_string())).unwrap();
    assert_eq!(answered["fault"], Json::Null, "{question}");
    answered
}

#[test]
fn the_map_is_that_of_check() {
    let folder = tempfile::tempdir().unwrap();
    for (path, design) in designs() {
        // The page has no files: a design with samples has another map there.
        if design.contains("sample") {
            continue;
        }
        let map = page(&json!({ "ask": "map", "design": design, "today": "2026-01-31" }));
        let map = map["html"].as_str().unwrap();
        let run = rowkey(
            folder.path(),
            &["check", path.to_str().unwrap(), "--today", "2026-01-31", "--html", "map.html"],
            b"",
        );
        assert!(run.status.is_some_and(|status| status < 2), "{}{}", run.out, run.err);
        let html = fs::read_to_string(folder.path().join("map.html")).unwrap();
        assert!(map.contains("<svg") && html.contains(map), "{path:?}: {map}");
    }
}

#[test]
fn the_code_is_that_of_codec() {
    let mut compared = 0;
    // Each takes seconds.
    for (path, design) in designs().into_iter().step_by(5) {
        let checked = page(&json!({ "ask": "check", "design": design, "today": "2026-01-31" }));
        for table in checked["tables"].as_array().unwrap().iter().take(1) {
            let table = table["name"].as_str().unwrap();
            for language in ["java", "python", "go"] {
                let folder = tempfile::tempdir().unwrap();
                let package = format!("{table} keys");
                let args = ["codec", path.to_str().unwrap(), table, "--lang", language, "--package", &package];
                let run = rowkey(folder.path(), &[&args[..], &["--out", "out"]].concat(), b"");
                let question = json!({ "ask": "code", "design": design, "table": table, "language": language });
                if run.status != Some(0) {
                    let answered = rowkey_page::answer(&question.to_string());
                    assert!(answered.contains("fault"), "{path:?}, {language}: {}", run.err);
                    continue;
                }
                let answered = page(&question);
                let of_page: BTreeMap<String, String> =
                    serde_json::from_value(answered["files"].as_array().unwrap().iter().map(pair).collect()).unwrap();
                assert_eq!(of_page, written(&folder.path().join("out")), "{path:?}, {table}, {language}");
                compared += 1;
            }
        }
    }
    assert!(compared > 5, "{compared}");
}

fn pair(file: &Json) -> (String, Json) {
    (file["path"].as_str().unwrap().to_owned(), file["text"].clone())
}

/// The files below a folder, but for the list of them.
fn written(folder: &Path) -> BTreeMap<String, String> {
    let mut open = vec![folder.to_owned()];
    let mut files = BTreeMap::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|file| file.unwrap().path()));
        } else if path.file_name().unwrap() != ".rowkey-codec" {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    files
}
