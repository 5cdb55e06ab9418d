//! Stores with one fault each.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use rowkey::store::{
    Batch, CallOptions, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId, Write, add_to_counter, check_key,
};
use rowkey::{Error, KeyRange, conformance};
use rowkey_testkit::Live;

use crate::broken_stores::{refused, table};
use crate::in_between;

type Row = (Vec<u8>, Vec<u8>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    EndInclusive,
    StartExclusive,
    NoRangeIsEverything,
    NoEndIsEmpty,
    PointIsAPrefix,
    SecondRangeSkipped,
    LongBoundSkipped,
    ReverseLost,
    Unsorted,
    RowTwice,
    LimitOffByOne,
    LimitIgnoredInReverse,
    LimitForEachRange,
    BatchRowsIgnored,
    BatchBytesIgnored,
    BatchBytesWithoutKeys,
    LargeRowEndsTheScan,
    BatchNotCleared,
    RowsAgainAfterTheEnd,
    NeverEnds,
    Stale,
    SnapshotAtFirstRead,
    NoSnapshot,
    EmptyKeyTaken,
    HalfABatchOnError,
    BatchInParts,
    BatchReversed,
    EmptyValueDeletes,
    LargeValueCut,
    DeleteOfAbsentFails,
    DeleteRangesTakesTheEnd,
    DeleteNoRangeIsEverything,
    GetManySorted,
    GetManyWithoutDuplicates,
    IncrementLost,
    IncrementLittleEndian,
    IncrementSaturates,
    IncrementOfAnything,
    IncrementNotDeclared,
    CompareIgnored,
    CompareTakesEmptyForAbsent,
    CompareLosesUpdates,
    CompareNotDeclared,
}
use Fault::*;

refused! { Broken::new, store:
    EndInclusive => "end-exclusive",
    StartExclusive => "start-inclusive",
    NoRangeIsEverything => "no-range",
    NoEndIsEmpty => "no-end",
    PointIsAPrefix => "point",
    SecondRangeSkipped => "every-range",
    LongBoundSkipped => "long-bounds",
    ReverseLost => "reverse",
    Unsorted => "sorted",
    RowTwice => "sorted",
    LimitOffByOne => "limit",
    LimitIgnoredInReverse => "limit",
    LimitForEachRange => "limit",
    BatchRowsIgnored => "batch-rows",
    BatchBytesIgnored => "batch-bytes",
    BatchBytesWithoutKeys => "batch-bytes",
    LargeRowEndsTheScan => "batch-bytes",
    BatchNotCleared => "batch-cleared",
    RowsAgainAfterTheEnd => "ended",
    NeverEnds => "ended",
    Stale => "read-your-writes",
    SnapshotAtFirstRead => "snapshot",
    NoSnapshot => "snapshot",
    EmptyKeyTaken => "empty-key",
    HalfABatchOnError => "whole-batch",
    BatchInParts => "whole-batch",
    BatchReversed => "batch-order",
    EmptyValueDeletes => "empty-value",
    LargeValueCut => "large-value",
    DeleteOfAbsentFails => "delete",
    DeleteRangesTakesTheEnd => "delete-ranges",
    DeleteNoRangeIsEverything => "delete-ranges",
    GetManySorted => "get-many",
    GetManyWithoutDuplicates => "get-many",
    IncrementLost => "lost-increment",
    IncrementLittleEndian => "increment",
    IncrementSaturates => "increment",
    IncrementOfAnything => "not-a-counter",
    IncrementNotDeclared => "unsupported",
    CompareIgnored => "compare-and-write",
    CompareTakesEmptyForAbsent => "compare-and-write",
    CompareLosesUpdates => "lost-update",
    CompareNotDeclared => "unsupported",
}

/// A table of a [`Memory`] with one fault.
struct Broken {
    inner: Arc<dyn Store>,
    fault: Fault,
    /// The table as the scan before saw it.
    before: Arc<Mutex<Arc<dyn Store>>>,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        Self { inner: table(), fault, before: Arc::new(Mutex::new(table())) }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.inner.write(Batch::new().put(key, value))
    }
}

fn read(rows: &mut dyn Rows) -> Vec<Row> {
    let (mut all, mut batch) = (Vec::new(), RowBatch::new());
    loop {
        rows.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return all;
        }
        all.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    }
}

fn after(key: &[u8]) -> Vec<u8> {
    [key, b"\0"].concat()
}

impl Readable for Broken {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.inner.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        let mut scan = scan.clone();
        let reverse = scan.reverse;
        let limit = scan.limit;
        match self.fault {
            EndInclusive => {
                let ranges =
                    scan.ranges.iter().filter_map(|range| KeyRange::new(range.start(), range.end().map(after)));
                scan.ranges = KeyRange::merged(ranges.collect());
            }
            StartExclusive => {
                let ranges = scan.ranges.iter().filter_map(|range| KeyRange::new(after(range.start()), range.end()));
                scan.ranges = ranges.collect();
            }
            NoRangeIsEverything if scan.ranges.is_empty() => scan.ranges = vec![KeyRange::all()],
            NoEndIsEmpty => scan.ranges.retain(|range| range.end().is_some()),
            PointIsAPrefix => {
                let is_point = |range: &KeyRange| range.end() == Some(&after(range.start()));
                let widened = |range: &KeyRange| match is_point(range) {
                    true => KeyRange::prefix(range.start()),
                    false => range.clone(),
                };
                scan.ranges = KeyRange::merged(scan.ranges.iter().map(widened).collect());
            }
            SecondRangeSkipped if scan.ranges.len() > 1 => drop(scan.ranges.remove(1)),
            LongBoundSkipped => {
                scan.ranges.retain(|range| range.end().is_none_or(|end| end.len() <= usize::from(u16::MAX)));
            }
            ReverseLost => scan.reverse = false,
            LimitOffByOne => scan.limit = limit.map(|limit| limit.saturating_add(1)),
            LimitIgnoredInReverse if reverse => scan.limit = None,
            BatchRowsIgnored => scan.batch_rows = 1000,
            Stale => {
                let now = table();
                let mut batch = Batch::new();
                read(&mut *self.inner.scan(&Scan::all())).into_iter().for_each(|(key, value)| {
                    batch.put(key, value);
                });
                now.write(&batch).unwrap();
                return std::mem::replace(&mut *self.before.lock().unwrap(), now).scan(&scan);
            }
            SnapshotAtFirstRead => return Box::new(Late { store: Arc::clone(&self.inner), scan, rows: None }),
            NoSnapshot => {
                return Box::new(Live::new(Arc::clone(&self.inner), &scan));
            }
            BatchNotCleared => return Box::new(NotCleared(self.inner.scan(&scan))),
            _ => {}
        }
        let mut rows = match self.fault {
            LimitForEachRange => {
                let mut ranges = scan.ranges.clone();
                if reverse {
                    ranges.reverse();
                }
                let each = ranges.into_iter().map(|range| {
                    let mut of_range = scan.clone();
                    of_range.ranges = vec![range];
                    of_range
                });
                each.flat_map(|scan| read(&mut *self.inner.scan(&scan))).collect()
            }
            _ => read(&mut *self.inner.scan(&scan)),
        };
        match self.fault {
            Unsorted if rows.len() > 1 => rows.swap(0, 1),
            RowTwice if rows.len() > 1 => rows.insert(1, rows[0].clone()),
            _ => {}
        }
        let again = if matches!(self.fault, RowsAgainAfterTheEnd | NeverEnds) { rows.clone() } else { Vec::new() };
        let endless = self.is(NeverEnds);
        Box::new(Listed { rows: rows.into(), again, endless, scan, fault: self.fault })
    }
}

impl Store for Broken {
    fn id(&self) -> &TableId {
        self.inner.id()
    }

    fn options(&self) -> &CallOptions {
        self.inner.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        let (inner, before) = (self.inner.with_options(options), Arc::clone(&self.before));
        Arc::new(Self { inner, fault: self.fault, before })
    }

    fn guarantees(&self) -> Guarantees {
        let mut guarantees = self.inner.guarantees();
        guarantees.increment = !self.is(IncrementNotDeclared);
        guarantees.compare_and_write = !self.is(CompareNotDeclared);
        guarantees
    }

    fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, Error> {
        let mut keys = keys.to_vec();
        match self.fault {
            GetManySorted => keys.sort_unstable(),
            GetManyWithoutDuplicates => keys.dedup(),
            _ => {}
        }
        self.inner.get_many(&keys)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        let mut writes: Vec<_> = batch.writes().collect();
        match self.fault {
            EmptyKeyTaken => {
                for write in &mut writes {
                    let (Write::Put(key, _) | Write::Delete(key)) = write;
                    if key.is_empty() {
                        *key = &[0];
                    }
                }
            }
            BatchReversed => writes.reverse(),
            DeleteOfAbsentFails => {
                for write in &writes {
                    if let Write::Delete(key) = write
                        && self.inner.get(key)?.is_none()
                        && writes.len() == 1
                        && !key.is_empty()
                    {
                        return Err(Error::engine("there is no such row"));
                    }
                }
            }
            _ => {}
        }
        let (mut whole, mut left) = (Batch::new(), writes.len());
        for write in writes {
            left -= 1;
            match write {
                Write::Put(key, value) if value.is_empty() && self.is(EmptyValueDeletes) => whole.delete(key),
                Write::Put(key, value) if self.is(LargeValueCut) => {
                    whole.put(key, &value[..value.len().min(usize::from(u16::MAX))])
                }
                write => whole.push(write),
            };
            if self.is(HalfABatchOnError) || self.is(BatchInParts) && batch.check_keys().is_ok() {
                self.inner.write(&std::mem::take(&mut whole))?;
                if left > 0 {
                    in_between();
                }
            }
        }
        self.inner.write(&whole)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        check_key(key)?;
        let stored = self.inner.get(key)?;
        match self.fault {
            IncrementLost => {
                let sum = add_to_counter(key, stored.as_deref(), by)?;
                in_between();
                self.put(key, &sum.to_be_bytes())?;
                Ok(sum)
            }
            IncrementLittleEndian => {
                let turned = stored.map(|bytes| bytes.into_iter().rev().collect::<Vec<u8>>());
                let sum = add_to_counter(key, turned.as_deref(), by)?;
                self.put(key, &sum.to_le_bytes())?;
                Ok(sum)
            }
            IncrementSaturates => {
                let before = add_to_counter(key, stored.as_deref(), 0)?;
                self.put(key, &before.saturating_add(by).to_be_bytes())?;
                Ok(before.saturating_add(by))
            }
            IncrementOfAnything if stored.is_some_and(|bytes| bytes.len() != 8) => {
                self.put(key, &by.to_be_bytes())?;
                Ok(by)
            }
            _ => self.inner.increment(key, by),
        }
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        check_key(key)?;
        let stored = self.inner.get(key)?;
        let as_expected = match self.fault {
            CompareIgnored => true,
            CompareTakesEmptyForAbsent => stored.as_deref().unwrap_or_default() == expected.unwrap_or_default(),
            CompareLosesUpdates => stored.as_deref() == expected,
            _ => return self.inner.compare_and_write(key, expected, new),
        };
        in_between();
        if as_expected {
            match new {
                Some(value) => self.put(key, value)?,
                None => self.inner.write(Batch::new().delete(key))?,
            }
        }
        Ok(as_expected)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        match self.fault {
            DeleteNoRangeIsEverything if ranges.is_empty() => self.inner.delete_ranges(&[KeyRange::all()]),
            DeleteRangesTakesTheEnd => {
                let ends = ranges.iter().filter_map(|range| range.end().map(KeyRange::point));
                self.inner.delete_ranges(&ranges.iter().cloned().chain(ends).collect::<Vec<_>>())
            }
            _ => self.inner.delete_ranges(ranges),
        }
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.inner.transact(body)
    }
}

/// Rows that were read before.
struct Listed {
    rows: VecDeque<Row>,
    /// The rows that come after the end, once or without end.
    again: Vec<Row>,
    endless: bool,
    scan: Scan,
    fault: Fault,
}

impl Listed {
    /// The number of the next rows that are a batch.
    fn size(&self) -> usize {
        let Scan { batch_rows, batch_bytes, .. } = self.scan;
        let mut bytes = 0;
        let mut size = 0;
        for (key, value) in self.rows.iter().take(batch_rows) {
            bytes += value.len() + if self.fault == BatchBytesWithoutKeys { 0 } else { key.len() };
            if self.fault == LargeRowEndsTheScan && bytes > batch_bytes {
                break;
            }
            size += 1;
            if bytes >= batch_bytes && self.fault != BatchBytesIgnored {
                break;
            }
        }
        size
    }
}

impl Rows for Listed {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        batch.clear();
        if self.rows.is_empty() && self.endless {
            self.rows.extend(self.again.iter().cloned());
        }
        let size = self.size();
        self.rows.drain(..size).for_each(|(key, value)| batch.push(&key, &value));
        if batch.is_empty() {
            self.rows.extend(self.again.drain(..));
        }
        Ok(())
    }
}

/// A scan that is opened when it is first read.
struct Late {
    store: Arc<dyn Store>,
    scan: Scan,
    rows: Option<Box<dyn Rows>>,
}

impl Rows for Late {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.rows.get_or_insert_with(|| self.store.scan(&self.scan)).next_batch(batch)
    }
}

/// Rows that come on top of those in the batch.
struct NotCleared(Box<dyn Rows>);

impl Rows for NotCleared {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        let mut next = RowBatch::new();
        self.0.next_batch(&mut next)?;
        next.iter().for_each(|(key, value)| batch.push(key, value));
        Ok(())
    }
}
