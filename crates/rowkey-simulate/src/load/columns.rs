//! The columns of a trace.

use rowkey::LayoutBuf;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Op,
    Key,
    End,
    Limit,
    Bytes,
    Batch,
    /// A field of the key, by its index.
    Field(usize),
}

const NAMED: [(&str, Column); 7] = [
    ("t_ms", Column::Time),
    ("op", Column::Op),
    ("key", Column::Key),
    ("end", Column::End),
    ("limit", Column::Limit),
    ("bytes", Column::Bytes),
    ("batch", Column::Batch),
];

/// The columns that a trace of a layout may have. A field with the name of another column is in `key` alone.
#[derive(Debug)]
pub(super) struct Columns(Vec<String>);

impl Columns {
    pub(super) fn of(layout: &LayoutBuf) -> Self {
        Self(layout.fields().iter().map(|field| field.name.clone()).collect())
    }

    /// The number of fields.
    pub(super) fn fields(&self) -> usize {
        self.0.len()
    }

    /// The column with a name, or what names there are.
    pub(super) fn named(&self, name: &str) -> Result<Column, String> {
        let known = NAMED.iter().find(|(known, _)| *known == name).map(|(_, column)| *column);
        let field = || self.0.iter().position(|field| field == name).map(Column::Field);
        known.or_else(field).ok_or_else(|| {
            let names: Vec<&str> =
                NAMED.iter().map(|(name, _)| *name).chain(self.0.iter().map(String::as_str)).collect();
            format!("there is no such column; known: {}", names.join(", "))
        })
    }
}

/// The words for a column.
pub(super) fn place(at: usize, name: Option<&str>) -> String {
    let name = name.map_or_else(String::new, |name| format!(" (`{name}`)"));
    format!("column {}{name}", at + 1)
}
