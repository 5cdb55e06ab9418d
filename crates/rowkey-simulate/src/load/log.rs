//! Logs: the keys of a file, whose times come from the keys themselves.

use std::io::BufRead;
use std::ops::ControlFlow;

use rowkey::Value;
use rowkey_design::internal::drawn::mix;
use rowkey_design::internal::facts::{Growth, KeyFacts};
use rowkey_design::internal::sample;

use super::{Load, LoadError};
use crate::event::{Event, Op};

/// The keys of a log, as rows that are put.
///
/// A row's time is that of the first field of its key which is one; where the key has none, rows come one after the
/// other at a rate. They are put in the order of their times, so that a table that was scanned in the order of its keys
/// is a log too.
#[derive(Debug)]
pub struct Log {
    rows: Vec<Put>,
    /// The rows that each of these stands for.
    weight: u64,
    /// The keys that the layout does not decode, which are left out.
    pub undecoded: u64,
    /// True if the times are of the keys.
    pub has_times: bool,
}

#[derive(Debug)]
struct Put {
    /// In milliseconds.
    time: i128,
    number: u64,
    key: Vec<u8>,
    bytes: u64,
}

impl Log {
    /// Reads the keys of a log: a line each, as `rowkey check --sample` takes them, and after a tab the bytes of the
    /// row's values. `key` turns a line into bytes that it appends, or says why it cannot. Of more than `most` rows, as
    /// many are kept, at random, each of which stands for several.
    ///
    /// # Errors
    /// A line that is no key in its form, and a log without a key that the layout decodes.
    pub fn read(
        reader: impl BufRead,
        key: impl Fn(&str, &mut Vec<u8>) -> Result<(), String> + Sync,
        facts: &KeyFacts<'_>,
        rate: f64,
        most: usize,
        progress: impl FnMut(u64, u64),
    ) -> Result<Self, LoadError> {
        let mut log = Self { rows: Vec::new(), weight: 1, undecoded: 0, has_times: false };
        let (mut number, mut halved, mut last) = (0u64, 0u32, None);
        let take = |_, key: &[u8], size: Option<u64>| {
            number += 1;
            let Ok(values) = facts.layout.decode(key) else {
                log.undecoded += 1;
                return;
            };
            if mix(number).leading_zeros() < halved {
                return;
            }
            let own = facts.fields.iter().zip(&values).find_map(|(field, value)| millis(value, field.growth));
            log.has_times |= own.is_some();
            // A row without a time is of that of the row before it.
            last = own.or(last);
            let time = last.unwrap_or(((number - 1) as f64 * 1000.0 / rate) as i128);
            log.rows.push(Put { time, number, key: key.to_vec(), bytes: size.unwrap_or(0) });
            if log.rows.len() > most.max(1) {
                halved += 1;
                log.weight *= 2;
                log.rows.retain(|row| mix(row.number).leading_zeros() >= halved);
            }
        };
        sample::each_key(reader, key, take, progress)?;
        if log.rows.is_empty() {
            let undecoded = log.undecoded;
            return Err(LoadError::NoEvents(match undecoded {
                0 => "the log has no keys".to_owned(),
                _ => format!("the log has no key of the design: {undecoded} do not decode"),
            }));
        }
        log.rows.sort_by_key(|row| (row.time, row.number));
        Ok(log)
    }
}

impl Load for Log {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let first = self.rows.first().map_or(0, |row| row.time);
        for (batch, row) in (0..).zip(&self.rows) {
            let t_ms = u64::try_from(row.time - first).unwrap_or(u64::MAX);
            let event = Event { t_ms, batch, op: Op::Put, key: &row.key, bytes: row.bytes, weight: self.weight };
            if sink(event).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The time that a value is, in milliseconds; none if it is no time.
fn millis(value: &Value, growth: Option<Growth>) -> Option<i128> {
    let number = match value {
        Value::Instant(seconds, nanos) => {
            growth?;
            return Some(i128::from(*seconds) * 1000 + i128::from(nanos / 1_000_000));
        }
        Value::Option(inner) => return millis(inner.as_ref()?, growth),
        Value::Tuple(values) => return millis(values.first()?, growth),
        Value::Unsigned(number) => i128::try_from(*number).ok()?,
        Value::Signed(number) => *number,
        Value::Bytes(bytes) if growth == Some(Growth::TimeId) => {
            return Some(bytes.iter().take(6).fold(0, |millis, byte| millis << 8 | i128::from(*byte)));
        }
        _ => return None,
    };
    match growth? {
        Growth::Time(Some(each)) if each < 1e-3 => Some(number / (1e-3 / each).round() as i128),
        Growth::Time(Some(each)) => number.checked_mul((each * 1e3).round() as i128),
        Growth::TimeId => Some(number >> 22),
        _ => None,
    }
}
