//! Mutations of very many edits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use rowkey::store::{Batch, CallOptions, Guarantees, Readable, RowBatch, Rows, Scan, Store, TableId};
use rowkey::wide::{Column, Columns, Mutation, WideStore};
use rowkey::{Error, KeyRange};
use rowkey_testkit::cases;

use crate::drawn::memory;
use crate::latest::{HOUR, Hands, ROW, handle};

/// A store that counts the scans and the rows that are read in its transactions.
struct Counting {
    store: Arc<dyn Store>,
    reads: Arc<AtomicI64>,
}

struct CountingView<'v>(&'v dyn Readable, Arc<AtomicI64>);

struct CountingRows(Box<dyn Rows>, Arc<AtomicI64>);

impl Rows for CountingRows {
    fn next_batch(&mut self, batch: &mut RowBatch) -> Result<(), Error> {
        self.0.next_batch(batch)?;
        self.1.fetch_add(batch.len() as i64, Ordering::Relaxed);
        Ok(())
    }

    fn skip_to(&mut self, key: &[u8]) {
        self.0.skip_to(key);
    }
}

impl Readable for CountingView<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Box::new(CountingRows(self.0.scan(scan), Arc::clone(&self.1)))
    }
}

impl Readable for Counting {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.store.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.store.scan(scan)
    }
}

impl Store for Counting {
    fn id(&self) -> &TableId {
        self.store.id()
    }

    fn options(&self) -> &CallOptions {
        self.store.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { store: self.store.with_options(options), reads: Arc::clone(&self.reads) })
    }

    fn guarantees(&self) -> Guarantees {
        self.store.guarantees()
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        self.store.write(batch)
    }

    fn increment(&self, key: &[u8], by: i64) -> Result<i64, Error> {
        self.store.increment(key, by)
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.store.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.store.delete_ranges(ranges)
    }

    fn transact(&self, body: &mut dyn FnMut(&dyn Readable) -> Result<Batch, Error>) -> Result<(), Error> {
        self.store.transact(&mut |view| body(&CountingView(view, Arc::clone(&self.reads))))
    }
}

#[test]
fn a_large_mutation_takes_time_by_its_edits() {
    let edits = i64::from(cases(5_000, 50_000));
    let reads = Arc::new(AtomicI64::new(0));
    let store: Arc<dyn Store> = Arc::new(Counting { store: memory(), reads: Arc::clone(&reads) });
    let table = handle(&store, Hands::at(1_000 * HOUR));
    let (begin, mut last) = (std::time::Instant::now(), 0);
    let mut done = |what: &str| {
        let read = reads.load(Ordering::Relaxed) - last;
        last += read;
        assert!(read <= 8 * edits, "{what}: {read} reads");
        // By its square it would take hours.
        assert!(begin.elapsed() < Duration::from_secs(300), "{what}");
    };
    let name = |n: i64| Column::from(("many", n.to_be_bytes()));
    let fold = |edit: fn(Mutation, Column) -> Mutation| (0..edits).map(name).fold(Mutation::new(), edit);

    table.mutate(ROW, &fold(|mutation, column| mutation.put(column, "v"))).unwrap();
    done("puts");
    table.mutate(ROW, &fold(|mutation, column| mutation.delete_latest(column))).unwrap();
    done("deletes of the newest version");
    table.mutate(ROW, &fold(|mutation, column| mutation.put(column, "v").delete_family("many"))).unwrap();
    done("puts and deletes of a family");
    table.mutate(ROW, &fold(|mutation, column| mutation.put(column, "v").delete_row())).unwrap();
    done("puts and deletes of a row");
    let one = |n| {
        (
            ROW.to_vec(),
            Mutation::new().put(name(n), "v").delete_latest(name(n)).delete_column(name(n)).put("one:q", "v"),
        )
    };
    table.mutate_many(&(0..edits / 4).map(one).collect::<Vec<_>>()).unwrap();
    done("mutations of a row");
    let counters: Vec<_> = (0..edits).map(|n| (name(n), 1)).collect();
    assert_eq!(table.increment(ROW, &counters).unwrap(), vec![1; edits as usize]);
    done("counters");
    assert_eq!(table.get(ROW, &Columns::all().family("many")).unwrap().cells().count(), edits as usize);
}
