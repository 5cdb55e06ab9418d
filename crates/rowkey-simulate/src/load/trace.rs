//! Traces: what a program did, a line each, as CSV or as JSON.

use std::io::BufRead;
use std::ops::ControlFlow;

use rowkey::layout::Scalar;
use rowkey::lead::Lead;
use rowkey::untyped::{FieldBuf, TypeBuf};
use rowkey::{KeyRange, LayoutBuf};
use rowkey_design::internal::forms::{Times, key_loosened};
use serde_json::Value as Json;

use super::columns::Columns;
use super::json_line::read_line;
use super::line::{Line, Word};
use super::{Load, LoadError};
use crate::event::{Event, Op};

/// The events of a trace. It is read as it is given, and none of it is kept.
///
/// The first line tells whether it is CSV, with the names of columns, or JSON, with an object a line:
///
/// - `t_ms`: the time in milliseconds; it may not go back.
/// - `op`: `put`, `delete`, `get`, `scan` or `increment`, which is a put.
/// - `key`: the row key in hex; or in its place the fields of the key by their names, as `rowkey explain` takes them.
///   Of a scan it is the first key, or its first fields are those of all its rows.
/// - `end`: the first key that a scan does not read, in hex; none is the last.
/// - `limit`: the most rows of a scan.
/// - `bytes`: those of the value that is put.
/// - `batch`: a number; lines after each other with the same are one call. Each line is a call of its own without it.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use rowkey_design::internal::forms::Times;
/// use rowkey_simulate::load::{Load, Trace};
///
/// let layout = "u16".parse()?;
/// let mut times = Vec::new();
/// let text = "t_ms,op,key\n70,put,0001\n90,get,0001\n";
/// Trace::new(text.as_bytes(), &layout, Times::default()).events(&mut |event| {
///     times.push(event.t_ms);
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!(times, [0, 20]);
/// let error = Trace::new(&b"t_ms,op,key\n70,put,01\n"[..], &layout, Times::default())
///     .events(&mut |_| ControlFlow::Continue(()));
/// assert!(error.unwrap_err().to_string().starts_with("line 2, `key`: it is no key of the design"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trace<'d, R> {
    reader: R,
    layout: &'d LayoutBuf,
    times: Times<'d>,
}

impl<'d, R: BufRead> Trace<'d, R> {
    /// A trace of rows of a layout, whose fields with these names are times.
    pub fn new(reader: R, layout: &'d LayoutBuf, times: Times<'d>) -> Self {
        Self { reader, layout, times }
    }
}

impl<R: BufRead> Load for Trace<'_, R> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let columns = Columns::of(self.layout);
        let mut told =
            Told { layout: self.layout, times: self.times, sink, first: None, last: 0, batch: None, number: 0 };
        const BOM: &[u8] = b"\xef\xbb\xbf";
        let of_reader = |error| LoadError::Read { line: 1, error };
        if self.reader.fill_buf().map_err(of_reader)?.starts_with(BOM) {
            self.reader.consume(BOM.len());
        }
        let begins = self.reader.fill_buf().map_err(of_reader)?;
        let is_json = begins.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let read = if is_json {
            json(&mut self.reader, &columns, &mut told)
        } else {
            csv(&mut self.reader, &columns, &mut told)
        };
        match read? {
            ControlFlow::Continue(()) if told.first.is_none() => {
                Err(LoadError::NoEvents("the trace has no events".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

fn json(reader: &mut impl BufRead, columns: &Columns, told: &mut Told<'_, '_>) -> Result<ControlFlow<()>, LoadError> {
    /// A longer line is none of a trace.
    const LONGEST: u64 = 1 << 20;
    let (mut text, mut line) = (Vec::new(), Line::new(columns));
    for number in 1.. {
        text.clear();
        let read = std::io::Read::take(&mut *reader, LONGEST).read_until(b'\n', &mut text);
        if read.map_err(|error| LoadError::Read { line: number, error })? == 0 {
            break;
        }
        if text.len() as u64 == LONGEST {
            let reason = format!("the line has {LONGEST} bytes or more");
            return Err(LoadError::Line { line: number, place: "column 1".to_owned(), reason });
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        line.clear();
        read_line(&text, columns, &mut line).map_err(|(place, reason)| LoadError::Line {
            line: number,
            place,
            reason,
        })?;
        if told.tell(&line, number)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn csv(reader: &mut impl BufRead, columns: &Columns, told: &mut Told<'_, '_>) -> Result<ControlFlow<()>, LoadError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(reader);
    let of_error = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        match error.into_kind() {
            csv::ErrorKind::Io(error) => LoadError::Read { line, error },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => LoadError::Line {
                line,
                place: format!("column {}", len.min(expected_len) + 1),
                reason: format!("the line has {len} columns, the first has {expected_len}"),
            },
            csv::ErrorKind::Utf8 { err, .. } => LoadError::Line {
                line,
                place: format!("column {}", err.field() + 1),
                reason: "this is not UTF-8".to_owned(),
            },
            _ => LoadError::Line { line, place: "column 1".to_owned(), reason: "this is not CSV".to_owned() },
        }
    };
    let place = |at: usize, name: &str| format!("column {} (`{name}`)", at + 1);
    let head = reader.headers().map_err(of_error)?.clone();
    let mut known = Vec::new();
    for (at, name) in head.iter().enumerate() {
        let wrong = |reason| LoadError::Line { line: 1, place: place(at, name), reason };
        let column = columns.named(name.trim()).map_err(wrong)?;
        if known.contains(&column) {
            return Err(wrong("there is this column already".to_owned()));
        }
        known.push(column);
    }
    let mut line = Line::new(columns);
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(of_error)? {
        let number = record.position().map_or(0, csv::Position::line);
        line.clear();
        for (at, (bytes, column)) in record.iter().zip(&known).enumerate() {
            let text = std::str::from_utf8(bytes).map_err(|_| "this is not UTF-8".to_owned());
            let taken = text.and_then(|text| line.take(*column, text));
            taken.map_err(|reason| LoadError::Line { line: number, place: place(at, &head[at]), reason })?;
        }
        if told.tell(&line, number)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The state between lines.
struct Told<'s, 'd> {
    layout: &'d LayoutBuf,
    times: Times<'d>,
    sink: &'s mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    first: Option<u64>,
    last: u64,
    batch: Option<u64>,
    number: u64,
}

impl Told<'_, '_> {
    /// Gives the events of a line.
    fn tell(&mut self, line: &Line, number: u64) -> Result<ControlFlow<()>, LoadError> {
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
        let has_fields = line.fields.iter().any(|field| !field.is_null());
        let op = match (op, &line.key) {
            (Word::Scan, None) => {
                let values = self.layout.fields().iter().zip(&line.fields);
                let given = values.take_while(|(_, json)| !json.is_null()).count();
                let ranges = prefix(self.layout, &self.times, &line.fields[..given])
                    .map_err(|reason| wrong("the fields", reason))?;
                for range in ranges.iter().flatten() {
                    let op = Op::Scan { end: range.end(), limit: line.limit, reverse: false };
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
                let end = line.end.as_deref().filter(|end| !end.is_empty());
                Op::Scan { end, limit: line.limit, reverse: false }
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
                if !matches!(op, Op::Scan { .. }) {
                    self.layout
                        .decode(key)
                        .map_err(|error| wrong("`key`", format!("it is no key of the design: {error}")))?;
                }
                Ok(give(op, key))
            }
            None => {
                let key =
                    encoded(self.layout, &self.times, &line.fields).map_err(|reason| wrong("the fields", reason))?;
                Ok(give(op, &key))
            }
        }
    }
}

/// The ranges of the rows whose first fields have these values.
fn prefix(layout: &LayoutBuf, times: &Times<'_>, fields: &[Json]) -> Result<Vec<Vec<KeyRange>>, String> {
    let mut values = Vec::new();
    for (field, json) in layout.fields().iter().zip(fields) {
        let alone = LayoutBuf::of_fields("field", Lead::None, Vec::new(), vec![field.clone()]);
        let alone = alone.map_err(|error| error.to_string())?;
        let json = key_loosened(&alone, Json::Array(vec![json.clone()]), times);
        values.extend(alone.values_from_json(&json).map_err(|error| error.to_string())?);
    }
    layout.ranges_by_bucket(&values, None).map_err(|error| error.to_string())
}

/// The key of the values of all fields.
fn encoded(layout: &LayoutBuf, times: &Times<'_>, fields: &[Json]) -> Result<Vec<u8>, String> {
    if fields.iter().all(Json::is_null) {
        return Err("the line has no `key`, and no field of it".to_owned());
    }
    for (field, json) in layout.fields().iter().zip(fields) {
        if json.is_null() && !matches!(field.ty, TypeBuf::Option(_)) {
            return Err(format!("`{}` is missing", field.name));
        }
    }
    let json = key_loosened(layout, Json::Array(fields.to_vec()), times);
    let values = layout.values_from_json(&json).map_err(|error| {
        let is_time = |field: &FieldBuf| matches!(field.ty, TypeBuf::Scalar(Scalar::Instant));
        let help = if layout.fields().iter().any(is_time) { "; write a time as 2026-01-31T12:00:00Z" } else { "" };
        format!("{error}{help}")
    })?;
    layout.encode(&values).map_err(|error| error.to_string())
}
