//! Many keys, one a line: their values as JSON.

use std::io::{BufRead, Write};
use std::ops::ControlFlow;

use rowkey::{LayoutBuf, Value};

use crate::forms::KeyForm;
use crate::lines::{Block, Blocks, SampleError, in_order};
use crate::quote::{json_text, unprintable};

/// The number of keys that were written.
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

/// Tells the values of each key of a reader, a line of JSON for each: an array, or for a key that the layout does not
/// decode an object with `error` and `key`, its bytes in hex. What follows the first tab of a line is left out.
///
/// `other` reads lines of a form that is not a [`KeyForm`].
///
/// # Errors
/// `Ok` of the first line that is no key in this form, or that cannot be read; `Err` if what is told cannot be written.
///
/// ```
/// use rowkey_design::internal::explain::stream;
/// use rowkey_design::internal::forms::KeyForm;
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
    let mut told = Told::default();
    let read = in_order(
        Blocks::of_lines(reader),
        |block| Text::of(block, form, layout),
        |text| {
            told.keys += text.told.keys;
            told.bad += text.told.bad;
            match (writer.write_all(&text.out), text.fault) {
                (Err(error), _) => ControlFlow::Break(Err(error)),
                (Ok(()), Some(fault)) => ControlFlow::Break(Ok(fault)),
                (Ok(()), None) => ControlFlow::Continue(()),
            }
        },
    );
    let stopped = match read {
        Ok(ControlFlow::Break(Err(error))) => return Err(Err(error)),
        Ok(ControlFlow::Break(Ok(fault))) | Err(fault) => Some(fault),
        Ok(ControlFlow::Continue(())) => None,
    };
    writer.flush().map_err(Err)?;
    stopped.map_or(Ok(told), |fault| Err(Ok(fault)))
}

/// The output of a block of lines.
struct Text {
    out: Vec<u8>,
    told: Told,
    /// The fault of the line after them.
    fault: Option<SampleError>,
}

impl Text {
    fn of(block: &Block, form: Result<KeyForm, ReadLine>, layout: &LayoutBuf) -> Self {
        let mut text = Self { out: Vec::new(), told: Told::default(), fault: None };
        let (mut key, mut values) = (Vec::new(), Vec::new());
        let read = block.lines(|number, line| {
            match read(line, form, layout, &mut key) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(reason) => return Err(SampleError::Form { line: number, reason }),
            }
            text.told.keys += 1;
            let out = &mut text.out;
            match layout.decode_to(&key, &mut values) {
                Ok(()) => write_all(out, b'[', &values, b']'),
                Err(error) => {
                    text.told.bad += 1;
                    out.extend(b"{\"error\":");
                    write_text(out, &error.to_string());
                    out.extend(b",\"key\":");
                    write_hex(out, &key);
                    out.push(b'}');
                }
            }
            out.push(b'\n');
            Ok(())
        });
        text.fault = read.err();
        text
    }
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
    let text = std::str::from_utf8(line).map_err(|error| format!("byte {} is not UTF-8", error.valid_up_to()))?;
    key.clear();
    form.parse_to(text, layout, key).map_err(|error| error.to_string())?;
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
            json => out.extend(json_text(&json, false).as_bytes()),
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
