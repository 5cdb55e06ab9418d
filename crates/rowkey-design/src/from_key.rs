//! Designs of structs, and the test that a design file and a struct agree.

use std::path::Path;

use rowkey::layout::{Type, Unit};
use rowkey::{LayoutBuf, RowKey};

use crate::design::Meaning;
use crate::import::{Source, import};
use crate::problem::{File, Problems};
use crate::quote;
use crate::resolve::Design;

impl Design {
    /// The design of a key type: one table of its name, with its fields, their units, and its salt or digest.
    ///
    /// # Errors
    /// If the key has an encoding of one's own (`#[rowkey(with = ..)]`), which a design file has no word for.
    ///
    /// ```
    /// use rowkey::RowKey;
    /// use rowkey_design::Design;
    ///
    /// #[derive(RowKey)]
    /// #[rowkey(salt(buckets = 16, by(user)))]
    /// struct Visit {
    ///     user: u64,
    ///     #[rowkey(desc)]
    ///     at: i64,
    /// }
    ///
    /// let design = Design::of::<Visit>()?;
    /// assert_eq!(design.tables["Visit"].layout.shape(), "salt(16 xxh3 by 0) u64, i64 desc");
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    pub fn of<K: RowKey>() -> Result<Self, Problems> {
        let layout = LayoutBuf::from(&K::LAYOUT);
        let json = File { name: format!("{}.json", layout.name()), text: layout.to_json() };
        let mut text = import(json, Source::Layout, None)?;
        let units: Vec<_> = units::<K>().collect();
        if !units.is_empty() {
            text.push_str(&format!("\n[table.{}.means]\n", quote::toml_key(layout.name())));
            for (field, meaning) in units {
                text.push_str(&format!("{} = {}\n", quote::toml_key(field), quote::toml(&meaning.to_string())));
            }
        }
        Self::parse([File { name: format!("{}.rowkey.toml", layout.name()), text }])
    }
}

/// The fields whose types have a unit, and what they mean.
fn units<K: RowKey>() -> impl Iterator<Item = (&'static str, Meaning)> {
    K::LAYOUT.fields.iter().filter_map(|field| Some((field.name, meaning(field.ty)?)))
}

fn meaning(ty: &Type) -> Option<Meaning> {
    match ty {
        Type::Measured { unit, .. } => match unit {
            Unit::Second => Some(Meaning::Seconds),
            Unit::Millisecond => Some(Meaning::Millis),
            Unit::Microsecond => Some(Meaning::Micros),
            Unit::Nanosecond => Some(Meaning::Nanos),
            Unit::BucketOf(_) => Some(Meaning::TimeBucket),
            Unit::SnowflakeSince(_) => Some(Meaning::Snowflake),
            _ => None,
        },
        Type::Option(ty) => meaning(ty),
        _ => None,
    }
}

/// Asserts that a table, or secondary table, of a design file has the key of a struct: one line of a test. A field
/// whose type has a unit, such as `Millis`, must not mean something else in the file.
///
/// # Panics
/// If the file cannot be read, is not valid, has no such table, or has another key. The message says both shapes, and
/// where the file has its own.
///
/// ```no_run
/// # #[derive(rowkey::RowKey)]
/// # struct Visit { user: u64 }
/// rowkey_design::assert_key::<Visit>("designs/visits.rowkey.toml", "visits");
/// ```
#[track_caller]
pub fn assert_key<K: RowKey>(path: impl AsRef<Path>, table: &str) {
    let path = path.as_ref();
    if let Err(difference) = compare::<K>(path, table) {
        panic!("{difference}");
    }
}

fn compare<K: RowKey>(path: &Path, name: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let file = File { name: path.display().to_string(), text };
    let design = Design::parse([file]).map_err(|problems| problems.to_string())?;
    let mut keys = design.tables.values().flat_map(|table| {
        let secondaries = table.table.secondary.iter().zip(&table.secondary);
        let means = &table.table.means;
        let secondaries = secondaries.map(move |(secondary, layout)| (&secondary.name, layout, &secondary.key, means));
        std::iter::once((&table.name, &table.layout, &table.table.key, means)).chain(secondaries)
    });
    let Some((at, layout, fields, means)) = keys.find(|(at, ..)| at.as_str() == name) else {
        let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
        return Err(format!("{} has no table {name:?}; it has: {}", path.display(), known.join(", ")));
    };
    let of_struct = LayoutBuf::from(&K::LAYOUT);
    let names = |layout: &LayoutBuf| layout.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let (file_names, struct_names) = (names(layout), names(&of_struct));
    if layout.shape() == of_struct.shape() && file_names == struct_names {
        let mut meant = units::<K>().filter_map(|(field, unit)| Some((field, unit, means.get(field)?)));
        let Some((field, unit, meant)) = meant.find(|(_, unit, meant)| meant.value != *unit) else {
            return Ok(());
        };
        let (line, column) = design.files.line_and_column(meant.place);
        return Err(format!(
            "{}:{line}:{column}: the field {field:?} of {name:?} means {}, and that of {} is in {unit}; write \
             `means.{field} = \"{unit}\"`, or migrate the table: rows of one unit are read as of the other",
            path.display(),
            meant.value,
            of_struct.name(),
        ));
    }
    let differs = layout
        .fields()
        .iter()
        .zip(of_struct.fields())
        .position(|(a, b)| a.name != b.name || a.to_string() != b.to_string());
    let place = differs.and_then(|field| fields.get(field)).map_or(at.place, |field| field.place);
    let (line, column) = design.files.line_and_column(place);
    let described = |layout: &LayoutBuf| format!("{} ({})", layout.shape(), names(layout).join(", "));
    Err(format!(
        "{}:{line}:{column}: the key of {name:?} is {}, and that of {} is {}; write in the file what the struct has, or migrate the table",
        path.display(),
        described(layout),
        of_struct.name(),
        described(&of_struct)
    ))
}
