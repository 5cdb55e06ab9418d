//! The columns of a trace.

use rowkey::LayoutBuf;
use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

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
pub(super) struct Columns {
    fields: Vec<String>,
    /// True for each field whose values may have blanks at their ends.
    have_blanks: Vec<bool>,
}

impl Columns {
    pub(super) fn of(layout: &LayoutBuf) -> Self {
        let fields = layout.fields();
        Self {
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            have_blanks: fields.iter().map(|field| has_blanks(&field.ty)).collect(),
        }
    }

    /// True if blanks around the text of a column are its own.
    pub(super) fn keeps_blanks(&self, column: Column) -> bool {
        matches!(column, Column::Field(at) if self.have_blanks.get(at).is_some_and(|has| *has))
    }

    /// The number of fields.
    pub(super) fn fields(&self) -> usize {
        self.fields.len()
    }

    /// The column with a name, or what names there are.
    pub(super) fn named(&self, name: &str) -> Result<Column, String> {
        let known = NAMED.iter().find(|(known, _)| *known == name).map(|(_, column)| *column);
        let field = || self.fields.iter().position(|field| field == name).map(Column::Field);
        known.or_else(field).ok_or_else(|| {
            let names: Vec<&str> =
                NAMED.iter().map(|(name, _)| *name).chain(self.fields.iter().map(String::as_str)).collect();
            format!("there is no such column; known: {}", names.join(", "))
        })
    }
}

/// False of numbers and the like: text alone may begin or end with a blank.
fn has_blanks(ty: &TypeBuf) -> bool {
    match ty {
        TypeBuf::Scalar(scalar) => match scalar {
            Scalar::Foreign(foreign) => matches!(foreign.values(), Scalar::Text | Scalar::Char),
            scalar => matches!(scalar, Scalar::Text | Scalar::Char | Scalar::HostPath | Scalar::Url),
        },
        TypeBuf::Option(inner) => has_blanks(inner),
        _ => true,
    }
}

/// The words for a column.
pub(super) fn place(at: usize, name: Option<&str>) -> String {
    let name = name.map_or_else(String::new, |name| format!(" (`{name}`)"));
    format!("column {}{name}", at + 1)
}
