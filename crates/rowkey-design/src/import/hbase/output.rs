//! The lines that HBase's shell prints around a description.

use super::super::of_shell;
use super::columns::Heading;
use super::joined::Line;

/// The line of `get_splits` before the split points: the number of regions, one more than there are points.
pub(super) const COUNTED: &str = "Total number of splits = ";

/// True if a line is of no description: a prompt, the end of an output, the beginning of another.
pub(super) fn is_outside(line: &Line<'_>) -> bool {
    let text = line.text.trim();
    let rows = text.split_once(" row(s)").map(|(number, _)| number);
    rows.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        // The beginning of what the shell returns may be a part of a description.
        || of_shell(line.text) && !text.starts_with("=> ")
        || command(line.text).is_some()
        || text.starts_with(COUNTED)
        || ["QUOTAS", "Quota is disabled"].contains(&text)
        || Heading::of(text).is_some()
        || state_line(&[Line { at: 0, text }]).is_some()
}

/// True of the line between a table's attributes and its families.
pub(super) fn heads_families(line: &Line<'_>) -> bool {
    line.text.trim_start().starts_with("COLUMN FAMILIES")
}

/// True if the options of a family begin here, or a table of HBase 0.9.
pub(super) fn begins_family(text: &str) -> bool {
    let key = text.strip_prefix('{').map(str::trim_start).and_then(|text| text.strip_prefix("NAME"));
    key.and_then(|rest| rest.trim_start().strip_prefix("=>")).is_some_and(|value| value.trim_start().starts_with('\''))
}

pub(super) fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The shell's prompt, and the command after it.
pub(super) fn prompted(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("hbase")?;
    let (prompt, command) = rest.split_at_checked(rest.find(['>', '*'])? + 1)?;
    prompt.bytes().all(|byte| byte.is_ascii_digit() || b"(main):>*".contains(&byte)).then_some(command)
}

/// A command after the shell's prompt, or one that it repeats without: on a name in quotes.
pub(super) fn command(line: &str) -> Option<&str> {
    const COMMANDS: &[&str] = &["create ", "alter ", "describe ", "desc ", "get_splits ", "put ", "disable ", "drop "];
    let text = line.trim_start();
    let named = COMMANDS.iter().find_map(|command| text.strip_prefix(command)).map(str::trim_start);
    prompted(line).or_else(|| named.is_some_and(|name| name.starts_with(['\'', '"'])).then_some(text))
}

/// Reads `Table t is ENABLED`, which a narrow terminal breaks. Returns the name, and how many lines it is.
pub(super) fn state_line(lines: &[Line<'_>]) -> Option<(String, usize)> {
    const STATES: &[&str] = &["ENABLED", "DISABLED", "ENABLING", "DISABLING"];
    let first = lines.first()?.text.trim().strip_prefix("Table ")?;
    let mut words = first.split_whitespace();
    let name = words.next()?;
    // Each word is whole, or the line breaks in it.
    let begins = |word: Option<&str>, of: &[&str]| word.is_none_or(|word| of.iter().any(|of| of.starts_with(word)));
    if !(begins(words.next(), &["is"]) && begins(words.next(), STATES) && words.next().is_none()) {
        return None;
    }
    let mut all = String::new();
    for (i, line) in lines.iter().enumerate().take(16) {
        let text = if i == 0 { first } else { line.text.trim() };
        if text.is_empty() || text.contains(['{', '\'']) {
            return None;
        }
        all.extend(text.split_whitespace());
        let before = STATES.iter().find_map(|state| all.strip_suffix(state));
        if let Some(whole) = before.and_then(|before| before.strip_suffix("is")).filter(|name| !name.is_empty()) {
            return (i > 0 || whole == name).then(|| (whole.to_owned(), i + 1));
        }
    }
    None
}

/// The bytes of a key as HBase prints it.
pub(super) fn binary(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(&first) = rest.as_bytes().first() {
        let escaped = rest.strip_prefix("\\x").and_then(|hex| hex.get(..2));
        if let Some(byte) = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = &rest[4..];
        } else if (b' '..=b'~').contains(&first) {
            bytes.push(first);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(bytes)
}
