//! A store as it will be once a batch is written.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoIter;

use crate::error::Error;
use crate::store::{Batch, RowBatch, Rows, Scan, View, Write};

/// What a transaction sees, and on top of it what it is about to write. Scans go forward, without a limit.
pub(super) struct Written<'v> {
    pub(super) view: &'v dyn View,
    pub(super) batch: &'v Batch,
}

impl Written<'_> {
    fn read(&self, scan: &Scan) -> Result<BTreeMap<Vec<u8>, Vec<u8>>, Error> {
        let (mut rows, mut all, mut batch) = (self.view.scan(scan), BTreeMap::new(), RowBatch::new());
        loop {
            rows.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            all.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
        }
        for write in self.batch.writes() {
            if scan.ranges.iter().any(|range| range.contains(write.key())) {
                match write {
                    Write::Put(key, value) => all.insert(key.to_vec(), value.to_vec()),
                    Write::Delete(key) => all.remove(key),
                };
            }
        }
        Ok(all)
    }
}

impl View for Written<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        match self.batch.writes().filter(|write| write.key() == key).last() {
            Some(write) => Ok(write.value().map(<[u8]>::to_vec)),
            None => self.view.get(key),
        }
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        if self.batch.is_empty() {
            return self.view.scan(scan);
        }
        let (rows, failed) = match self.read(scan) {
            Ok(rows) => (rows, None),
            Err(error) => (BTreeMap::new(), Some(error)),
        };
        Box::new(WrittenRows { rows: rows.into_iter(), failed, batch_rows: scan.batch_rows })
    }
}

struct WrittenRows {
    rows: IntoIter<Vec<u8>, Vec<u8>>,
    failed: Option<Error>,
    batch_rows: usize,
}

impl Rows for WrittenRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        self.rows.by_ref().take(self.batch_rows).for_each(|(key, value)| batch.push(&key, &value));
        self.failed.take().map_or(Ok(()), Err)
    }
}
