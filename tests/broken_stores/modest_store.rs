//! A store that promises as little as it may.

use std::sync::Arc;

use rowkey::store::{Batch, CallOptions, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId, check_key};
use rowkey::{Error, KeyRange};

/// No snapshots, no counters, each row by itself.
pub(crate) struct Modest(pub(crate) Arc<dyn Store>);

impl Readable for Modest {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        check_key(key)?;
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        Box::new(Live::new(Arc::clone(&self.0), scan.clone()))
    }
}

impl Store for Modest {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self(self.0.with_options(options)))
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::none()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id().check_write()?;
        batch.check_keys()?;
        batch.writes().try_for_each(|write| self.0.write(Batch::new().push(write)))
    }

    fn increment(&self, _: &[u8], _: i64) -> Result<i64, Error> {
        Err(Error::Unsupported("increment"))
    }

    fn compare_and_write(&self, _: &[u8], _: Option<&[u8]>, _: Option<&[u8]>) -> Result<bool, Error> {
        Err(Error::Unsupported("compare-and-write"))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.0.delete_ranges(ranges)
    }
}

/// A scan that is opened anew for each batch.
pub(crate) struct Live {
    store: Arc<dyn Store>,
    scan: Scan,
    left: u64,
}

impl Live {
    pub(crate) fn new(store: Arc<dyn Store>, scan: Scan) -> Self {
        Self { store, left: scan.limit.unwrap_or(u64::MAX), scan }
    }
}

impl Rows for Live {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        if self.left == 0 {
            batch.clear();
            return Ok(());
        }
        let read = self.store.scan(&self.scan.clone().limit(self.left)).next_batch(batch);
        read.inspect_err(|_| self.left = 0)?;
        self.left -= batch.len() as u64;
        let Some((last, _)) = batch.len().checked_sub(1).and_then(|last| batch.get(last)) else {
            self.left = 0;
            return Ok(());
        };
        let rest = match self.scan.reverse {
            true => KeyRange::new([], Some(last)),
            false => Some(KeyRange::after(last)),
        };
        self.scan.ranges = self.scan.ranges.iter().filter_map(|range| range.intersect(rest.as_ref()?)).collect();
        Ok(())
    }
}
