//! The table whose keys are explained.

use std::ffi::OsString;
use std::path::Path;

use rowkey::LayoutBuf;
use rowkey_design::Design;
use rowkey_design::internal::explain::Times;

use super::Args;
use crate::designs;
use crate::failure::Failure;

/// A layout, and the table and design that it is from.
pub(super) enum Subject {
    Table(Box<Design>, String, LayoutBuf),
    Layout(LayoutBuf),
}

impl Subject {
    /// The subject, and the arguments after it.
    pub(super) fn of(args: &Args) -> Result<(Self, &[OsString]), Failure> {
        if let Some(shape) = &args.shape {
            let layout = shape.parse().map_err(|error| Failure::new(format!("--shape: {error}")))?;
            return Ok((Self::Layout(layout), &args.arguments));
        }
        if let Some(path) = &args.layout {
            let file = designs::file(path)?;
            let layout = LayoutBuf::from_json(&file.text);
            let layout = layout.map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
            return Ok((Self::Layout(layout), &args.arguments));
        }
        let [design, table, rest @ ..] = &args.arguments[..] else {
            return Err(Failure::new("write DESIGN TABLE, --shape SHAPE or --layout FILE; see rowkey explain --help"));
        };
        let design = designs::read(&[Path::new(design).to_owned()])?;
        let table = table.to_string_lossy().into_owned();
        let Some(layout) = design.layout_named(&table).cloned() else {
            let known = design.names_of_tables().join(", ");
            return Err(Failure::new(format!("there is no table {table:?}; the design has {known}")));
        };
        Ok((Self::Table(Box::new(design), table, layout), rest))
    }

    /// Its fields that are times.
    pub(super) fn times(&self) -> Times<'_> {
        match self {
            Self::Table(design, table, _) => design.times_of(table),
            Self::Layout(_) => Times::default(),
        }
    }

    pub(super) fn layout(&self) -> &LayoutBuf {
        match self {
            Self::Table(_, _, layout) | Self::Layout(layout) => layout,
        }
    }
}
