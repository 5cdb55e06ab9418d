//! The lines of a trace as CSV.

use std::io::{BufRead, Chain, Read};

use csv::{ErrorKind, StringRecord};
use rowkey_design::internal::lines::Block;

use super::LoadError;
use super::columns::{Column, Columns, place};
use super::csv_ends::Ends;
use super::line::{LONGEST, Line, too_long, wrong};
use super::told::{Rows, Told};

/// The names of columns, which come before the lines.
#[derive(Debug)]
pub(super) struct Head {
    names: StringRecord,
    columns: Vec<Column>,
    /// The lines that were read.
    pub(super) lines: u64,
}

impl Head {
    /// Reads the names of columns, after records of blanks.
    pub(super) fn read(reader: &mut impl BufRead, columns: &Columns) -> Result<Self, LoadError> {
        let (mut names, mut line, mut lines, mut blanks) = (StringRecord::new(), 1, 0, 0);
        loop {
            let block = Block { text: first_record(reader, lines + 1)?, first: lines + 1 };
            lines += block.text.iter().filter(|byte| **byte == b'\n').count() as u64;
            if block.text.is_empty() {
                break;
            }
            if block.text.iter().all(u8::is_ascii_whitespace) {
                blanks += block.text.len() as u64;
                if blanks >= LONGEST {
                    return Err(too_long(1));
                }
            } else if let Some(found) = Records::of(&block, None).next(&mut names)?
                && !is_blank(&names)
            {
                line = found;
                break;
            }
        }
        let mut known = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let wrong = |reason| wrong(line, &place(at, Some(name)), reason);
            let column = columns.named(name.trim()).map_err(wrong)?;
            if known.contains(&column) {
                return Err(wrong("there is this column already".to_owned()));
            }
            known.push(column);
        }
        Ok(Self { names, columns: known, lines })
    }

    /// Adds the events of a block of records.
    pub(super) fn tell(
        &self,
        block: &Block,
        columns: &Columns,
        rows: &Rows<'_>,
        told: &mut Told,
    ) -> Result<(), LoadError> {
        let (mut line, mut record, mut values) = (Line::new(columns), StringRecord::new(), Vec::new());
        line.found_at(&self.columns);
        let mut records = Records::of(block, Some(&self.names));
        while let Some(number) = records.next(&mut record)? {
            if is_blank(&record) {
                continue;
            }
            let (found, expected) = (record.len(), self.names.len());
            if found != expected {
                let reason = format!("the line has {found} columns, the first has {expected}");
                return Err(wrong(number, &place(found.min(expected), None), reason));
            }
            line.clear();
            for (at, (text, column)) in record.iter().zip(&self.columns).enumerate() {
                let text = if columns.keeps_blanks(*column) { text } else { text.trim() };
                line.take(*column, text).map_err(|reason| wrong(number, &place(at, self.names.get(at)), reason))?;
            }
            rows.tell(&line, number, &mut values, told)?;
        }
        Ok(())
    }
}

/// The bytes of the next record, with what ends it; none at the end.
fn first_record(reader: &mut impl BufRead, line: u64) -> Result<Vec<u8>, LoadError> {
    let (mut text, mut ends) = (Vec::new(), Ends::default());
    loop {
        let part = reader.fill_buf().map_err(|error| LoadError::Read { line, error })?;
        let end = part.iter().position(|byte| ends.next(*byte)).map(|at| at + 1);
        let (used, is_end) = (end.unwrap_or(part.len()), end.is_some() || part.is_empty());
        text.extend_from_slice(&part[..used]);
        reader.consume(used);
        if text.len() as u64 >= LONGEST {
            return Err(too_long(line));
        }
        if is_end {
            return Ok(text);
        }
    }
}

/// True of a line of blanks.
fn is_blank(record: &StringRecord) -> bool {
    record.len() == 1 && record.get(0).is_some_and(|text| text.trim().is_empty())
}

/// The records of a block.
struct Records<'b> {
    block: &'b Block,
    head: Option<&'b StringRecord>,
    reader: csv::Reader<Chain<&'static [u8], &'b [u8]>>,
    /// True if a quote is opened and never closed.
    is_open: bool,
}

impl<'b> Records<'b> {
    fn of(block: &'b Block, head: Option<&'b StringRecord>) -> Self {
        // Behind an empty line a byte order mark is one of the text: the reader leaves out one that is the first.
        let text = Read::chain(&b"\n"[..], &block.text[..]);
        let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut ends = Ends::default();
        ends.last(&block.text);
        Self { block, head, reader, is_open: ends.is_open() }
    }

    /// Reads the next record, if there is one, and returns its first line.
    fn next(&mut self, record: &mut StringRecord) -> Result<Option<u64>, LoadError> {
        let position = self.reader.position();
        // Both count the empty line, once it is read.
        let (begin, line) = (position.byte().saturating_sub(1), self.block.first + position.line().saturating_sub(2));
        let rest = self.block.text.get(begin as usize..).unwrap_or_default();
        // The ends of lines before it are read with it.
        let ends = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let line = line + ends.filter(|byte| **byte == b'\n').count() as u64;
        let read = self.reader.read_record(record);
        let end = self.reader.position().byte().saturating_sub(1);
        if end - begin >= LONGEST {
            return Err(too_long(line));
        }
        let named = |at: usize| place(at, self.head.and_then(|head| head.get(at)));
        // What follows the quote was taken into the field.
        if self.is_open && end == self.block.text.len() as u64 && !rest.is_empty() {
            let at = record.len().saturating_sub(1);
            return Err(wrong(line, &named(at), "a quote is opened here, and never closed".to_owned()));
        }
        match read {
            Ok(is_any) => Ok(is_any.then_some(line)),
            Err(error) => Err(match error.into_kind() {
                ErrorKind::Io(error) => LoadError::Read { line, error },
                ErrorKind::Utf8 { err, .. } => wrong(line, &named(err.field()), "this is not UTF-8".to_owned()),
                _ => wrong(line, &place(0, None), "this is not CSV".to_owned()),
            }),
        }
    }
}
