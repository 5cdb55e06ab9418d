//! Lines of a trace as events.

use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::Engine;
use rowkey_design::internal::forms::{Times, key_loosened};
use serde_json::Value as Json;

use super::LoadError;
use super::ahead::Block;
use super::line::{Line, Word, wrong};
use crate::event::{Event, Op};

/// The events of lines that follow each other. Each is of its line alone: it has the time that is written there, and
/// the batch 0.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) lines: Vec<OfLine>,
    pub(super) events: Block,
    /// The fault of the line after them.
    pub(super) fault: Option<LoadError>,
}

/// A line that was told.
#[derive(Debug)]
pub(super) struct OfLine {
    pub(super) number: u64,
    pub(super) t_ms: u64,
    pub(super) batch: Option<u64>,
    /// The number of its events.
    pub(super) events: usize,
    /// The scan by fields that it is in place of events: a range of each salt bucket is much for a line.
    pub(super) scan: Option<Scan>,
}

/// A scan of the rows whose first fields have these values.
#[derive(Debug)]
pub(super) struct Scan {
    leading: Vec<Value>,
    limit: Option<u64>,
    pub(super) bytes: u64,
}

impl Scan {
    /// Its ranges, one after the other.
    pub(super) fn ranges(&self, layout: &LayoutBuf) -> Result<impl Iterator<Item = KeyRange>, String> {
        let ranges = layout.ranges_by_bucket(&self.leading, None).map_err(|error| error.to_string())?;
        Ok(ranges.into_iter().flatten())
    }

    pub(super) fn op<'r>(&self, range: &'r KeyRange) -> Op<'r> {
        Op::Scan { end: range.end(), limit: self.limit, reverse: false, few: None, most: None }
    }
}

/// The rows that lines are of.
#[derive(Debug)]
pub(super) struct Rows<'d> {
    pub(super) layout: &'d LayoutBuf,
    pub(super) times: Times<'d>,
    pub(super) engine: Option<Engine>,
}

impl Rows<'_> {
    /// Adds the events of a line. The memory of `values` is used again.
    pub(super) fn tell(
        &self,
        line: &Line,
        number: u64,
        values: &mut Vec<Value>,
        told: &mut Told,
    ) -> Result<(), LoadError> {
        let before = told.events.len();
        let (t_ms, scan) = self.events(line, number, values, &mut told.events)?;
        let events = told.events.len() - before;
        told.lines.push(OfLine { number, t_ms, batch: line.batch, events, scan });
        Ok(())
    }

    /// Adds the events of a line, and returns its time, and the scan by fields that it is.
    fn events(
        &self,
        line: &Line,
        number: u64,
        values: &mut Vec<Value>,
        events: &mut Block,
    ) -> Result<(u64, Option<Scan>), LoadError> {
        let wrong = |place: &str, reason: String| wrong(number, place, reason);
        let missing = |place: &'static str| move || wrong(place, "there is none".to_owned());
        let t_ms = line.t_ms.ok_or_else(missing("`t_ms`"))?;
        let op = line.op.ok_or_else(missing("`op`"))?;
        let mut give = |op: Op<'_>, key: &[u8]| {
            events.push(Event { t_ms, batch: 0, op, key, bytes: line.bytes, weight: 1 });
            Ok((t_ms, None))
        };
        reads_no_more(op, line).map_err(|(place, reason)| wrong(place, reason))?;
        let refused = |key: &[u8]| self.engine.and_then(|engine| engine.refuses_key(key.len()));
        let has_fields = line.fields.iter().any(|field| !field.is_null());
        let op = match (op, &line.key) {
            (Word::Scan, None) => {
                let given = line.fields.iter().rposition(|json| !json.is_null()).map_or(0, |last| last + 1);
                let leading = leading(self.layout, &self.times, &line.fields[..given])
                    .map_err(|fault| fault.told(number, line, self.layout))?;
                return Ok((t_ms, Some(Scan { leading, limit: line.limit, bytes: line.bytes })));
            }
            (Word::Scan, Some(key)) => {
                if line.end.as_ref().is_some_and(|end| !end.is_empty() && end <= key) {
                    return Err(wrong("`end`", "it is not after `key`".to_owned()));
                }
                if let Some(reason) = line.end.as_deref().and_then(refused) {
                    return Err(wrong("`end`", reason));
                }
                let end = line.end.as_deref().filter(|end| !end.is_empty());
                Op::Scan { end, limit: line.limit, reverse: false, few: None, most: None }
            }
            (Word::Put, _) => Op::Put,
            (Word::Delete, _) => Op::Delete,
            (Word::Get, _) => Op::Get,
        };
        match &line.key {
            Some(_) if has_fields => {
                Err(wrong("`key`", "the line has fields of the key too: write one of them".to_owned()))
            }
            Some(key) => {
                if let Some(reason) = refused(key) {
                    return Err(wrong("`key`", reason));
                }
                if !matches!(op, Op::Scan { .. }) {
                    self.layout
                        .decode_to(key, values)
                        .map_err(|error| wrong("`key`", format!("it is no key of the design: {error}")))?;
                }
                give(op, key)
            }
            None => {
                let key = encoded(self.layout, &self.times, &line.fields)
                    .map_err(|fault| fault.told(number, line, self.layout))?;
                if let Some(reason) = refused(&key) {
                    return Err(wrong("the fields", reason));
                }
                give(op, &key)
            }
        }
    }
}

/// Refuses what an operation does not read: the place, and the reason.
fn reads_no_more(op: Word, line: &Line) -> Result<(), (&'static str, String)> {
    let is_scan = op == Word::Scan;
    let given = [("`end`", line.end.is_some()), ("`limit`", line.limit.is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given && !is_scan) {
        Some((place, _)) => Err((place, "a scan alone has one".to_owned())),
        None if line.end.is_some() && line.key.is_none() => {
            let reason = "a scan by fields reads all rows that have them: write `key` too, in their place".to_owned();
            Err(("`end`", reason))
        }
        None => Ok(()),
    }
}

/// The reason why fields are none of the key.
struct Fault {
    /// The index of the field whose value it is.
    field: Option<usize>,
    reason: String,
}

impl Fault {
    fn of_all(reason: impl ToString) -> Self {
        Self { field: None, reason: reason.to_string() }
    }

    #[cold]
    fn told(self, number: u64, line: &Line, layout: &LayoutBuf) -> LoadError {
        let named = self.field.and_then(|at| Some((at, layout.fields().get(at)?)));
        let place = named.map_or("the fields".to_owned(), |(at, field)| line.place(at, &field.name));
        LoadError::Line { line: number, place, reason: self.reason }
    }
}

/// The value of one field.
fn one(at: usize, field: &FieldBuf, json: &Json, times: &Times<'_>) -> Result<Value, Fault> {
    let told = |reason: String| {
        let forms = times.forms(field).map_or_else(String::new, |forms| format!(": {forms}"));
        Fault { field: Some(at), reason: format!("{reason}{forms}") }
    };
    let alone = LayoutBuf::of_fields("field", Lead::None, Vec::new(), vec![field.clone()]);
    let alone = alone.map_err(Fault::of_all)?;
    let loosened = key_loosened(&alone, Json::Array(vec![json.clone()]), times);
    let refused = |_| told(format!("{json} is not of its type, {}", field.ty));
    let values = alone.values_from_json(&loosened).map_err(refused)?;
    alone.encode(&values).map_err(refused)?;
    values.into_iter().next().ok_or_else(|| told("there is no value".to_owned()))
}

/// The values of the first fields.
fn leading(layout: &LayoutBuf, times: &Times<'_>, fields: &[Json]) -> Result<Vec<Value>, Fault> {
    are_given(layout, fields)?;
    let given = layout.fields().iter().zip(fields).enumerate();
    given.map(|(at, (field, json))| one(at, field, json, times)).collect()
}

/// Refuses fields of which one has no value, and is not optional.
fn are_given(layout: &LayoutBuf, fields: &[Json]) -> Result<(), Fault> {
    let mut given = layout.fields().iter().zip(fields);
    match given.find(|(field, json)| json.is_null() && !matches!(field.ty, TypeBuf::Option(_))) {
        Some((field, _)) => Err(Fault::of_all(format!("`{}` is missing", field.name))),
        None => Ok(()),
    }
}

/// The key of the values of all fields.
fn encoded(layout: &LayoutBuf, times: &Times<'_>, fields: &[Json]) -> Result<Vec<u8>, Fault> {
    if fields.iter().all(Json::is_null) {
        return Err(Fault::of_all("the line has no `key`, and no field of it"));
    }
    are_given(layout, fields)?;
    let json = key_loosened(layout, Json::Array(fields.to_vec()), times);
    let key = layout.values_from_json(&json).and_then(|values| layout.encode(&values));
    key.map_err(|error| {
        let mut given = layout.fields().iter().zip(fields).enumerate();
        let fault = given.find_map(|(at, (field, json))| one(at, field, json, times).err());
        fault.unwrap_or_else(|| Fault::of_all(error))
    })
}
