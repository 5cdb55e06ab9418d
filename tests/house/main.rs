//! The house: imports, public enums and documents of all crates.

mod documents;
mod enums;
mod imports;

use std::fs;
use std::path::Path;

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

/// The text without comments, and without the insides of strings and of characters.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let up_to = |end: &str| rest.find(end).map_or(rest.len(), |at| at + end.len());
        let is_name = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let len = match c {
            '/' if rest.starts_with("//") => up_to("\n") - 1,
            '/' if rest.starts_with("/*") => up_to("*/"),
            'r' if (!is_name || code.ends_with('b')) && rest[1 + hashes..].starts_with('"') => {
                2 + hashes + rest[2 + hashes..].find(&format!("\"{}", "#".repeat(hashes))).unwrap() + 1 + hashes
            }
            '\'' if rest.starts_with("'\"'") => 3,
            '\'' if rest.starts_with("'\\") => 2 + rest[3..].find('\'').unwrap() + 2,
            '"' => {
                let mut chars = rest.char_indices().skip(1);
                loop {
                    match chars.next().unwrap() {
                        (_, '\\') => drop(chars.next()),
                        (at, '"') => break at + 1,
                        _ => {}
                    }
                }
            }
            c => {
                code.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[len.max(1)..];
    }
    code
}
