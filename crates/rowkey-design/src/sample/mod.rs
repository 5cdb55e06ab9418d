//! Samples of keys: what a file of keys says of a table, in one pass and bounded memory.
//!
//! A sample is text, one key a line. What follows the first tab of a line is left out, but for a number right after it: the
//! bytes of the row's value. Empty lines are left out. A line that is not a key in the form that was asked for is an error;
//! a key that the layout does not decode is counted.
//!
//! Reading takes less than 64 MiB, however many keys there are, and about as long again as decoding them.

pub(crate) mod differ;
mod direction;
mod field;
mod files;
mod kept;
pub(crate) mod lines;
mod profiler;
mod spread;
mod value;

use std::io::BufRead;

use rowkey::LayoutBuf;
use rowkey::splits::Splits;

pub use self::files::{SamplePath, SampleUse};
use self::lines::Lines;
pub use self::profiler::Profiler;
use crate::forms::KeyForm;
use crate::profile::Profile;

/// After so many keys progress is told.
const STEP: u64 = 1 << 16;

/// Why a sample is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The reader failed.
    #[error("line {line}: {error}")]
    Io {
        /// The line that was read, from 1.
        line: u64,
        /// Why it failed.
        error: std::io::Error,
    },
    /// A line is too long.
    #[error("line {line}: the line has more than {most} bytes, and no key is as long; is it one key a line?")]
    Long {
        /// The line, from 1.
        line: u64,
        /// The most bytes of a line.
        most: usize,
    },
    /// A line is not a key in the form that was asked for.
    #[error("line {line}: {reason}")]
    Form {
        /// The line, from 1.
        line: u64,
        /// Why it is not.
        reason: String,
    },
}

/// Profiles the keys of a reader that are in a form. `progress` is told from time to time how many keys and bytes were
/// read, and at the end.
///
/// # Errors
/// The first line that is not a key in this form, or that cannot be read.
///
/// ```
/// use rowkey_design::forms::KeyForm;
/// use rowkey_design::sample;
///
/// let text = "[\"bonn\", \"2\"]\t120\n[\"lyon\", \"1\"]\t80\n";
/// let layout = "text, u32".parse()?;
/// let profile = sample::read(text.as_bytes(), KeyForm::Json, &layout, None, |_, _| {})?;
/// assert_eq!((profile.keys, profile.value_bytes), (2, Some(100.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    reader: impl BufRead,
    form: KeyForm,
    layout: &LayoutBuf,
    splits: Option<&Splits>,
    progress: impl FnMut(u64, u64),
) -> Result<Profile, SampleError> {
    let parse = |text: &str, key: &mut Vec<u8>| {
        *key = form.parse(text, layout).map_err(|error| error.to_string())?;
        Ok(())
    };
    read_by(reader, parse, layout, splits, progress)
}

/// As [`read`], for keys in any form: `key` turns a line into bytes that it appends, or says why it cannot.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use rowkey_design::sample;
///
/// let layout = "text raw".parse()?;
/// let plain = |line: &str, key: &mut Vec<u8>| Ok(key.extend_from_slice(line.as_bytes()));
/// let profile = sample::read_by(&b"bonn\nlyon\n"[..], plain, &layout, None, |_, _| {})?;
/// assert_eq!(profile.keys, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_by(
    reader: impl BufRead,
    mut key: impl FnMut(&str, &mut Vec<u8>) -> Result<(), String>,
    layout: &LayoutBuf,
    splits: Option<&Splits>,
    mut progress: impl FnMut(u64, u64),
) -> Result<Profile, SampleError> {
    let mut lines = Lines::new(reader);
    let mut profiler = Profiler::new(layout, splits);
    let (mut keys, mut bytes) = (0u64, Vec::new());
    while let Some((number, line)) = lines.next()? {
        let (first, rest) = match memchr::memchr(b'\t', line) {
            Some(tab) => (&line[..tab], Some(&line[tab + 1..])),
            None => (line, None),
        };
        let fault = |reason: String| SampleError::Form { line: number, reason };
        let text = std::str::from_utf8(first).map_err(|error| {
            fault(format!("byte {} is not UTF-8: keys are read as text, in hex for example", error.valid_up_to() + 1))
        })?;
        bytes.clear();
        key(text, &mut bytes).map_err(fault)?;
        profiler.add_line(number, &bytes, rest.and_then(size));
        keys += 1;
        if keys % STEP == 0 {
            progress(keys, lines.bytes());
        }
    }
    progress(keys, lines.bytes());
    Ok(profiler.finish())
}

/// The number that the second column is, if it is one.
fn size(rest: &[u8]) -> Option<u64> {
    let column = rest.split(|&byte| byte == b'\t').next()?;
    std::str::from_utf8(column).ok()?.trim().parse().ok()
}
