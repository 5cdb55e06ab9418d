//! The imports of a generated file.

use super::runtime;

/// The classes of Java's library that generated code uses, `java.lang` left out.
const LIBRARY: [&str; 11] = [
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.net.InetAddress",
    "java.time.Instant",
    "java.util.ArrayList",
    "java.util.Collection",
    "java.util.Iterator",
    "java.util.List",
    "java.util.Optional",
    "java.util.UUID",
    "java.util.function.Function",
];

/// The imports of a file with this body, sorted.
pub(super) fn of(body: &str) -> String {
    let code: Vec<String> = body.lines().map(without_texts).collect();
    let is_used = |class: &str| code.iter().any(|line| has_word(line, class));
    let simple = |class: &str| class.rsplit('.').next().unwrap_or(class).to_owned();
    let of_runtime = runtime::classes().map(|class| format!("{}.{class}", runtime::PACKAGE));
    let classes = of_runtime.chain(LIBRARY.map(str::to_owned));
    let mut imports: Vec<String> = classes.filter(|class| is_used(&simple(class))).collect();
    imports.sort_unstable();
    let lines: String = imports.iter().map(|class| format!("import {class};\n")).collect();
    if lines.is_empty() { lines } else { lines + "\n" }
}

/// A line without the contents of its literals; nothing of a comment.
fn without_texts(line: &str) -> String {
    let line = line.trim_start();
    if line.starts_with('*') || line.starts_with("/*") {
        return String::new();
    }
    let mut code = String::new();
    let (mut is_text, mut is_escaped) = (false, false);
    for char in line.chars() {
        match (is_text, is_escaped, char) {
            (true, true, _) => is_escaped = false,
            (true, false, '\\') => is_escaped = true,
            (_, _, '"') => is_text = !is_text,
            (true, ..) => {}
            (false, ..) => code.push(char),
        }
    }
    code
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_ascii_alphanumeric() || char == '_');
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        !is_part(before) && before != Some('.') && !is_part(after)
    })
}
