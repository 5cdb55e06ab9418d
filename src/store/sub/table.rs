//! One table of a [`SubStore`](super::SubStore).

use std::sync::Arc;

use super::keys::{of_table, ranges_under, stray_row, under};
use crate::keys::range::KeyRange;
use crate::store::error::{Error, RowErrors};
use crate::store::{Batch, CallOptions, Guarantees, Limits, Readable, Room, RowBatch, Rows, Scan, Store, TableId};

/// One table, as a transaction sees it.
pub(super) struct SubView<'v> {
    pub(super) view: &'v dyn Readable,
    pub(super) prefix: &'v [u8],
}

impl Readable for SubView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.view.get(&[self.prefix, key].concat())
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        SubRows::open(|beneath| self.view.scan(beneath), scan, self.prefix)
    }
}

/// One table of a [`SubStore`].
pub(super) struct SubTable<S> {
    pub(super) id: TableId,
    pub(super) store: Arc<S>,
    pub(super) prefix: Vec<u8>,
    pub(super) limits: Limits,
}

impl<S: Store> SubTable<S> {
    fn key(&self, key: &[u8]) -> Vec<u8> {
        [&self.prefix, key].concat()
    }

    fn ranges(&self, ranges: &[KeyRange]) -> Vec<KeyRange> {
        ranges_under(&self.prefix, ranges)
    }

    /// Removes the prefix from a key of the store.
    pub(super) fn key_of(&self, key: &[u8]) -> Vec<u8> {
        key.strip_prefix(self.prefix.as_slice()).unwrap_or(key).to_vec()
    }

    /// A result whose error names this table.
    pub(super) fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| self.error(error))
    }

    /// Translates an error: the table's name and keys in place of the store's.
    fn error(&self, error: Error) -> Error {
        match error {
            Error::DeadlineExceeded { doing, .. } => {
                Error::DeadlineExceeded { doing, table: self.id.name().to_owned() }
            }
            Error::Cancelled { doing, .. } => Error::Cancelled { doing, table: self.id.name().to_owned() },
            Error::NotACounter { key, len } => Error::NotACounter { key: self.key_of(&key), len },
            Error::Rows(rows) => {
                let mut of_table = RowErrors::new(rows.total());
                rows.in_call(&mut of_table, Some(self.id.name()), |row| row.index(), |row| self.key_of(row.key()));
                Error::Rows(Box::new(of_table))
            }
            Error::OutcomeUnknown { source, .. } => Error::OutcomeUnknown { table: self.id.name().to_owned(), source },
            other => other,
        }
    }
}

impl<S: Store> Readable for SubTable<S> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.named(self.store.get(&self.key(key)))
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        SubRows::open(|beneath| self.store.scan(beneath), scan, &self.prefix)
    }
}

impl<S: Store> Store for SubTable<S> {
    fn id(&self) -> &TableId {
        &self.id
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let store = Arc::new(self.store.with_options(options));
        Arc::new(SubTable { id: self.id.clone(), store, prefix: self.prefix.clone(), limits: self.limits })
    }

    fn guarantees(&self) -> Guarantees {
        of_table(self.store.guarantees(), &self.prefix)
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|key| self.key(key)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        self.named(self.store.get_many(&keys))
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.id.check_write()?;
        self.limits.check(self.id.name(), batch)?;
        let mut beneath = Batch::new();
        under(&self.prefix, batch, &mut beneath);
        self.named(self.store.write(&beneath))
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.id.check_write()?;
        self.limits.check_row(self.id.name(), key, None)?;
        self.named(self.store.increment(&self.key(key), by))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.id.check_write()?;
        self.limits.check_row(self.id.name(), key, new)?;
        self.named(self.store.compare_and_write(&self.key(key), expected, new))
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.id.check_write()?;
        self.named(self.store.delete_ranges(&self.ranges(ranges)))
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.id.check_write()?;
        let written = self.store.transact(&mut |view| {
            let batch = body(&SubView { view, prefix: &self.prefix })?;
            self.limits.check(self.id.name(), &batch)?;
            let mut beneath = Batch::new();
            under(&self.prefix, &batch, &mut beneath);
            Ok(beneath)
        });
        match written {
            Err(error @ (Error::DeadlineExceeded { .. } | Error::Cancelled { .. } | Error::OutcomeUnknown { .. })) => {
                Err(self.error(error))
            }
            other => other,
        }
    }
}

/// A scan of one table, which removes the prefix from the keys.
pub(super) struct SubRows {
    /// `None` after an error.
    pub(super) rows: Option<Box<dyn Rows>>,
    pub(super) prefix: Vec<u8>,
    pub(super) prefixed: RowBatch,
    pub(super) batch_bytes: usize,
}

impl SubRows {
    fn open(rows: impl FnOnce(&Scan) -> Box<dyn Rows>, scan: &Scan, prefix: &[u8]) -> Box<dyn Rows> {
        // A batch is held twice: with the prefix and without.
        let beneath = Scan { ranges: ranges_under(prefix, &scan.ranges), ..*scan }.divided(2);
        let (rows, prefixed) = (Some(rows(&beneath)), RowBatch::new());
        Box::new(Self { rows, prefix: prefix.to_vec(), prefixed, batch_bytes: beneath.batch_bytes })
    }
}

impl Rows for SubRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear_within(self.batch_bytes);
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let read = rows.next_batch(&mut self.prefixed);
        read.map_err(|error| error.of_row(|key| key.strip_prefix(self.prefix.as_slice())))?;
        let mut room = Room::new(batch, usize::MAX, self.batch_bytes);
        for (key, value) in self.prefixed.iter() {
            let Some(key) = key.strip_prefix(self.prefix.as_slice()) else {
                self.rows = None;
                return Err(stray_row());
            };
            room.push(key, value);
        }
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        if let Some(rows) = &mut self.rows {
            rows.skip_to(&[&self.prefix, key].concat());
        }
    }
}
