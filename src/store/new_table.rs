//! The settings of a new table: split points and options of the engine.

use crate::store::error::Error;

/// The settings of a new table: split points and options of the engine. Default: none of either, as
/// [`Database::table`](super::Database::table) creates it.
#[doc(alias = "pre-split")]
#[doc(alias = "TableDescriptor")]
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Database, NewTable};
///
/// let db = Memory::new();
/// // Memory has no regions and ignores split points. An engine with regions creates three.
/// db.create_table("visits", &NewTable::new().split_at(["g", "p"]))?;
/// assert!(matches!(db.create_table("visits", &NewTable::new()), Err(rowkey::Error::TableExists(_))));
/// assert!(matches!(db.create_table("other", &NewTable::new().split_at(["p", "g"])), Err(rowkey::Error::SplitPoint { .. })));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewTable {
    /// Row keys at which regions begin: sorted, not empty, no duplicates.
    pub split_points: Vec<Vec<u8>>,
    /// Names and values of the engine's options. Of two with one name the later wins.
    pub options: Vec<(String, String)>,
}

/// The mode in which a table is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Opens it, and creates it if it does not exist.
    OpenOrCreate,
    /// Opens it; it must exist.
    Open,
    /// Creates it; it must not exist.
    Create(NewTable),
}

impl NewTable {
    /// No split points, no options.
    pub const fn new() -> Self {
        Self { split_points: Vec::new(), options: Vec::new() }
    }

    /// Sets the row keys at which regions begin: sorted, not empty, no duplicates. They replace those set before. An
    /// engine without regions ignores them: see [`Guarantees::split_points`](super::Guarantees::split_points).
    #[must_use]
    pub fn split_at(mut self, points: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        self.split_points = points.into_iter().map(Into::into).collect();
        self
    }

    /// Adds an option of the engine, by name: for HBase an attribute of the table or a family, for `Fjall` a field of
    /// its `TableOptions`.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// Checks the split points, and the options against the names that the engine knows. For authors of engines, to
    /// call before a table is created.
    ///
    /// # Errors
    ///
    /// [`Error::SplitPoint`], [`Error::TableOption`].
    pub fn check(&self, table: &str, known: &[&str]) -> Result<(), Error> {
        let mut before: &[u8] = &[];
        for (index, point) in self.split_points.iter().enumerate() {
            let what = match point.as_slice() {
                [] => "is empty: the first region begins there already",
                point if point == before => "is a duplicate",
                point if point < before => "sorts before the previous one",
                _ => {
                    before = point;
                    continue;
                }
            };
            return Err(Error::SplitPoint { table: table.to_owned(), index, what });
        }
        match self.options.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((name, _)) if known.is_empty() => {
                Err(option_error(table, name, "this engine has no options for tables".to_owned()))
            }
            Some((name, _)) => {
                Err(option_error(table, name, format!("there is no such option; the options are {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }
}

/// An option that a table can't have.
pub(crate) fn option_error(table: &str, option: &str, what: String) -> Error {
    Error::TableOption { table: table.to_owned(), option: option.to_owned(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_points_are_sorted_and_each_is_there_once() {
        let at = |points: &[&str]| match NewTable::new().split_at(points.iter().copied()).check("t", &[]) {
            Ok(()) => None,
            Err(Error::SplitPoint { table, index, .. }) if table == "t" => Some(index),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(at(&[]), None);
        assert_eq!(at(&["a", "a\0", "b"]), None);
        assert_eq!(at(&[""]), Some(0));
        assert_eq!(at(&["a", ""]), Some(1));
        assert_eq!(at(&["a", "b", "b"]), Some(2));
        assert_eq!(at(&["b", "a"]), Some(1));
    }

    #[test]
    fn an_option_that_there_is_not_is_refused_with_those_that_there_are() {
        let table = NewTable::new().option("color", "red");
        assert!(table.check("t", &["color"]).is_ok());
        let said = table.check("t", &["size", "form"]).unwrap_err().to_string();
        assert_eq!(
            said,
            r#"table "t" can't have the option "color": there is no such option; the options are size, form"#
        );
        let said = table.check("t", &[]).unwrap_err().to_string();
        assert_eq!(said, r#"table "t" can't have the option "color": this engine has no options for tables"#);
    }
}
