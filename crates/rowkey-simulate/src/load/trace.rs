//! Traces: what a program did, a line each, as CSV or as JSON.

use std::io::{BufRead, Read};
use std::ops::ControlFlow;

use rowkey::LayoutBuf;
use rowkey_design::Engine;
use rowkey_design::internal::forms::Times;
use serde::de::IgnoredAny;

use super::columns::Columns;
use super::csv_lines;
use super::json_line::read_line;
use super::line::{LONGEST, Line, too_long};
use super::told::Told;
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
        let mut told = Told::new(self.layout, self.times, self.engine, sink);
        const BOM: &[u8] = b"\xef\xbb\xbf";
        let of_reader = |error| LoadError::Read { line: 1, error };
        if self.reader.fill_buf().map_err(of_reader)?.starts_with(BOM) {
            self.reader.consume(BOM.len());
        }
        let begins = self.reader.fill_buf().map_err(of_reader)?;
        let refused =
            |reason: &str| Err(LoadError::Line { line: 1, place: "column 1".to_owned(), reason: reason.to_owned() });
        if begins.starts_with(BOM) {
            return refused("this is a second byte order mark");
        }
        if begins.trim_ascii_start().starts_with(b"[") {
            return refused("this is an array: write one object a line");
        }
        let is_json = is_json(begins);
        let read = if is_json {
            json(&mut self.reader, &columns, &mut told)
        } else {
            csv_lines::read(&mut self.reader, &columns, &mut told)
        };
        match read? {
            ControlFlow::Continue(()) if !told.has_events() => {
                Err(LoadError::NoEvents("the trace has no events".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

/// True of bytes that begin with an object, or with a line that is another value of JSON: no names of columns are one.
fn is_json(begins: &[u8]) -> bool {
    let begins = begins.trim_ascii_start();
    let line = begins.split(|byte| *byte == b'\n').next().unwrap_or_default();
    begins.starts_with(b"{") || serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

fn json(reader: &mut impl BufRead, columns: &Columns, told: &mut Told<'_, '_>) -> Result<ControlFlow<()>, LoadError> {
    let (mut text, mut line) = (Vec::new(), Line::new(columns));
    for number in 1.. {
        text.clear();
        let read = Read::take(&mut *reader, LONGEST).read_until(b'\n', &mut text);
        if read.map_err(|error| LoadError::Read { line: number, error })? == 0 {
            break;
        }
        if text.len() as u64 == LONGEST {
            return Err(too_long(number));
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
