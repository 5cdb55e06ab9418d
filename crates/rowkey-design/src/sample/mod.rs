//! Samples of keys: what a file of keys says of a table, in one pass and bounded memory.
//!
//! A sample is text, one key a line. What follows the first tab of a line is left out, but for a number right after it:
//! the bytes of the row's value, all cells together. They are those of values whose size the design does not say, and
//! split points of a sample divide them. Empty lines are left out. A line that is not a key in the form that was asked
//! for is an error; a key that the layout does not decode is counted.
//!
//! Reading takes less than 64 MiB, however many keys there are, and about as long again as decoding them.

pub(crate) mod differ;
mod direction;
mod field;
mod files;
pub(crate) mod kept;
mod profiler;
mod spread;
mod starts;
mod value;

use std::io::BufRead;
use std::ops::ControlFlow;

use rowkey::LayoutBuf;
use rowkey::splits::Splits;

pub use self::files::{SamplePath, SampleUse};
pub use self::profiler::Profiler;
use crate::forms::KeyForm;
pub use crate::lines::SampleError;
use crate::lines::{Block, Blocks, in_order};
use crate::profile::Profile;

/// The number of keys between reports of progress.
const STEP: u64 = 1 << 16;

/// Profiles the keys of a reader that are in a form. `progress` is told from time to time how many keys and bytes were
/// read, and at the end.
///
/// # Errors
/// The first line that is not a key in this form, or that cannot be read.
///
/// ```
/// use rowkey_design::internal::forms::KeyForm;
/// use rowkey_design::internal::sample;
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
    let parse = |text: &str, key: &mut Vec<u8>| form.parse_to(text, layout, key).map_err(|error| error.to_string());
    read_by(reader, parse, layout, splits, progress)
}

/// As [`read`], for keys in any form: `key` turns a line into bytes that it appends, or says why it cannot.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use rowkey_design::internal::sample;
///
/// let layout = "text raw".parse()?;
/// let plain = |line: &str, key: &mut Vec<u8>| Ok(key.extend_from_slice(line.as_bytes()));
/// let profile = sample::read_by(&b"bonn\nlyon\n"[..], plain, &layout, None, |_, _| {})?;
/// assert_eq!(profile.keys, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_by(
    reader: impl BufRead,
    key: impl Fn(&str, &mut Vec<u8>) -> Result<(), String> + Sync,
    layout: &LayoutBuf,
    splits: Option<&Splits>,
    progress: impl FnMut(u64, u64),
) -> Result<Profile, SampleError> {
    let mut profiler = Profiler::new(layout, splits);
    each_key(reader, key, |line, key, size| profiler.add_line(line, key, size), progress)?;
    Ok(profiler.finish())
}

/// Reads the keys of a reader, each with its line and the size of its row's value.
///
/// # Errors
/// As [`read`].
pub fn each_key(
    reader: impl BufRead,
    key: impl Fn(&str, &mut Vec<u8>) -> Result<(), String> + Sync,
    mut each: impl FnMut(u64, &[u8], Option<u64>),
    mut progress: impl FnMut(u64, u64),
) -> Result<(), SampleError> {
    let (mut keys, mut bytes) = (0u64, 0);
    let read = in_order(
        Blocks::of_lines(reader),
        |block| Keys::of(block, &key),
        |block| {
            bytes += block.read;
            let mut start = 0;
            for (line, end, size) in block.ends {
                each(line, &block.bytes[start..end], size);
                start = end;
                keys += 1;
                if keys % STEP == 0 {
                    progress(keys, bytes);
                }
            }
            block.fault.map_or(ControlFlow::Continue(()), ControlFlow::Break)
        },
    )?;
    if let ControlFlow::Break(fault) = read {
        return Err(fault);
    }
    progress(keys, bytes);
    Ok(())
}

/// The keys of a block of lines.
struct Keys {
    bytes: Vec<u8>,
    /// Each key's line, the end of its bytes, and the size of its row's value.
    ends: Vec<(u64, usize, Option<u64>)>,
    /// The bytes that were read.
    read: u64,
    /// The fault of the line after them.
    fault: Option<SampleError>,
}

impl Keys {
    fn of(block: &Block, key: impl Fn(&str, &mut Vec<u8>) -> Result<(), String>) -> Self {
        let mut keys = Self { bytes: Vec::new(), ends: Vec::new(), read: block.bytes(), fault: None };
        let read = block.lines(|number, line| {
            let (first, rest) = match memchr::memchr(b'\t', line) {
                Some(tab) => (&line[..tab], Some(&line[tab + 1..])),
                None => (line, None),
            };
            let fault = |reason: String| SampleError::Form { line: number, reason };
            let text = std::str::from_utf8(first).map_err(|error| {
                fault(format!(
                    "byte {} is not UTF-8: keys are read as text, in hex for example",
                    error.valid_up_to() + 1
                ))
            })?;
            key(text, &mut keys.bytes).map_err(fault)?;
            keys.ends.push((number, keys.bytes.len(), rest.and_then(size)));
            Ok(())
        });
        keys.fault = read.err();
        keys
    }
}

/// The number that the second column is, if it is one.
fn size(rest: &[u8]) -> Option<u64> {
    let column = rest.split(|&byte| byte == b'\t').next()?;
    std::str::from_utf8(column).ok()?.trim().parse().ok()
}
