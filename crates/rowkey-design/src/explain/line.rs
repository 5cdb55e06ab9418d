//! The key of a row as HBase's shell and `cbt` print it.

use crate::forms::shell;

/// The key of a pasted row, or of one line of many; none if the line has no key: a heading, a cell, a count of rows.
///
/// HBase's shell prints ` key column=f:q, timestamp=…, value=…`, with the key in its own form. It breaks a long key
/// over several lines: those that follow the first, in one text, belong to it. Spaces at the end of a key are lost.
/// `cbt` prints the key's bytes as they are, on a line after one of dashes, and its cells after two spaces.
///
/// # Errors
/// If it is a line without a key that cannot be left out, and why.
///
/// ```
/// use rowkey_design::internal::explain::key_of_line;
///
/// let scan = br" a\x00\x01    column=f:q, timestamp=2026-01-31T12:00:00.000, value= column=";
/// assert_eq!(key_of_line(scan), Ok(Some(b"a\0\x01".to_vec())));
/// assert_eq!(key_of_line(b"----------------------------------------\na\x01b\n  f:q   @ 2026/01/31-12:00:00.000000\n"), Ok(Some(b"a\x01b".to_vec())));
/// assert_eq!(key_of_line(b"ROW                  COLUMN+CELL"), Ok(None));
/// ```
pub fn key_of_line(text: &[u8]) -> Result<Option<Vec<u8>>, String> {
    if let Some(at) = memchr::memmem::find(text, b" column=") {
        return of_scan(text, at).map(Some);
    }
    let mut lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let key = lines.find(|line| !left_out(line));
    let Some(key) = key else {
        return Ok(None);
    };
    if memchr::memmem::find(key, b" timestamp=").is_some() && memchr::memmem::find(key, b", value=").is_some() {
        return Err("a line of HBase's get has no key: the key is what get was given".to_owned());
    }
    Ok(Some(key.to_vec()))
}

/// Lines around keys: of `cbt` dashes and cells; of HBase's shell the heading and the count of rows.
fn left_out(line: &[u8]) -> bool {
    let counted = || {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && line[digits..].starts_with(b" row(s)")
    };
    line.is_empty()
        || line.starts_with(b"  ")
        || (line.len() >= 40 && line.iter().all(|&byte| byte == b'-'))
        || (line.starts_with(b"ROW ") && line.ends_with(b"COLUMN+CELL"))
        || (line.starts_with(b"COLUMN ") && line.ends_with(b"CELL"))
        || line.starts_with(b"Took ")
        || counted()
}

/// `at` is where the first ` column=` is. A value may have another; a key may too, and is told wrongly then.
fn of_scan(text: &[u8], at: usize) -> Result<Vec<u8>, String> {
    let start = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let column = at - start;
    let mut key = Vec::new();
    for (i, line) in text[start..].split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (cell, rest) = line.split_at(column.min(line.len()));
        let cell = cell.strip_prefix(b" ").unwrap_or(cell);
        // Then the key is over: the next cell, or the rest of a value.
        if i > 0 && (rest.starts_with(b" column=") || cell.trim_ascii().is_empty() || left_out(line)) {
            break;
        }
        key.extend_from_slice(cell);
    }
    let key = std::str::from_utf8(key.trim_ascii_end());
    let key = key.map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    shell(key).map_err(|error| error.to_string())
}
