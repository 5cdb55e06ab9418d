//! A stream of a table as an asynchronous engine will have it: plan, merge and progress, polled by hand, against the
//! blocking scan.

use std::marker::PhantomData;
use std::task::Poll;

use super::{Progress, most_read};
use crate::keys::cursor::Cursor;
use crate::keys::prefix::Selection;
use crate::store::error::Error;
use crate::store::merge::{BatchMerge, Step};
use crate::store::{Batch, Database, RowBatch, Rows, Scan, Store};
use crate::table::plan::{Plan, Start};
use crate::table::stored_key;
use crate::table::{Table, TableScan, WideTable};
use crate::wide::{CellsDatabase, Columns, FamilySchema, Mutation, TableSchema, WideStore};
use crate::{Memory, OwnedKey, RowKey, RowValue};

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 3))]
struct Key {
    user: u8,
    #[rowkey(desc)]
    at: u16,
}

/// Rows that are not there at once.
struct Slow {
    rows: Box<dyn Rows>,
    /// The number of polls so far, and the number of those that are pending before each that is ready.
    polls: usize,
    pending: usize,
}

impl Slow {
    fn poll_next_batch(&mut self, batch: &mut RowBatch) -> Poll<Result<(), Error>> {
        self.polls += 1;
        match self.polls.is_multiple_of(self.pending + 1) {
            true => Poll::Ready(self.rows.next_batch(batch)),
            false => Poll::Pending,
        }
    }
}

type Item<K> = Result<(K, Vec<u8>), Error>;

struct TableStream<K> {
    progress: Progress,
    sources: Vec<Slow>,
    key: PhantomData<K>,
}

impl<K: OwnedKey> TableStream<K> {
    fn poll_next(&mut self) -> Poll<Option<Item<K>>> {
        loop {
            match self.progress.step() {
                Ok(Step::Row) => {
                    let row = self.progress.read(|key, value| Ok((stored_key::<K>("t", key)?, value.to_vec())));
                    return Poll::Ready(row.transpose());
                }
                Ok(Step::Done) => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
                Ok(Step::Feed(_)) => {}
            }
            let mut is_fed = false;
            for (number, source) in self.sources.iter_mut().enumerate() {
                let Some(batch) = self.progress.merge().batch(number) else { continue };
                if let Poll::Ready(read) = source.poll_next_batch(batch) {
                    self.progress.merge().feed(number, read);
                    is_fed = true;
                }
            }
            if !is_fed {
                return Poll::Pending;
            }
        }
    }

    fn next(&mut self) -> Option<Item<K>> {
        loop {
            if let Poll::Ready(next) = self.poll_next() {
                return next;
            }
        }
    }
}

/// The query of both.
#[derive(Clone, Debug)]
struct Query {
    offset: u64,
    limit: Option<u64>,
    reverse: bool,
    cursor: Option<Cursor>,
    page: Option<u64>,
}

impl Query {
    fn stream<K: OwnedKey>(&self, in_pieces: bool, open: impl Fn(&Scan) -> Box<dyn Rows>) -> TableStream<K> {
        let start = self.cursor.clone().map_or(Start::First, Start::Cursor);
        let plan = Plan::new::<K>(&Selection::all(), &start, self.reverse, &[]).unwrap();
        let limit = match self.page {
            Some(rows) => Some(self.limit.map_or(rows + 1, |limit| limit.min(rows + 1))),
            None => self.limit,
        };
        let merge = BatchMerge::new(plan.buckets.len()).salt(plan.salt).reverse(self.reverse);
        let sources = plan.buckets.into_iter().zip(0..).map(|(ranges, number)| {
            let scan = Scan::new(ranges).reverse(self.reverse).limit(most_read(limit, self.offset)).batch_rows(2);
            Slow { rows: open(&scan), polls: 0, pending: [2, 0, 3][number % 3] }
        });
        let sources = sources.collect();
        let mut progress = Progress::new(merge, limit, self.offset, in_pieces);
        self.page.into_iter().for_each(|rows| progress.page(rows));
        TableStream { progress, sources, key: PhantomData }
    }

    /// The keys that must come, and whether there are more after a page, by sorting and counting alone.
    fn model(&self) -> (Vec<Key>, bool) {
        let mut keys = keys();
        if self.reverse {
            keys.reverse();
        }
        let after = |cursor: &Cursor| keys.iter().position(|key| key.encode() == cursor.key()).unwrap() + 1;
        let left_out = self.cursor.as_ref().map_or(0, after) as u64 + self.offset;
        let rest: Vec<_> = keys.into_iter().skip(left_out as usize).take(self.limit.unwrap_or(99) as usize).collect();
        let page = self.page.unwrap_or(99) as usize;
        (rest.iter().take(page).cloned().collect(), rest.len() > page)
    }

    fn scan<K: RowKey, V>(&self, scan: TableScan<K, V>) -> TableScan<K, V> {
        let scan = scan.after(self.cursor.clone()).offset(self.offset).batch_rows(2);
        let scan = if self.reverse { scan.reverse() } else { scan };
        self.limit.into_iter().fold(scan, TableScan::limit)
    }
}

fn check<V: RowValue>(
    table: impl Fn() -> TableScan<Key, V>,
    in_pieces: bool,
    open: impl Fn(&Scan) -> Box<dyn Rows> + Copy,
    query: &Query,
) {
    let fingerprint = Key::LAYOUT.fingerprint();
    let at = |key: Option<&[u8]>| key.map(|key| Cursor::new(fingerprint, key));
    let mut stream = query.stream::<Key>(in_pieces, open);
    let mut scan = query.scan(table());
    if let Some(rows) = query.page {
        let mut keys = Vec::new();
        while let Some(row) = stream.next() {
            keys.push(row.unwrap().0);
        }
        let page = scan.page(usize::try_from(rows).unwrap()).unwrap();
        assert_eq!(page.rows.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>(), keys, "{query:?}");
        let next = at(stream.progress.last_key()).filter(|_| stream.progress.has_more());
        assert_eq!(page.next, next, "{query:?}");
        keys.dedup();
        assert_eq!((keys, next.is_some()), query.model(), "{query:?}");
        return;
    }
    let mut keys = Vec::new();
    loop {
        let (blocking, streamed) = (scan.next_row().unwrap(), stream.next().transpose().unwrap());
        assert_eq!(blocking.map(|(key, value)| (key, value.to_vec())), streamed, "{query:?}");
        assert_eq!(scan.cursor(), at(stream.progress.last_key()), "{query:?}");
        assert_eq!(scan.rows_returned(), stream.progress.returned());
        match streamed {
            Some((key, _)) => keys.push(key),
            None => break,
        }
    }
    keys.dedup();
    assert_eq!((keys, false), query.model(), "{query:?}");
}

fn queries(keys: &[Key]) -> Vec<Query> {
    let mut queries = Vec::new();
    let cursors = [None, keys.first(), keys.get(keys.len() / 2), keys.last()];
    for cursor in cursors.map(|key| key.map(|key| Cursor::new(Key::LAYOUT.fingerprint(), &key.encode()))) {
        for reverse in [false, true] {
            for offset in [0, 1, 4, 100] {
                for limit in [None, Some(0), Some(3), Some(4)] {
                    for page in [None, Some(1), Some(3)] {
                        queries.push(Query { offset, limit, reverse, cursor: cursor.clone(), page });
                    }
                }
            }
        }
    }
    queries
}

/// In their order.
fn keys() -> Vec<Key> {
    (0..12).map(|n| Key { user: n / 4, at: 77 * u16::from(20 - n) }).collect()
}

#[test]
fn a_polled_stream_of_rows_is_the_blocking_scan() {
    let table: Table<Key, String, _> = Table::open(Memory::new(), "t").unwrap();
    keys().iter().for_each(|key| table.put(key, &format!("{key:?}")).unwrap());
    for query in queries(&keys()) {
        check(|| table.scan(..), false, |scan| table.store().scan(scan), &query);
    }
}

#[test]
fn a_polled_stream_of_rows_in_pieces_is_the_blocking_scan() {
    let schema = TableSchema::new().family("a", FamilySchema::new());
    let table: WideTable<Key, _> = WideTable::open(CellsDatabase::new(Memory::new()), "t", &schema).unwrap();
    for (key, columns) in keys().iter().zip((1..5).cycle()) {
        let mutation = (0..columns).fold(Mutation::new(), |m, n| m.put(("a", format!("q{n}")), "v"));
        table.mutate(key, &mutation).unwrap();
    }
    for piece in [None, Some(1), Some(2)] {
        let columns = piece.map_or(Columns::all(), |cells| Columns::all().piece(cells));
        for query in queries(&keys()) {
            let open = |scan: &Scan| table.store().scan(scan, &columns);
            check(|| table.scan(.., columns.clone()), piece.is_some(), open, &query);
        }
    }
}

#[test]
fn a_row_that_does_not_decode_ends_both() {
    let db = Memory::new();
    let table: Table<Key, String, _> = Table::open(db.clone(), "t").unwrap();
    keys().iter().for_each(|key| table.put(key, &String::new()).unwrap());
    let mut foreign = keys()[6].encode();
    foreign.push(7);
    db.table("t").unwrap().write(Batch::new().put(foreign.clone(), "")).unwrap();
    let query = Query { offset: 2, limit: None, reverse: false, cursor: None, page: None };
    let mut stream = query.stream::<Key>(false, |scan| table.store().scan(scan));
    let mut scan = query.scan(table.scan(..));
    for end in [false, false, false, false, false, false, true] {
        let (blocking, streamed) = (scan.next(), stream.next());
        assert_eq!((blocking.is_none(), streamed.is_none()), (end, end));
        assert_eq!(
            blocking.map(|row| row.map(|(key, _)| key).map_err(|error| error.to_string())),
            streamed.map(|row| row.map(|(key, _)| key).map_err(|error| error.to_string()))
        );
        assert_eq!(scan.cursor().unwrap().key(), stream.progress.last_key().unwrap());
    }
    assert_eq!(scan.cursor().unwrap().key(), foreign, "the scan can be resumed after it");
    assert!(scan.next().is_none() && stream.next().is_none());
}
