//! Many keys, one a line: their values as JSON.

use std::io::{BufRead, Write};

use data_encoding::HEXLOWER_PERMISSIVE;
use rowkey::{LayoutBuf, Value};

use crate::forms::KeyForm;
use crate::quote::unprintable;
use crate::sample::SampleError;
use crate::sample::lines::Lines;

/// How many keys were told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// All.
    pub keys: u64,
    /// Those that the layout does not decode.
    pub bad: u64,
}

/// Why a stream ended early.
pub type Stopped = Result<SampleError, std::io::Error>;

/// Reads the key of a line in a form that is not a [`KeyForm`]; none if the line has no key.
pub type ReadLine = fn(&[u8]) -> Result<Option<Vec<u8>>, String>;

/// After so many bytes what is told is written.
const BUFFER: usize = 1 << 16;

/// Tells the values of each key of a reader, a line of JSON for each: an array, or for a key that the layout does not
/// decode an object with `error` and `key`, its bytes in hex. What follows the first tab of a line is left out.
///
/// `other` reads lines of a form that is not a [`KeyForm`].
///
/// # Errors
/// `Ok` of the first line that is no key in this form, or that cannot be read; `Err` if what is told cannot be written.
///
/// ```
/// use rowkey_design::explain::stream;
/// use rowkey_design::forms::KeyForm;
///
/// let mut told = Vec::new();
/// let layout = "text, u16".parse()?;
/// stream(&b"61000102\n6100\n"[..], &mut told, Ok(KeyForm::Hex), &layout).unwrap();
/// let told = String::from_utf8(told)?;
/// assert!(told.starts_with("[\"a\",\"258\"]\n{\"error\":\""), "{told}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stream(
    reader: impl BufRead,
    mut writer: impl Write,
    form: Result<KeyForm, ReadLine>,
    layout: &LayoutBuf,
) -> Result<Told, Stopped> {
    let (mut told, mut key, mut out) = (Told::default(), Vec::new(), Vec::with_capacity(2 * BUFFER));
    let mut lines = Lines::new(reader);
    let stopped = loop {
        let (number, line) = match lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => break None,
            Err(error) => break Some(error),
        };
        match read(line, form, layout, &mut key) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(reason) => break Some(SampleError::Form { line: number, reason }),
        }
        told.keys += 1;
        match layout.decode(&key) {
            Ok(values) => write_all(&mut out, b'[', &values, b']'),
            Err(error) => {
                told.bad += 1;
                out.extend(b"{\"error\":");
                write_text(&mut out, &error.to_string());
                out.extend(b",\"key\":");
                write_hex(&mut out, &key);
                out.push(b'}');
            }
        }
        out.push(b'\n');
        if out.len() >= BUFFER {
            writer.write_all(&out).map_err(Err)?;
            out.clear();
        }
    };
    writer.write_all(&out).and_then(|()| writer.flush()).map_err(Err)?;
    stopped.map_or(Ok(told), |error| Err(Ok(error)))
}

/// Reads the key of a line; false if it has none.
fn read(line: &[u8], form: Result<KeyForm, ReadLine>, layout: &LayoutBuf, key: &mut Vec<u8>) -> Result<bool, String> {
    let form = match form {
        Ok(form) => form,
        Err(other) => {
            return Ok(match other(line)? {
                Some(read) => {
                    *key = read;
                    true
                }
                None => false,
            });
        }
    };
    let line = memchr::memchr(b'\t', line).map_or(line, |tab| &line[..tab]);
    if form == KeyForm::Hex && line.len().is_multiple_of(2) {
        key.resize(line.len() / 2, 0);
        if HEXLOWER_PERMISSIVE.decode_mut(line, key).is_ok() {
            return Ok(true);
        }
    }
    let text = std::str::from_utf8(line).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    *key = form.parse(text, layout).map_err(|error| error.to_string())?;
    Ok(true)
}

/// Values as JSON, as [`Value::to_json`] writes each, without a character that a terminal would not show.
pub fn values_as_json(values: &[Value]) -> String {
    let mut out = Vec::new();
    write_all(&mut out, b'[', values, b']');
    String::from_utf8(out).unwrap_or_default()
}

fn write_all(out: &mut Vec<u8>, open: u8, values: &[Value], close: u8) {
    out.push(open);
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_value(out, value);
    }
    out.push(close);
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Unsigned(number) => write_number(out, false, *number),
        Value::Signed(number) => write_number(out, *number < 0, number.unsigned_abs()),
        Value::Bool(truth) => out.extend(if *truth { &b"true"[..] } else { b"false" }),
        Value::Text(text) | Value::Decimal(text) => write_text(out, text),
        Value::Bytes(bytes) => write_hex(out, bytes),
        Value::Instant(seconds, nanos) => {
            write_pair(out, *seconds < 0, seconds.unsigned_abs(), *nanos);
        }
        Value::Duration(duration) => write_pair(out, false, duration.as_secs(), duration.subsec_nanos()),
        Value::Option(None) => out.extend(b"null"),
        Value::Option(Some(inner)) => match &**inner {
            Value::Option(_) => write_all(out, b'[', std::slice::from_ref(inner), b']'),
            inner => write_value(out, inner),
        },
        Value::List(values) | Value::Tuple(values) => write_all(out, b'[', values, b']'),
        Value::Enum(tag, values) => {
            out.extend(format!("[{tag},").as_bytes());
            write_all(out, b'[', values, b']');
            out.push(b']');
        }
        other => match other.to_json() {
            serde_json::Value::String(text) => write_text(out, &text),
            json => out.extend(super::json_text(&json, false).as_bytes()),
        },
    }
}

fn write_pair(out: &mut Vec<u8>, negative: bool, seconds: u64, nanos: u32) {
    out.push(b'[');
    write_number(out, negative, seconds.into());
    out.push(b',');
    write_number(out, false, nanos.into());
    out.push(b']');
}

/// In quotes: JSON's own numbers are floats to many readers.
fn write_number(out: &mut Vec<u8>, negative: bool, number: u128) {
    out.push(b'"');
    if negative {
        out.push(b'-');
    }
    match u64::try_from(number) {
        Ok(small) => {
            let mut digits = [0u8; 20];
            let (mut at, mut rest) = (digits.len(), small);
            loop {
                at -= 1;
                digits[at] = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
            out.extend_from_slice(&digits[at..]);
        }
        Err(_) => out.extend(number.to_string().as_bytes()),
    }
    out.push(b'"');
}

fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    data_encoding::HEXLOWER.encode_mut(bytes, &mut out[start..]);
    out.push(b'"');
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && !matches!(byte, b'"' | b'\\');
    out.push(b'"');
    if text.as_bytes().iter().all(plain) {
        out.extend_from_slice(text.as_bytes());
    } else {
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend([b'\\', c as u8]),
                c if unprintable(c) => {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().for_each(|unit| out.extend(format!("\\u{unit:04x}").as_bytes()));
                }
                c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
    out.push(b'"');
}
