//! Traces: what a program did, a line each, as CSV or as JSON.

use std::io::BufRead;
use std::ops::ControlFlow;

use rowkey::LayoutBuf;
use rowkey_design::Engine;
use rowkey_design::internal::forms::Times;
use rowkey_design::internal::lines::{Block, Blocks, in_order};
use serde::de::IgnoredAny;

use super::columns::Columns;
use super::csv_ends::Ends;
use super::csv_lines::Head;
use super::json_line::read_line;
use super::line::{Line, wrong};
use super::told::{OfLine, Rows, Told};
use super::{Load, LoadError};
use crate::event::Event;

/// The events of a trace. It is read as it is given, and none of it is kept.
///
/// The first line tells whether it is CSV, with the names of columns, or JSON, with an object a line. Blanks around a cell
/// of CSV are cut off, but for those of text:
///
/// - `t_ms`: the time in milliseconds; it may not go back.
/// - `op`: `put`, `delete`, `get`, `scan` or `increment`, which is a put.
/// - `key`: the row key in hex; or in its place the fields of the key by their names, as `rowkey explain` takes them.
///   Of a scan it is the first key, or its first fields are those of all its rows; one without a value before one that
///   has one is none, of an optional field.
/// - `end`: the first key that a scan does not read, in hex; none is the last. It goes with `key` alone.
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
    engine: Option<Engine>,
}

impl<'d, R: BufRead> Trace<'d, R> {
    /// A trace of rows of a layout, whose fields with these names are times.
    pub fn new(reader: R, layout: &'d LayoutBuf, times: Times<'d>) -> Self {
        Self { reader, layout, times, engine: None }
    }

    /// The engine, whose longest key is that of the trace too. Default: keys of any length.
    #[must_use]
    pub fn engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }
}

impl<R: BufRead> Load for Trace<'_, R> {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        let columns = Columns::of(self.layout);
        let rows = Rows { layout: self.layout, times: self.times, engine: self.engine };
        const BOM: &[u8] = b"\xef\xbb\xbf";
        let of_reader = |error| LoadError::Read { line: 1, error };
        if self.reader.fill_buf().map_err(of_reader)?.starts_with(BOM) {
            self.reader.consume(BOM.len());
        }
        let begins = self.reader.fill_buf().map_err(of_reader)?;
        let refused = |reason: &str| Err(wrong(1, "column 1", reason.to_owned()));
        if begins.starts_with(BOM) {
            return refused("this is a second byte order mark");
        }
        if begins.trim_ascii_start().starts_with(b"[") {
            return refused("this is an array: write one object a line");
        }
        let (mut order, layout) = (Order::default(), self.layout);
        let take = |told: Told| order.give(told, layout, sink);
        let read = if is_json(begins) {
            let tell = |block: &Block| told(|told| json(block, &columns, &rows, told));
            in_order(Blocks::of_lines(&mut self.reader), tell, take)
        } else {
            let (head, mut ends) = (Head::read(&mut self.reader, &columns)?, Ends::default());
            let blocks = Blocks::new(&mut self.reader, head.lines, |part: &[u8]| ends.last(part));
            in_order(blocks, |block| told(|told| head.tell(block, &columns, &rows, told)), take)
        };
        match read? {
            ControlFlow::Break(ended) => ended,
            ControlFlow::Continue(()) if order.first.is_none() => {
                Err(LoadError::NoEvents("the trace has no events".to_owned()))
            }
            ControlFlow::Continue(()) => Ok(()),
        }
    }
}

/// The lines that are told, with the fault that ends them.
fn told(tell: impl FnOnce(&mut Told) -> Result<(), LoadError>) -> Told {
    let mut told = Told::default();
    told.fault = tell(&mut told).err();
    told
}

/// The state between lines.
#[derive(Debug, Default)]
struct Order {
    /// The time of the first line.
    first: Option<u64>,
    last: u64,
    batch: Option<u64>,
    /// The number of calls before the last line's.
    number: u64,
}

impl Order {
    /// Gives the events of the next lines, each in its batch, until the sink breaks or a line is wrong.
    fn give(
        &mut self,
        told: Told,
        layout: &LayoutBuf,
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<Result<(), LoadError>> {
        let mut events = told.events.events();
        for OfLine { number, t_ms, batch, events: count, scan } in told.lines {
            if t_ms < self.last {
                let reason = format!("{t_ms} is before {}, the time of the line before", self.last);
                return ControlFlow::Break(Err(wrong(number, "`t_ms`", reason)));
            }
            if batch.is_none() || batch != self.batch {
                self.number += u64::from(self.first.is_some());
            }
            let first = *self.first.get_or_insert(t_ms);
            (self.last, self.batch) = (t_ms, batch);
            for event in events.by_ref().take(count) {
                let event = Event { t_ms: t_ms - first, batch: self.number, ..event };
                if sink(event).is_break() {
                    return ControlFlow::Break(Ok(()));
                }
            }
            let Some(scan) = scan else { continue };
            let ranges = match scan.ranges(layout) {
                Ok(ranges) => ranges,
                Err(reason) => return ControlFlow::Break(Err(wrong(number, "the fields", reason))),
            };
            for range in ranges {
                let (op, key, bytes) = (scan.op(&range), range.start(), scan.bytes);
                if sink(Event { t_ms: t_ms - first, batch: self.number, op, key, bytes, weight: 1 }).is_break() {
                    return ControlFlow::Break(Ok(()));
                }
            }
        }
        told.fault.map_or(ControlFlow::Continue(()), |fault| ControlFlow::Break(Err(fault)))
    }
}

/// True of bytes that begin with an object, or with a line that is another value of JSON: no names of columns are one.
fn is_json(begins: &[u8]) -> bool {
    let begins = begins.trim_ascii_start();
    let line = begins.split(|byte| *byte == b'\n').next().unwrap_or_default();
    begins.starts_with(b"{") || serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Adds the events of a block of objects.
fn json(block: &Block, columns: &Columns, rows: &Rows<'_>, told: &mut Told) -> Result<(), LoadError> {
    let (mut line, mut values) = (Line::new(columns), Vec::new());
    block.lines(|number, text| {
        if text.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        line.clear();
        read_line(text, columns, &mut line).map_err(|(place, reason)| wrong(number, &place, reason))?;
        rows.tell(&line, number, &mut values, told)
    })
}
