//! How a table is made.

use crate::store::error::Error;

/// How a table is made: split points and options of the engine. Without any it is as [`Database::table`](super::Database::table)
/// makes it.
///
/// ```
/// use rowkey::Memory;
/// use rowkey::store::{Database, NewTable};
///
/// let db = Memory::new();
/// // Memory has no regions, so it needs no split points; an engine that has them makes three here.
/// db.create_table("visits", &NewTable::new().split_at(["g", "p"]))?;
/// assert!(matches!(db.create_table("visits", &NewTable::new()), Err(rowkey::Error::TableExists(_))));
/// assert!(matches!(db.create_table("other", &NewTable::new().split_at(["p", "g"])), Err(rowkey::Error::SplitPoint { .. })));
/// # Ok::<(), rowkey::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewTable {
    /// Row keys at which regions begin: sorted, none twice, none empty.
    pub split_points: Vec<Vec<u8>>,
    /// Names and values of the engine's options; of two with one name the later holds.
    pub options: Vec<(String, String)>,
}

impl NewTable {
    /// No split points, no options.
    pub const fn new() -> Self {
        Self { split_points: Vec::new(), options: Vec::new() }
    }

    /// The table has regions that meet at these row keys, in place of those that were said before. They are sorted, none is empty
    /// or comes twice. An engine without regions makes nothing of them: see
    /// [`Guarantees::split_points`](super::Guarantees::split_points).
    #[must_use]
    pub fn split_at(mut self, points: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        self.split_points = points.into_iter().map(Into::into).collect();
        self
    }

    /// An option of the engine, by its name: of HBase those of tables and families, of `Fjall` those of
    /// `TableOptions`.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.push((name.into(), value.into()));
        self
    }

    /// Whether a table can be made so by an engine that knows these options; it asks before it makes anything.
    ///
    /// # Errors
    ///
    /// [`Error::SplitPoint`], [`Error::TableOption`].
    pub fn check(&self, table: &str, known: &[&str]) -> Result<(), Error> {
        let mut before: &[u8] = &[];
        for (index, point) in self.split_points.iter().enumerate() {
            let what = match point.as_slice() {
                [] => "is empty: the first region begins there anyway",
                point if point == before => "is there twice",
                point if point < before => "sorts before the one in front of it",
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
                Err(option_error(table, name, format!("there is no such option, there is {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }
}

/// An option of a table that can't be.
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
        assert_eq!(said, r#"table "t" can't have the option "color": there is no such option, there is size, form"#);
        let said = table.check("t", &[]).unwrap_err().to_string();
        assert_eq!(said, r#"table "t" can't have the option "color": this engine has no options for tables"#);
    }
}
