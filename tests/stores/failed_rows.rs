//! Writes of which some fail: `Error::Rows` names exactly these, on every way down to an engine, and all others are in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_lite::future::block_on;
use rowkey::error::{RowError, RowErrors};
use rowkey::jobs::BulkLoad;
use rowkey::nonblocking::{Blocking, BoxFuture, Unblock};
use rowkey::store::{
    Batch, Bounded, CallOptions, Database, DatabaseId, Guarantees, Metered, NewTable, Readable, RowBatch, Rows, Scan,
    Store, SubStore, TableId, Write, write_by_table,
};
use rowkey::wide::{
    CellKey, Cells, CellsDatabase, Column, Columns, Condition, FamilySchema, Mutation, OneColumn, Row, TableSchema,
    WideDatabase, WideGuarantees, WideStore,
};
use rowkey::{Error, ErrorKind, KeyRange, Memory, RowKey, Table, WideTable, WriteBatch};

/// Says which writes fail.
type Fails = Arc<dyn Fn(&[u8], Option<&[u8]>) -> bool + Send + Sync>;

fn busy() -> Error {
    Error::engine_of(ErrorKind::Busy, "its region is moving")
}

/// A database that writes row by row, of which some writes fail.
#[derive(Clone)]
struct Picky {
    memory: Arc<dyn Database>,
    fails: Fails,
}

impl Picky {
    fn new(fails: impl Fn(&[u8], Option<&[u8]>) -> bool + Send + Sync + 'static) -> Self {
        Self { memory: Arc::new(Memory::new()), fails: Arc::new(fails) }
    }

    fn of(&self, table: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(PickyStore { table, fails: Arc::clone(&self.fails) })
    }
}

impl Database for Picky {
    fn id(&self) -> DatabaseId {
        self.memory.id()
    }

    fn options(&self) -> &CallOptions {
        self.memory.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Database> {
        Arc::new(Self { memory: self.memory.with_options(options), fails: Arc::clone(&self.fails) })
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::none().snapshot_scans(true).compare_and_write(true)
    }

    fn table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.memory.table(name)?))
    }

    fn open_table(&self, name: &str) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.memory.open_table(name)?))
    }

    fn create_table(&self, name: &str, new: &NewTable) -> Result<Arc<dyn Store>, Error> {
        Ok(self.of(self.memory.create_table(name, new)?))
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.memory.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.memory.drop_table(name)
    }

    fn write(&self, batches: &[(&str, &Batch)]) -> Result<(), Error> {
        write_by_table(batches, |name, batch| self.table(name)?.write(batch))
    }
}

struct PickyStore {
    table: Arc<dyn Store>,
    fails: Fails,
}

impl Readable for PickyStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.table.get(key)
    }

    fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
        self.table.scan(scan)
    }
}

impl Store for PickyStore {
    fn id(&self) -> &TableId {
        self.table.id()
    }

    fn options(&self) -> &CallOptions {
        self.table.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
        Arc::new(Self { table: self.table.with_options(options), fails: Arc::clone(&self.fails) })
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::none().snapshot_scans(true).compare_and_write(true)
    }

    fn write(&self, batch: &Batch) -> Result<(), Error> {
        batch.check_keys()?;
        let mut failed = RowErrors::new(batch.len());
        for (index, write) in batch.writes().enumerate() {
            match (self.fails)(write.key(), write.value()) {
                true => failed.push(index, self.id().name(), write.key(), busy()),
                false => self.table.write(&std::iter::once(write).collect())?,
            }
        }
        failed.into_result()
    }

    fn increment(&self, _: &[u8], _: i64) -> Result<i64, Error> {
        Err(Error::Unsupported("increment"))
    }

    fn compare_and_write(&self, key: &[u8], expected: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, Error> {
        self.table.compare_and_write(key, expected, new)
    }

    fn delete_ranges(&self, ranges: &[KeyRange]) -> Result<(), Error> {
        self.table.delete_ranges(ranges)
    }
}

fn rows(store: &dyn Store) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let (mut scan, mut batch, mut rows) = (store.scan(&Scan::all()), RowBatch::new(), BTreeMap::new());
    loop {
        scan.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            return rows;
        }
        rows.extend(batch.iter().map(|(key, value)| (key.to_vec(), value.to_vec())));
    }
}

/// What is named: tables, places and keys. Of a call with one write its own error comes.
fn named(answer: Result<(), Error>, total: usize, only: &RowOf<'_>) -> Vec<(String, usize, Vec<u8>)> {
    named_as(ErrorKind::Busy, answer, total, only)
}

fn named_as(
    kind: ErrorKind,
    answer: Result<(), Error>,
    total: usize,
    only: &RowOf<'_>,
) -> Vec<(String, usize, Vec<u8>)> {
    match answer {
        Ok(()) => Vec::new(),
        Err(Error::Rows(rows)) => {
            assert_eq!((rows.total(), rows.failed() + rows.written()), (total, total));
            assert!(RowErrors::iter(&rows).all(|row| row.error().kind() == kind));
            let named = |row: &RowError| (row.table().to_owned(), row.index(), row.key().to_vec());
            RowErrors::iter(&rows).map(named).collect()
        }
        Err(error) => {
            assert_eq!((error.kind(), total), (kind, 1), "{error}");
            vec![only(0)]
        }
    }
}

type RowOf<'r> = dyn Fn(usize) -> (String, usize, Vec<u8>) + 'r;

/// Every size, and of each every choice of writes that fail.
fn choices() -> impl Iterator<Item = (usize, Vec<bool>)> {
    (1..=6_usize).flat_map(|size| {
        (0..1_u32 << size).map(move |choice| (size, (0..size).map(|at| choice >> at & 1 == 1).collect()))
    })
}

/// Two writes of each key; the value says which one it is.
fn key(index: usize) -> Vec<u8> {
    vec![index as u8 / 2, 0, 1]
}

fn value(index: usize) -> Vec<u8> {
    vec![b'v', index as u8]
}

/// Fails for the writes that are chosen, by their values.
fn by_value(chosen: &[bool]) -> impl Fn(&[u8], Option<&[u8]>) -> bool + Send + Sync + 'static {
    let chosen = chosen.to_vec();
    move |_, value| matches!(value, Some([b'v', index]) if chosen[usize::from(*index)])
}

fn wide_picky(chosen: &[bool]) -> WidePicky {
    WidePicky(Arc::new(CellsDatabase::new(Memory::new())), Arc::new(by_value(chosen)))
}

/// An asynchronous engine, each of whose calls runs in a thread of its own.
fn in_threads<T>(engine: T) -> Blocking<T> {
    Blocking::on(engine, |call: BoxFuture<'static, ()>| drop(std::thread::spawn(|| block_on(call))))
}

fn expected(table: &str, chosen: &[bool]) -> Vec<(String, usize, Vec<u8>)> {
    let failed = |(index, failed): (usize, &bool)| failed.then(|| (table.to_owned(), index, key(index)));
    chosen.iter().enumerate().filter_map(failed).collect()
}

fn left(chosen: &[bool]) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let written = chosen.iter().enumerate().filter(|(_, failed)| !**failed);
    written.map(|(index, _)| (key(index), value(index))).collect()
}

fn puts(size: usize) -> Batch {
    let mut batch = Batch::new();
    (0..size).for_each(|index| _ = batch.put(key(index), value(index)));
    batch
}

#[test]
fn writes_of_a_table_name_what_failed() {
    for (size, chosen) in choices() {
        let (batch, only) = (puts(size), |index| ("t".to_owned(), index, key(index)));
        let picky = || Picky::new(by_value(&chosen));
        let metered = Metered::new(picky());
        let within = SubStore::new(picky().table("beneath").unwrap());
        let one_column = OneColumn::database(wide_picky(&chosen));
        let nonblocking = in_threads(OneColumn::database(Unblock::in_place(wide_picky(&chosen))));
        let stores: [Arc<dyn Store>; 5] = [
            picky().table("t").unwrap(),
            metered.table("t").unwrap(),
            within.table("t").unwrap(),
            one_column.table("t").unwrap(),
            nonblocking.table("t").unwrap(),
        ];
        for store in stores {
            assert_eq!(named(store.write(&batch), size, &only), expected("t", &chosen), "{chosen:?}");
            assert_eq!(rows(&*store), left(&chosen));
        }
        let written = chosen.iter().filter(|failed| !**failed).count() as u64;
        assert_eq!((metered.costs().cells_written, metered.costs().bytes_written), (written, written * 5));
    }
}

#[test]
fn writes_across_tables_name_what_failed() {
    for (size, chosen) in choices() {
        // In one table, in the other, and in the first again.
        let (first, second) = (size / 3, size * 2 / 3);
        let table = |index: usize| if (first..second).contains(&index) { "u" } else { "t" };
        let mut batches = [Batch::new(), Batch::new(), Batch::new()];
        for (index, write) in puts(size).writes().enumerate() {
            batches[usize::from(index >= first) + usize::from(index >= second)].push(write);
        }
        let all = [("t", &batches[0]), ("u", &batches[1]), ("t", &batches[2])];
        let due: Vec<_> =
            expected("", &chosen).into_iter().map(|(_, index, key)| (table(index).to_owned(), index, key)).collect();
        let only = |index| (table(index).to_owned(), index, key(index));
        let picky = || Picky::new(by_value(&chosen));
        let databases: [Box<dyn Database>; 5] = [
            Box::new(picky()),
            Box::new(Metered::new(picky())),
            Box::new(SubStore::new(picky().table("beneath").unwrap())),
            Box::new(OneColumn::database(wide_picky(&chosen))),
            Box::new(in_threads(OneColumn::database(Unblock::in_place(wide_picky(&chosen))))),
        ];
        for db in databases {
            assert_eq!(named(db.write(&all), size, &only), due, "{chosen:?}");
            for name in ["t", "u"] {
                let of_table = (0..size).filter(|index| table(*index) == name && !chosen[*index]);
                let of_table: BTreeMap<_, _> = of_table.map(|index| (key(index), value(index))).collect();
                assert_eq!(rows(&*db.table(name).unwrap()), of_table);
            }
        }
    }
}

#[test]
fn a_typed_batch_names_what_failed_by_its_place_there() {
    for (size, chosen) in choices() {
        let db = Picky::new(by_value(&chosen));
        let open = |name| -> Table<u16, Vec<u8>, _> { Table::open(&db, name).unwrap() };
        let (t, u) = (open("t"), open("u"));
        let name = |index: usize| if index.is_multiple_of(2) { "t" } else { "u" };
        let mut batch = WriteBatch::new();
        // Turn and turn about; the batch sorts them by table.
        for index in 0..size {
            batch.put(if name(index) == "t" { &t } else { &u }, &(index as u16), &value(index)).unwrap();
        }
        let only = |index: usize| (name(index).to_owned(), index, (index as u16).encode());
        let due: Vec<_> = (0..size).filter(|&index| chosen[index]).map(only).collect();
        assert_eq!((batch.len(), batch.is_empty()), (size, false));
        assert_eq!(named(batch.write(&db), size, &only), due);
        let there = (0..size).filter(|&index| {
            let table = if name(index) == "t" { &t } else { &u };
            table.get(&(index as u16)).unwrap().is_some()
        });
        assert_eq!(there.collect::<Vec<_>>(), (0..size).filter(|&index| !chosen[index]).collect::<Vec<_>>());
    }
}

/// A batch that fails as a whole comes after others that are written: its rows are named, and what follows is written.
#[test]
fn a_table_that_fails_as_a_whole_is_named_row_by_row() {
    let (batch, fine) = (puts(2), puts(3));
    let mut written = Vec::new();
    let all = [("a", &fine), ("b", &batch), ("c", &fine)];
    let answer = write_by_table(&all, |name, _| {
        written.push(name.to_owned());
        if name == "b" { Err(busy()) } else { Ok(()) }
    });
    let due = [("b".to_owned(), 3, key(0)), ("b".to_owned(), 4, key(1))];
    assert_eq!(named(answer, 8, &|_| unreachable!()), due);
    assert_eq!(written, ["a", "b", "c"]);
    // A table that can't be made is found before anything is written.
    let empty = Batch::new();
    let mut written = Vec::new();
    let answer = write_by_table(&[("a", &fine), ("e", &empty)], |name, _| {
        written.push(name.to_owned());
        if name == "e" { Err(busy()) } else { Ok(()) }
    });
    assert!(matches!(answer, Err(Error::Engine(_))) && written == ["e"]);
    // One batch alone has its own error.
    let answer =
        write_by_table(&[("e", &empty), ("a", &fine)], |name, _| if name == "a" { Err(busy()) } else { Ok(()) });
    assert!(matches!(answer, Err(Error::Engine(_))));
}

/// A wide database of which some mutations fail, chosen by what they put.
struct WidePicky(Arc<dyn WideDatabase>, Fails);

struct WidePickyStore(Arc<dyn WideStore>, Fails);

impl WidePicky {
    fn of(&self, store: Arc<dyn WideStore>) -> Arc<dyn WideStore> {
        Arc::new(WidePickyStore(store, Arc::clone(&self.1)))
    }
}

impl WideDatabase for WidePicky {
    fn id(&self) -> DatabaseId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideDatabase> {
        Arc::new(Self(self.0.with_options(options), Arc::clone(&self.1)))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.0.guarantees()
    }

    fn table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.of(self.0.table(name, schema)?))
    }

    fn open_table(&self, name: &str, schema: &TableSchema) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.of(self.0.open_table(name, schema)?))
    }

    fn create_table(&self, name: &str, schema: &TableSchema, new: &NewTable) -> Result<Arc<dyn WideStore>, Error> {
        Ok(self.of(self.0.create_table(name, schema, new)?))
    }

    fn schema(&self, name: &str) -> Result<Option<TableSchema>, Error> {
        self.0.schema(name)
    }

    fn alter(&self, name: &str, schema: &TableSchema) -> Result<Vec<rowkey::wide::Change>, Error> {
        self.0.alter(name, schema)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        self.0.tables()
    }

    fn drop_table(&self, name: &str) -> Result<(), Error> {
        self.0.drop_table(name)
    }
}

/// It has the `mutate_many` that every wide store has.
impl WideStore for WidePickyStore {
    fn id(&self) -> &TableId {
        self.0.id()
    }

    fn options(&self) -> &CallOptions {
        self.0.options()
    }

    fn with_options(&self, options: &CallOptions) -> Arc<dyn WideStore> {
        Arc::new(Self(self.0.with_options(options), Arc::clone(&self.1)))
    }

    fn guarantees(&self) -> WideGuarantees {
        self.0.guarantees()
    }

    fn schema(&self) -> &TableSchema {
        self.0.schema()
    }

    fn get(&self, row: &[u8], columns: &Columns) -> Result<Row, Error> {
        self.0.get(row, columns)
    }

    fn scan(&self, scan: &Scan, columns: &Columns) -> Box<dyn Rows> {
        self.0.scan(scan, columns)
    }

    fn mutate(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        let mut values = mutation.edits().iter().filter_map(|edit| match edit {
            rowkey::wide::Edit::Put { value, .. } => Some(value.as_slice()),
            _ => None,
        });
        if values.any(|value| (self.1)(row, Some(value))) { Err(busy()) } else { self.0.mutate(row, mutation) }
    }

    fn increment(&self, row: &[u8], counters: &[(Column, i64)]) -> Result<Vec<i64>, Error> {
        self.0.increment(row, counters)
    }

    fn check_and_mutate(&self, row: &[u8], check: &Condition, mutation: &Mutation) -> Result<bool, Error> {
        self.0.check_and_mutate(row, check, mutation)
    }
}

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new().max_versions(9)).family("g", FamilySchema::new())
}

/// Where an entry of a row fails, the mutations are named that wrote it, and no other of that row; with timestamps and
/// without. As the other entries of the mutation are written, its outcome is unknown.
#[test]
fn mutations_over_a_store_without_batches_name_what_failed() {
    for (size, chosen) in choices() {
        for timed in [false, true] {
            let picky = Picky::new(by_value(&chosen));
            let table = Cells::over(picky.table("t").unwrap(), schema()).unwrap().with_clock(|| 100);
            let mutation = |index: usize| {
                let column = ("f", vec![b'q', index as u8]);
                let mutation = Mutation::new().put_at("f:all", 1, "before").delete_version("g:x", 3);
                if timed { mutation.put_at(column, 7, value(index)) } else { mutation.put(column, value(index)) }
            };
            let mutations: Vec<_> = (0..size).map(|index| (key(index), mutation(index))).collect();
            let only = |index| ("t".to_owned(), index, key(index));
            let named = named_as(ErrorKind::OutcomeUnknown, table.mutate_many(&mutations), size, &only);
            assert_eq!(named, expected("t", &chosen), "{chosen:?}");
            for (index, failed) in chosen.iter().enumerate() {
                let found = table.get(&key(index), &Columns::of(("f", vec![b'q', index as u8]))).unwrap();
                assert_eq!(found.is_empty(), *failed, "{index} of {chosen:?}, timed: {timed}");
            }
        }
    }
}

/// What two mutations of a row write to one entry is of both.
#[test]
fn an_entry_that_several_mutations_wrote_names_them_all() {
    let fails = |key: &[u8], _: Option<&[u8]>| {
        CellKey::decode(key).is_ok_and(|key| &*key.row == b"r" && key.encode().windows(2).any(|pair| pair == b"ba"))
    };
    let picky = Picky::new(fails);
    let table = Cells::over(picky.table("t").unwrap(), schema()).unwrap().with_clock(|| 100);
    let put = |column: &str, value: &str| (b"r".to_vec(), Mutation::new().put(column, value));
    let mutations =
        [put("f:bad", "1"), put("f:good", "2"), put("f:bad", "3"), (b"s".to_vec(), Mutation::new().put("f:bad", "4"))];
    let due: Vec<_> = [0, 2].map(|index| ("t".to_owned(), index, b"r".to_vec())).into();
    assert_eq!(named(table.mutate_many(&mutations), 4, &|_| unreachable!()), due);
    assert_eq!(table.get(b"r", &Columns::all()).unwrap().value("f:good"), Some(&b"2"[..]));
    assert_eq!(table.get(b"s", &Columns::all()).unwrap().value("f:bad"), Some(&b"4"[..]));
    // Of one row alone it is the entry's own error.
    let error = table.mutate(b"r", &Mutation::new().put("f:bad", "5")).unwrap_err();
    assert!(matches!(error, Error::Engine(_)), "{error:?}");
}

#[test]
fn a_typed_wide_table_names_its_keys() {
    let db = WidePicky(
        Arc::new(CellsDatabase::new(Memory::new())),
        Arc::new(|_: &[u8], value: Option<&[u8]>| value == Some(b"x")),
    );
    let table: WideTable<u32, _> = WideTable::open(db, "t", &schema()).unwrap();
    let put = |value: &str| Mutation::new().put_at("f:q", 1, value);
    let answer = table.mutate_many([(7, put("v")), (8, put("x")), (8, put("w")), (9, put("x"))]);
    let due: Vec<_> = [(1, 8_u32), (3, 9)].map(|(index, key)| ("t".to_owned(), index, key.encode())).into();
    assert_eq!(named(answer, 4, &|_| unreachable!()), due);
    assert_eq!(table.count(..).unwrap(), 2);
}

/// What is not valid is found before anything is written, by the `mutate_many` that every wide store has.
#[test]
fn what_is_not_valid_is_refused_before_anything_is_written() {
    let fine = || Mutation::new().put_at("f:q", 1, "v");
    let invalid = [
        (b"".to_vec(), fine()),
        (b"r".to_vec(), fine().put("x:q", "")),
        (b"r".to_vec(), fine().delete_family("x")),
        (b"r".to_vec(), fine().put_at("f:q", -1, "")),
    ];
    for mutation in invalid {
        let db = WidePicky(Arc::new(CellsDatabase::new(Memory::new())), Arc::new(|_: &[u8], _: Option<&[u8]>| false));
        let table = db.table("t", &schema()).unwrap();
        let error = table.mutate_many(&[(b"s".to_vec(), fine()), mutation]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound), "{error:?}");
        assert!(!table.exists(b"s").unwrap());
    }
}

/// A load counts what is written of batches that failed in part, and names the rest by its place in the input.
#[test]
fn a_load_names_what_failed() {
    for threads in [1, 3] {
        let db = Picky::new(|_, value| matches!(value, Some([b'v', index]) if index % 10 == 3));
        let store = db.table("t").unwrap();
        let input = (0..100_usize).map(|index| Ok(([index as u8, 1], value(index))));
        let error = BulkLoad::to_store(&store).threads(threads).batch(7).run(input).unwrap_err();
        let there = rows(&*store);
        assert_eq!(error.loaded.writes, there.len() as u64);
        let Error::Rows(failed) = &error.source else { panic!("{error:?}") };
        assert!(failed.failed() > 0);
        let named: BTreeSet<usize> = RowErrors::iter(failed).map(|row| row.index()).collect();
        assert_eq!(named.len(), failed.failed());
        for row in RowErrors::iter(failed) {
            assert_eq!((row.index() % 10, row.key()), (3, &[row.index() as u8, 1][..]));
            assert!(!there.contains_key(row.key()));
        }
        // What was read up to the last failure is written or named.
        let last = named.iter().max().unwrap();
        let begun = last / 7 * 7;
        let whole = (0..begun).filter(|index| index % 10 != 3 && !there.contains_key(&[*index as u8, 1][..])).count();
        assert!(threads > 1 || whole == 0);
    }
}

/// The rows of a table come under the names that the caller knows, and with them the outcome that is not known.
#[test]
fn an_outcome_that_is_not_known_is_of_the_callers_table() {
    struct Broken(TableId);
    impl Readable for Broken {
        fn get(&self, _: &[u8]) -> Result<Option<Vec<u8>>, Error> {
            Ok(Some(Vec::new()))
        }

        fn scan(&self, scan: &Scan) -> Box<dyn Rows> {
            Memory::new().table("none").unwrap().scan(scan)
        }
    }

    impl Store for Broken {
        fn id(&self) -> &TableId {
            &self.0
        }
        fn options(&self) -> &CallOptions {
            CallOptions::none()
        }
        fn with_options(&self, options: &CallOptions) -> Arc<dyn Store> {
            Arc::new(Bounded::new(Arc::new(Self(self.0.clone())), options))
        }
        fn guarantees(&self) -> Guarantees {
            Guarantees::none()
        }
        fn write(&self, batch: &Batch) -> Result<(), Error> {
            match batch.writes().next() {
                Some(Write::Put([0xff, ..], _)) | None => Ok(()),
                _ => Err(Error::OutcomeUnknown { table: "beneath".to_owned(), source: Box::new(busy()) }),
            }
        }
        fn increment(&self, _: &[u8], _: i64) -> Result<i64, Error> {
            Err(Error::Unsupported("increment"))
        }
        fn compare_and_write(&self, _: &[u8], _: Option<&[u8]>, _: Option<&[u8]>) -> Result<bool, Error> {
            Err(Error::Unsupported("compare-and-write"))
        }
        fn delete_ranges(&self, _: &[KeyRange]) -> Result<(), Error> {
            Ok(())
        }
    }
    let db = SubStore::new(Broken(DatabaseId::unique().table("beneath")));
    let batch = puts(2);
    for answer in [db.table("t").unwrap().write(&batch), db.write(&[("t", &batch)])] {
        let error = answer.unwrap_err();
        assert_eq!((error.kind(), error.kind().is_retryable()), (ErrorKind::OutcomeUnknown, false));
        assert_eq!(error.to_string(), r#"the outcome of the write to table "t" is unknown"#);
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "its region is moving");
    }
}
