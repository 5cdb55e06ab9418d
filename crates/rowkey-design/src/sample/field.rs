//! The profile of one field.

use std::collections::HashMap;

use fastrand::Rng;
use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey::{LayoutBuf, Value};

use super::direction::Front;
use super::spread::{Spread, Values};
use super::value::hash;
use crate::profile::FieldProfile;

/// The number of frequent values that are shown, and of characters of each.
const TOP: usize = 10;
const SHOWN: usize = 80;

/// For how many keys a key stands, where it is counted, and where it is looked at closely.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub(super) counted: Option<u64>,
    pub(super) looked: Option<u64>,
}

pub(super) struct Field {
    name: String,
    /// The width of all values, or the layout that a value is measured by.
    width: Result<usize, LayoutBuf>,
    values: Values,
    front: Front<Value>,
    /// The least and the greatest.
    range: Option<(Value, Value)>,
    /// The bytes of the `measured` values.
    bytes: u64,
    measured: u64,
    text: Text,
}

impl Field {
    /// One of `fields` fields.
    pub(super) fn new(field: &FieldBuf, fields: usize) -> Self {
        let width = field.ty.width().filter(|_| !field.raw);
        let alone = || LayoutBuf::of_fields("value", Lead::None, Vec::new(), vec![field.clone()]);
        let width = match (width, alone()) {
            (Some(width), _) => Ok(width),
            // A field that is valid in a key is valid alone.
            (None, alone) => alone.map_or(Ok(0), Err),
        };
        Self {
            name: field.name.clone(),
            width,
            values: Values::new(fields),
            front: Front::new(),
            range: None,
            bytes: 0,
            measured: 0,
            text: Text::default(),
        }
    }

    /// Takes a value.
    #[inline]
    pub(super) fn add(&mut self, value: &Value, weights: Weights, rng: &mut Rng, scratch: &mut Vec<u8>) {
        let hash = hash(value);
        self.values.add(hash);
        self.text.add(value);
        if let Some(weight) = weights.counted {
            self.values.weigh(hash, weight);
        }
        if let Some(weight) = weights.looked {
            self.look(value, weight, rng, scratch);
        }
        match &mut self.range {
            Some((min, max)) => {
                if *value < *min {
                    min.clone_from(value);
                } else if *value > *max {
                    max.clone_from(value);
                }
            }
            None => self.range = Some((value.clone(), value.clone())),
        }
    }

    #[inline(never)]
    fn look(&mut self, value: &Value, weight: u64, rng: &mut Rng, scratch: &mut Vec<u8>) {
        self.front.add(value, weight, rng, Value::cmp, Value::clone);
        if let Err(layout) = &self.width {
            scratch.clear();
            if layout.encode_to(std::slice::from_ref(value), scratch).is_ok() {
                self.bytes = self.bytes.saturating_add(weight.saturating_mul(scratch.len() as u64));
                self.measured += weight;
            }
        }
    }

    /// The hash of the most frequent values, which [`profile`](Self::profile) has the text of.
    pub(super) fn spread(&mut self) -> Spread {
        self.values.spread(TOP)
    }

    pub(super) fn profile(self, spread: Spread, texts: &HashMap<u64, String>) -> FieldProfile {
        let text = |(hash, share): &(u64, f64)| Some((texts.get(hash)?.clone(), *share));
        let Text { seen, lengths, hex, decimal, signed, uuid, .. } = self.text;
        let (min, max) = self.range.unzip();
        FieldProfile {
            name: self.name,
            exact: spread.exact,
            distinct: spread.distinct,
            n_eff: spread.n_eff,
            p_max: spread.p_max,
            top: spread.top.iter().filter_map(text).collect(),
            min,
            max,
            bytes: match self.width {
                Ok(width) => width as f64,
                Err(_) => self.bytes as f64 / self.measured.max(1) as f64,
            },
            direction: self.front.direction(),
            lengths,
            hex: seen && hex,
            decimal: seen && decimal,
            uneven_decimal: seen && signed && lengths.is_some_and(|(fewest, most)| fewest < most),
            starts: Vec::new(),
            uuid_version: uuid.filter(|_| seen),
        }
    }
}

/// A value as people read it, not too long.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The traits that all values of a field have in common, if they are text or bytes.
struct Text {
    seen: bool,
    lengths: Option<(usize, usize)>,
    hex: bool,
    decimal: bool,
    signed: bool,
    uuid: Option<u8>,
    /// Nothing is left to find.
    none: bool,
}

impl Default for Text {
    fn default() -> Self {
        Self { seen: false, lengths: None, hex: true, decimal: true, signed: true, uuid: None, none: false }
    }
}

impl Text {
    #[inline]
    fn add(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.bytes(text.as_bytes()),
            Value::Bytes(bytes) => self.bytes(bytes),
            _ if self.none => {}
            other => self.other(other),
        }
    }

    fn other(&mut self, value: &Value) {
        (self.hex, self.decimal, self.signed) = (false, false, false);
        match value {
            Value::Unsigned(number) => self.version(&number.to_be_bytes()),
            _ => self.version(&[]),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let len = bytes.len();
        self.lengths = Some(self.lengths.map_or((len, len), |(fewest, most)| (fewest.min(len), most.max(len))));
        if self.none {
            return;
        }
        let digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
        self.hex = self.hex && !bytes.is_empty() && bytes.iter().all(u8::is_ascii_hexdigit);
        self.decimal = self.decimal && digits(bytes);
        self.signed = self.signed && digits(bytes.strip_prefix(b"-").unwrap_or(bytes));
        self.version(bytes);
    }

    /// Notes the version of a UUID.
    fn version(&mut self, bytes: &[u8]) {
        let version = version(bytes);
        let same = version.is_some() && (!self.seen || version == self.uuid);
        self.uuid = version.filter(|_| same);
        self.seen = true;
        self.none = self.uuid.is_none() && !self.hex && !self.decimal && !self.signed;
    }
}

/// The version of a UUID of 16 bytes or with hyphens, of the variant that has versions.
fn version(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let (version, variant) = match bytes {
        bytes if bytes.len() == 16 => (bytes[6] >> 4, bytes[8] >> 4),
        bytes if bytes.len() == 36 && [8, 13, 18, 23].iter().all(|&at| bytes[at] == b'-') => {
            let hex = bytes.iter().filter(|&&byte| byte != b'-').all(u8::is_ascii_hexdigit);
            (digit(bytes[14]).filter(|_| hex)?, digit(bytes[19])?)
        }
        _ => return None,
    };
    (variant >> 2 == 0b10 && (1..=8).contains(&version)).then_some(version)
}
