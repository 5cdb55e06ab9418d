//! Pages of a scan, each with the cursor to the next.

use super::scan::TableScan;
use crate::keys::cursor::Cursor;
use crate::keys::key::OwnedKey;
use crate::store::error::Error;
use crate::store::value::RowValue;

impl<K: OwnedKey, V: RowValue> TableScan<K, V> {
    /// Returns up to `rows` rows and, if there are more, the cursor to the next page. It reads one row more than it
    /// returns to find out. A page of 0 rows is read as a page of 1.
    ///
    /// If rows come in [pieces](crate::wide::Columns::piece), a page has all pieces of its rows.
    ///
    /// ```
    /// use rowkey::{Memory, Table};
    ///
    /// let squares: Table<u32, String, _> = Table::open(Memory::new(), "squares")?;
    /// for n in 0..5 {
    ///     squares.put(&n, &(n * n).to_string())?;
    /// }
    /// let (mut pages, mut cursor) = (Vec::new(), None);
    /// loop {
    ///     let page = squares.scan(..).after(cursor).page(2)?;
    ///     pages.push(page.rows.len());
    ///     cursor = page.next;
    ///     if cursor.is_none() {
    ///         break;
    ///     }
    /// }
    /// assert_eq!(pages, [2, 2, 1]);
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    #[doc(alias = "pagination")]
    pub fn page(self, rows: usize) -> Result<Page<K, V>, Error> {
        let rows = u64::try_from(rows.max(1)).unwrap_or(u64::MAX);
        // The row after the page tells whether there is a next page.
        let mut scan = self.limit(rows.saturating_add(1)).in_one_call();
        if let Some(progress) = scan.progress()? {
            progress.page(rows);
        }
        let mut rows = Vec::new();
        while let Some(row) = scan.next().transpose()? {
            rows.push(row);
        }
        let more = scan.progress()?.is_some_and(|progress| progress.has_more());
        Ok(Page { rows, next: scan.cursor().filter(|_| more), rows_read: scan.rows_read() })
    }
}

/// A page of a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<K, V> {
    /// The rows.
    pub rows: Vec<(K, V)>,
    /// The cursor to the next page, or `None` if this is the last.
    pub next: Option<Cursor>,
    /// The number of rows read from the store for this page.
    pub rows_read: u64,
}
