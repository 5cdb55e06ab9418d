//! A line of a trace, while it is read.

use data_encoding::HEXLOWER_PERMISSIVE;
use serde_json::Value as Json;

use super::LoadError;
use super::columns::{Column, Columns, place};

/// The bytes of a line, or of a record of CSV, that is none of a trace.
pub(super) const LONGEST: u64 = 1 << 20;

pub(super) fn too_long(line: u64) -> LoadError {
    wrong(line, "column 1", format!("the line has {LONGEST} bytes or more"))
}

pub(super) fn wrong(line: u64, place: &str, reason: String) -> LoadError {
    LoadError::Line { line, place: place.to_owned(), reason }
}

/// A line of a trace.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) t_ms: Option<u64>,
    pub(super) op: Option<Word>,
    pub(super) key: Option<Vec<u8>>,
    pub(super) end: Option<Vec<u8>>,
    pub(super) limit: Option<u64>,
    pub(super) bytes: u64,
    pub(super) batch: Option<u64>,
    /// The values of fields, as JSON; null for none.
    pub(super) fields: Vec<Json>,
    /// The columns of fields, from 0, where lines have columns.
    columns: Vec<Option<usize>>,
    /// Buffers of keys that are not there now.
    spare: Vec<Vec<u8>>,
}

/// A word for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Put,
    Delete,
    Get,
    Scan,
}

impl Word {
    fn of(text: &str) -> Result<Self, String> {
        Ok(match text {
            "put" | "increment" => Self::Put,
            "delete" => Self::Delete,
            "get" => Self::Get,
            "scan" => Self::Scan,
            other => return Err(format!("{other:?} is none of put, delete, get, scan, increment")),
        })
    }
}

impl Line {
    pub(super) fn new(columns: &Columns) -> Self {
        Self { fields: vec![Json::Null; columns.fields()], ..Self::default() }
    }

    /// Says which columns there are.
    pub(super) fn found_at(&mut self, known: &[Column]) {
        let column = |field| known.iter().position(|column| *column == Column::Field(field));
        self.columns = (0..self.fields.len()).map(column).collect();
    }

    /// The words for the place of a field.
    pub(super) fn place(&self, field: usize, name: &str) -> String {
        match self.columns.get(field) {
            Some(Some(column)) => place(*column, Some(name)),
            _ => format!("`{name}`"),
        }
    }

    pub(super) fn clear(&mut self) {
        self.spare.extend(self.key.take().into_iter().chain(self.end.take()));
        (self.t_ms, self.op, self.limit, self.bytes, self.batch) = (None, None, None, 0, None);
        self.fields.fill(Json::Null);
    }

    /// Takes the text of a column.
    pub(super) fn take(&mut self, column: Column, text: &str) -> Result<(), String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is not a whole number"));
        // A cell without text says nothing.
        if text.is_empty() && !matches!(column, Column::Key | Column::Field(_)) {
            return Ok(());
        }
        match column {
            Column::Time => self.t_ms = Some(number(text)?),
            Column::Op => self.op = Some(Word::of(text)?),
            Column::Key => self.key = Some(self.hex(text)?),
            Column::End => self.end = Some(self.hex(text)?),
            Column::Limit => self.limit = Some(number(text)?).filter(|limit| *limit > 0),
            Column::Bytes => self.bytes = number(text)?,
            Column::Batch => self.batch = Some(number(text)?),
            Column::Field(_) if text.is_empty() => {}
            Column::Field(at) => self.fields[at] = Json::String(text.to_owned()),
        }
        Ok(())
    }

    fn hex(&mut self, text: &str) -> Result<Vec<u8>, String> {
        let mut key = self.spare.pop().unwrap_or_default();
        key.clear();
        key.resize(text.len() / 2, 0);
        let told = |at: usize| {
            let char = text.get(at..).and_then(|rest| rest.chars().next());
            char.map_or_else(String::new, |char| format!(": {char:?} at {}", at + 1))
        };
        match text.len() % 2 {
            0 => match HEXLOWER_PERMISSIVE.decode_mut(text.as_bytes(), &mut key) {
                Ok(_) => Ok(key),
                Err(error) => Err(format!("this is not hex{}", told(error.error.position))),
            },
            _ => Err("this is not hex: half a byte at its end".to_owned()),
        }
    }
}
