//! The output of `cbt ls TABLE`: families and when their cells are garbage.

use super::draft::{Draft, Family};
use super::garbage::{HELP, Kept, Policy, Said};
use super::{Reading, lines};

pub(super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    let Some(name) = name else {
        reading.problem(0..0, "`cbt ls TABLE` does not print the table's name", "give the name");
        return Vec::new();
    };
    let mut draft = Draft { name: name.to_owned(), ..Draft::default() };
    draft.comments.push("cbt ls prints no split points".to_owned());
    let mut lines = lines(text).skip_while(|(_, line)| !line.starts_with("Family Name")).peekable();
    if lines.next().is_none() {
        return Vec::new();
    }
    for (start, line) in lines {
        // The columns are padded with tabs; a line of dashes is below their names.
        let mut columns = line.split('\t').filter(|column| !column.is_empty());
        let Some(family) = columns.next().filter(|family| !family.chars().all(|c| c == '-')) else { continue };
        let mut family = Family::new(family);
        let kept = columns.next().map(str::trim).filter(|policy| !["", "{}", "<never>"].contains(policy));
        let at = start..start + line.len();
        match kept.map_or(Ok(Kept::default()), |text| Kept::of(&policy(text, 0)?)) {
            Ok(kept) => kept.say(&mut family),
            Err(reason) => reading.problem(at, format!("a design cannot say this policy: {reason}"), HELP),
        }
        draft.families.push(family);
    }
    vec![draft]
}

/// Reads `age() > 1d`, `versions() > 3`, `(A || B)`, `(A && B)`, where A may be in parentheses again.
fn policy(text: &str, depth: usize) -> Said<Policy> {
    let parts = |separator| Some(top(inside(text)?, separator)).filter(|parts| parts.len() > 1 && depth < 8);
    let read = |parts: Vec<&str>| parts.into_iter().map(|part| policy(part, depth + 1)).collect::<Said<_>>();
    if let Some(parts) = parts(" || ") {
        return Ok(Policy::Any(read(parts)?));
    }
    if let Some(parts) = parts(" && ") {
        return Ok(Policy::All(read(parts)?));
    }
    match text.strip_prefix("age() > ") {
        Some(age) => duration(age).map(Policy::Age),
        None => versions(text).map(Policy::Versions),
    }
}

fn inside(policy: &str) -> Option<&str> {
    policy.strip_prefix('(')?.strip_suffix(')')
}

/// The parts between separators that are in no parentheses.
fn top<'p>(policy: &'p str, separator: &str) -> Vec<&'p str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (i, byte) in policy.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && i >= start && policy.as_bytes()[i..].starts_with(separator.as_bytes()) => {
                parts.push(&policy[start..i]);
                start = i + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&policy[start..]);
    parts
}

fn versions(part: &str) -> Said<u32> {
    let number = part.strip_prefix("versions() > ").and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("{part:?} is neither an age nor a number of versions"))
}

/// In milliseconds. A number without unit is of microseconds.
fn duration(text: &str) -> Said<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: Option<u64> = number.parse().ok();
    let millis = match unit {
        "d" => number.and_then(|days| days.checked_mul(86_400_000)),
        "h" => number.and_then(|hours| hours.checked_mul(3_600_000)),
        "m" => number.and_then(|minutes| minutes.checked_mul(60_000)),
        "" => number.filter(|micros| micros.is_multiple_of(1000)).map(|micros| micros / 1000),
        _ => None,
    };
    millis.ok_or_else(|| format!("{text:?} is not an age"))
}
