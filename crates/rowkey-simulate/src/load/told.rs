//! Lines of a trace as events.

use std::ops::ControlFlow;

use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::Engine;
use rowkey_design::internal::forms::{Times, key_loosened};
use serde_json::Value as Json;

use super::LoadError;
use super::line::{Line, Word};
use crate::event::{Event, Op};

/// The state between lines.
pub(super) struct Told<'s, 'd> {
    layout: &'d LayoutBuf,
    times: Times<'d>,
    engine: Option<Engine>,
    /// The values of the last key, whose memory is used again.
    values: Vec<Value>,
    sink: &'s mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    first: Option<u64>,
    last: u64,
    batch: Option<u64>,
    number: u64,
}

impl<'s, 'd> Told<'s, 'd> {
    /// The state before the first line.
    pub(super) fn new(
        layout: &'d LayoutBuf,
        times: Times<'d>,
        engine: Option<Engine>,
        sink: &'s mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self { layout, times, engine, values: Vec::new(), sink, first: None, last: 0, batch: None, number: 0 }
    }

    /// True if a line was told.
    pub(super) fn has_events(&self) -> bool {
        self.first.is_some()
    }

    /// Gives the events of a line.
    pub(super) fn tell(&mut self, line: &Line, number: u64) -> Result<ControlFlow<()>, LoadError> {
        let wrong = |place: &str, reason: String| LoadError::Line { line: number, place: place.to_owned(), reason };
        let missing = |place: &'static str| move || wrong(place, "there is none".to_owned());
        let t_ms = line.t_ms.ok_or_else(missing("`t_ms`"))?;
        let op = line.op.ok_or_else(missing("`op`"))?;
        if t_ms < self.last {
            return Err(wrong("`t_ms`", format!("{t_ms} is before {}, the time of the line before", self.last)));
        }
        if self.first.is_none() || line.batch.is_none() || line.batch != self.batch {
            self.number += u64::from(self.first.is_some());
        }
        let first = *self.first.get_or_insert(t_ms);
        (self.last, self.batch) = (t_ms, line.batch);
        let mut give = |op: Op<'_>, key: &[u8]| {
            let (t_ms, batch, bytes) = (t_ms - first, self.number, line.bytes);
            (self.sink)(Event { t_ms, batch, op, key, bytes, weight: 1 })
        };
        reads_no_more(op, line).map_err(|(place, reason)| wrong(place, reason))?;
        let refused = |key: &[u8]| self.engine.and_then(|engine| engine.refuses_key(key.len()));
        let has_fields = line.fields.iter().any(|field| !field.is_null());
        let op = match (op, &line.key) {
            (Word::Scan, None) => {
                let given = line.fields.iter().rposition(|json| !json.is_null()).map_or(0, |last| last + 1);
                let ranges = prefix(self.layout, &self.times, &line.fields[..given])
                    .map_err(|fault| fault.told(number, line, self.layout))?;
                for range in ranges.iter().flatten() {
                    let op = Op::Scan { end: range.end(), limit: line.limit, reverse: false, few: None, most: None };
                    if give(op, range.start()).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                return Ok(ControlFlow::Continue(()));
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
                        .decode_to(key, &mut self.values)
                        .map_err(|error| wrong("`key`", format!("it is no key of the design: {error}")))?;
                }
                Ok(give(op, key))
            }
            None => {
                let key = encoded(self.layout, &self.times, &line.fields)
                    .map_err(|fault| fault.told(number, line, self.layout))?;
                if let Some(reason) = refused(&key) {
                    return Err(wrong("the fields", reason));
                }
                Ok(give(op, &key))
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

/// The ranges of the rows whose first fields have these values.
fn prefix(layout: &LayoutBuf, times: &Times<'_>, fields: &[Json]) -> Result<Vec<Vec<KeyRange>>, Fault> {
    are_given(layout, fields)?;
    let given = layout.fields().iter().zip(fields).enumerate();
    let values: Vec<Value> =
        given.map(|(at, (field, json))| one(at, field, json, times)).collect::<Result<_, Fault>>()?;
    layout.ranges_by_bucket(&values, None).map_err(Fault::of_all)
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
