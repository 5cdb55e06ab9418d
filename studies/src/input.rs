//! Files that are read whole.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// The text of a file, or of the sample, and what to call it; what begins as gzip is gzip, whatever its name.
pub fn text(path: Option<&Path>, sample: &[u8]) -> Result<(String, String), String> {
    let (name, text) = match path {
        Some(path) => (path.display().to_string(), std::fs::read(path).and_then(|bytes| unpacked(&bytes))),
        None => ("the sample".to_owned(), unpacked(sample)),
    };
    match text {
        Ok(text) => Ok((text, name)),
        Err(error) => Err(format!("cannot read {name}: {error}")),
    }
}

fn unpacked(mut bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(bytes).read_to_string(&mut text)?;
    } else {
        bytes.read_to_string(&mut text)?;
    }
    // A byte order mark is no part of the first line.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}
