//! The part of a read that a server's filters leave to its client.

use super::{Cell, Columns, TableSchema};
use crate::keys::range::KeyRange;
use crate::store::error::Error;

/// The part of a read that is left to the client, where the filters of a server let more cells through than are asked
/// for. For authors of engines.
///
/// ```
/// use rowkey::wide::{Cell, ClientFilter, Columns, Compare};
///
/// let cell = |qualifier, timestamp, value| Cell { family: "f", qualifier, timestamp, value };
/// let (a, b): (&[u8], &[u8]) = (b"a", b"b");
/// let mut cells = vec![cell(a, 9, a), cell(a, 8, b), cell(a, 7, b), cell(b, 9, b)];
/// let asked = Columns::of("f:a").value(Compare::Equal, "b");
/// ClientFilter::All(Box::new(asked)).retain(&mut cells, |cell| *cell);
/// assert_eq!(cells, [cell(a, 8, b)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientFilter {
    /// Nothing: the server returns what is asked for.
    Nothing,
    /// The server cut each of several families to a page; the client cuts the row to one.
    Page {
        /// Number of cells to skip.
        offset: u64,
        /// Maximum number of cells.
        most: u64,
    },
    /// The server has chosen rows, families and times alone.
    All(Box<Columns>),
}

impl ClientFilter {
    /// Returns whether a row may have no cell left. A server's limit of rows counts those too.
    pub fn drops_rows(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Page { offset, .. } => *offset > 0,
            Self::All(_) => true,
        }
    }

    /// Drops the cells of a row that are not asked for. They are in the order of a [`Row`](super::Row)'s. `cell` reads
    /// one of them.
    pub fn retain<'r, C>(&self, cells: &mut Vec<C>, cell: impl Fn(&C) -> Cell<'r>) {
        match self {
            Self::Nothing => {}
            Self::Page { offset, most } => page(cells, *offset, *most),
            Self::All(columns) => {
                let (mut column, mut seen) = (None, 0);
                cells.retain(|this| {
                    let this = cell(this);
                    if !columns.takes(&this) {
                        return false;
                    }
                    let name = Some((this.family, this.qualifier));
                    seen = if column == name { seen + 1 } else { 1 };
                    column = name;
                    seen <= columns.versions
                });
                if let Some((offset, most)) = columns.page() {
                    page(cells, offset, most);
                }
            }
        }
    }
}

fn page<C>(cells: &mut Vec<C>, offset: u64, most: u64) {
    let [offset, most] = [offset, most].map(|cells| usize::try_from(cells).unwrap_or(usize::MAX));
    cells.drain(..offset.min(cells.len()));
    cells.truncate(most);
}

/// All qualifiers.
const ALL: &[KeyRange] = &[KeyRange::all()];

impl Columns {
    /// The families to read of a table, each with the ranges of its qualifiers. No family if nothing is asked for: no
    /// column, no version, no time. For authors of engines.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchFamily`] of a family that is asked for, or that the condition on rows names.
    pub fn families_of<'c>(&'c self, schema: &'c TableSchema) -> Result<Vec<(&'c str, &'c [KeyRange])>, Error> {
        let named = self.rows_where.iter().map(|condition| &condition.column.family);
        self.families().keys().chain(named).try_for_each(|family| schema.require(family).map(drop))?;
        let no_time = self.time.is_some_and(|(start, end)| start >= end || end <= 0);
        if no_time || self.versions == 0 || self.limit == Some(0) {
            return Ok(Vec::new());
        }
        Ok(match self.families().is_empty() {
            true => schema.families.keys().map(|family| (family.as_str(), ALL)).collect(),
            false => {
                let chosen = self.families().iter().filter(|(_, ranges)| !ranges.is_empty());
                chosen.map(|(family, ranges)| (family.as_str(), &**ranges)).collect()
            }
        })
    }

    /// The columns of a row to skip and the maximum to return; `None` if all are asked for. For authors of engines.
    pub fn page(&self) -> Option<(u64, u64)> {
        let most = if self.first_only { Some(self.limit.unwrap_or(1).min(1)) } else { self.limit };
        (most.is_some() || self.offset > 0).then(|| (self.offset, most.unwrap_or(u64::MAX)))
    }

    /// Returns whether a cell's column, time and value are asked for.
    fn takes(&self, cell: &Cell<'_>) -> bool {
        let chosen = match self.families().get(cell.family) {
            None => self.families().is_empty(),
            Some(ranges) => KeyRange::any_contains(ranges, cell.qualifier),
        };
        chosen
            && self.time.is_none_or(|(start, end)| (start..end).contains(&cell.timestamp))
            && self.value.as_ref().is_none_or(|(compare, given)| compare.holds(cell.value, given))
    }
}
