//! Reads of one row.

use bytes::Bytes;

use crate::model::columns::{Columns, columns};
use crate::model::error::{Error, Result};
use crate::model::row::wrong_key;
use crate::pb;

/// Reads a row.
#[derive(Debug, Clone)]
pub struct Get {
    row: Bytes,
    columns: Columns,
}

impl Get {
    /// Reads the row with this key.
    pub fn new(row: impl AsRef<[u8]>) -> Self {
        Self { row: Bytes::copy_from_slice(row.as_ref()), columns: Columns::default() }
    }

    /// The key of the row.
    pub fn row(&self) -> &[u8] {
        &self.row
    }

    columns!();

    /// Checks that a server can read it.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = wrong_key(&self.row).or_else(|| self.columns.wrong());
        wrong.map_or(Ok(()), |wrong| Err(Error::invalid(wrong)))
    }

    pub(crate) fn to_pb(&self, only_existence: bool) -> pb::Get {
        let columns = &self.columns;
        let (store_limit, store_offset) = columns.cells_to_pb();
        pb::Get {
            row: self.row.clone(),
            column: columns.to_pb(),
            filter: columns.filter_to_pb(false),
            time_range: columns.time_range,
            max_versions: columns.versions,
            cache_blocks: columns.no_cache.then_some(false),
            store_limit,
            store_offset,
            load_column_families_on_demand: columns.on_demand_to_pb(false),
            existence_only: only_existence.then_some(true),
        }
    }
}

impl<T: AsRef<[u8]>> From<T> for Get {
    fn from(row: T) -> Self {
        Self::new(row)
    }
}
