//! The lines of a trace as CSV.

use std::io::BufRead;
use std::ops::ControlFlow;

use csv::{ErrorKind, Position, StringRecord};

use super::LoadError;
use super::columns::{Columns, place};
use super::csv_bytes::{Bounded, TooLong};
use super::line::{LONGEST, Line, too_long};
use super::told::Told;

/// Reads the names of columns, then the lines.
pub(super) fn read(
    reader: &mut impl BufRead,
    columns: &Columns,
    told: &mut Told<'_, '_>,
) -> Result<ControlFlow<()>, LoadError> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(Bounded::new(reader));
    let mut head = StringRecord::new();
    while next(&mut reader, &mut head, None)? && is_blank(&head) {}
    let mut known = Vec::new();
    let first = head.position().map_or(1, Position::line);
    for (at, name) in head.iter().enumerate() {
        let wrong = |reason| LoadError::Line { line: first, place: place(at, Some(name)), reason };
        let column = columns.named(name.trim()).map_err(wrong)?;
        if known.contains(&column) {
            return Err(wrong("there is this column already".to_owned()));
        }
        known.push(column);
    }
    let mut line = Line::new(columns);
    line.found_at(&known);
    let mut record = StringRecord::new();
    while next(&mut reader, &mut record, Some(&head))? {
        let number = record.position().map_or(0, Position::line);
        if is_blank(&record) {
            continue;
        }
        if record.len() != head.len() {
            return Err(LoadError::Line {
                line: number,
                place: place(record.len().min(head.len()), None),
                reason: format!("the line has {} columns, the first has {}", record.len(), head.len()),
            });
        }
        line.clear();
        for (at, (text, column)) in record.iter().zip(&known).enumerate() {
            let text = if columns.keeps_blanks(*column) { text } else { text.trim() };
            let taken = line.take(*column, text);
            taken.map_err(|reason| LoadError::Line { line: number, place: place(at, head.get(at)), reason })?;
        }
        if told.tell(&line, number)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// True of a line of blanks.
fn is_blank(record: &StringRecord) -> bool {
    record.len() == 1 && record.get(0).is_some_and(|text| text.trim().is_empty())
}

/// Reads the next record, if there is one.
fn next<R: BufRead>(
    reader: &mut csv::Reader<Bounded<'_, R>>,
    record: &mut StringRecord,
    head: Option<&StringRecord>,
) -> Result<bool, LoadError> {
    reader.get_mut().allow(LONGEST);
    let read = reader.read_record(record);
    let begin = record.position().map_or((1, 0), |position| (position.line(), position.byte()));
    // What follows the quote was taken into the field.
    if reader.get_ref().ends_open() {
        let at = record.len().saturating_sub(1);
        let place = place(at, head.and_then(|head| head.get(at)));
        return Err(LoadError::Line {
            line: begin.0,
            place,
            reason: "a quote is opened here, and never closed".to_owned(),
        });
    }
    match read {
        Ok(_) if reader.position().byte() - begin.1 >= LONGEST => Err(too_long(begin.0)),
        Ok(is_any) => Ok(is_any),
        Err(error) => Err(wrong(error, begin.0, head)),
    }
}

/// The fault of a record that begins on a line, unless it has a line of its own.
fn wrong(error: csv::Error, begin: u64, head: Option<&StringRecord>) -> LoadError {
    let line = error.position().map_or(begin, Position::line);
    let name = |at: usize| head.and_then(|head| head.get(at));
    match error.into_kind() {
        ErrorKind::Io(error) if error.get_ref().is_some_and(|error| error.is::<TooLong>()) => too_long(line),
        ErrorKind::Io(error) => LoadError::Read { line, error },
        ErrorKind::Utf8 { err, .. } => LoadError::Line {
            line,
            place: place(err.field(), name(err.field())),
            reason: "this is not UTF-8".to_owned(),
        },
        _ => LoadError::Line { line, place: place(0, None), reason: "this is not CSV".to_owned() },
    }
}
