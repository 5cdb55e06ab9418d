//! Plain tables over one column of asynchronous wide tables: they do what those over synchronous ones do.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::future::{block_on, poll_once, yield_now};
use rowkey::nonblocking::{AsyncDatabase, AsyncStore, AsyncTable, AsyncWideDatabase, Blocking, Unblock};
use rowkey::store::{Batch, CallOptions, Database, NewTable, RowBatch, Scan, Store};
use rowkey::wide::{Cells, CellsDatabase, FamilySchema, OneColumn, OneColumnDatabase, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange, Memory, RowKey, Table, WriteBatch};
use rowkey_testkit::{Cue, Cued, Fate, Op, Slow};
use tokio::runtime::{Builder, Runtime};

#[derive(RowKey, Clone, Debug, PartialEq)]
#[rowkey(salt(buckets = 4))]
struct Event {
    at: u32,
}

fn current_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The synchronous face of the tables in `memory`.
fn sync(memory: &Memory) -> OneColumnDatabase<CellsDatabase<Memory>> {
    OneColumn::database(CellsDatabase::new(memory.clone()))
}

#[test]
fn typed_tables_of_both_faces_are_the_same_tables() {
    let memory = Memory::new();
    let db = OneColumn::database(Slow::new(CellsDatabase::new(memory.clone()), 1));
    current_thread().block_on(async {
        let events: AsyncTable<Event, u64, _> = AsyncTable::open(db.clone(), "events").await.unwrap();
        let names: AsyncTable<u8, String, _> = AsyncTable::open(db.clone(), "names").await.unwrap();
        let mut batch = WriteBatch::new();
        (0..300).for_each(|at| _ = batch.put(&events, &Event { at }, &u64::from(at)).unwrap());
        batch.put(&names, &7, &"Ada".into()).unwrap();
        batch.write_async(&db).await.unwrap();
        assert_eq!(names.get(&7).await.unwrap().as_deref(), Some("Ada"));
        assert_eq!(events.update(&Event { at: 3 }, |value| value.map(|value| value + 100)).await.unwrap(), Some(103));
        let rows = events.scan(..).batch_rows(7).rows().await.unwrap();
        let due = (0..300).map(|at| (Event { at }, if at == 3 { 103 } else { u64::from(at) }));
        assert_eq!(rows, due.collect::<Vec<_>>());
        let last = events.scan(..).reverse().limit(2).rows().await.unwrap();
        assert_eq!(last.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [299, 298]);
        assert!(AsyncTable::<u16, u64, _>::open(db.clone(), "events").await.is_err());
    });
    let events: Table<Event, u64, _> = Table::open(sync(&memory), "events").unwrap();
    assert_eq!((events.scan(..).count(), events.get(&Event { at: 3 }).unwrap()), (300, Some(103)));
    let names = Database::tables(&sync(&memory)).unwrap();
    assert_eq!(names, ["events", "names", "rowkey.layouts"]);
    assert_eq!(current_thread().block_on(AsyncDatabase::tables(&db)).unwrap(), names);
    let wide = current_thread().block_on(AsyncWideDatabase::tables(&Unblock::new(CellsDatabase::new(memory))));
    assert_eq!(wide.unwrap(), ["events", "names", "rowkey.plain.layouts"]);
}

/// What both faces answer, as text.
fn told<T: Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("{error:?}: {error}"),
    }
}

fn opened<T: ?Sized>(answer: Result<Arc<T>, Error>) -> String {
    told(answer.map(drop))
}

/// What a database says to calls of every kind, of which some are refused.
fn answers(db: &dyn Database) -> Vec<String> {
    let (valid, empty) = (std::mem::take(Batch::new().put("k", "v")), std::mem::take(Batch::new().put("", "v")));
    let (more, none) = (std::mem::take(Batch::new().put("l", "w").delete("l")), Batch::new());
    let table = db.table("t").unwrap();
    vec![
        opened(db.open_table("absent")),
        opened(db.open_table("rowkey.absent")),
        opened(db.create_table("t", &NewTable::new())),
        opened(db.create_table("u", &NewTable::new().option("no", "such"))),
        told(table.get(b"")),
        told(table.get_many(&[b"k", b""])),
        told(table.write(&empty)),
        told(table.write(&none)),
        told(table.increment(b"", 1)),
        told(table.compare_and_write(b"", None, Some(b"v"))),
        told(table.write(&valid)),
        told(table.increment(b"k", 1)),
        told(table.increment(b"n", 7)),
        told(table.compare_and_write(b"k", None, Some(b"w"))),
        told(table.compare_and_write(b"k", Some(b"v"), Some(b"w"))),
        told(table.compare_and_write(b"m", None, Some(b"v"))),
        told(table.compare_and_write(b"m", Some(b"v"), None)),
        told(db.write(&[("t", &valid), ("v", &empty)])),
        told(db.write(&[("t", &more), ("w", &none), ("x", &valid)])),
        told(table.get_many(&[b"k", b"l", b"m", b"n"])),
        told(table.delete_ranges(&[KeyRange::from_start(*b"l")])),
        told(table.delete_ranges(&[])),
        told(table.get_many(&[b"k", b"l", b"m", b"n"])),
        told(table.split_points()),
        told(db.drop_table("w")),
        told(db.drop_table("absent")),
        told(db.tables()),
        format!("{:?}", table.guarantees()),
    ]
}

#[test]
fn both_faces_answer_alike() {
    let due = answers(&sync(&Memory::new()));
    assert!(due[1].contains(r#"NoSuchTable("rowkey.absent")"#) && due[5].contains("EmptyKey"), "{due:#?}");
    assert!(due[11].contains("NotACounter {"), "{due:#?}");
    let db = OneColumn::database(Unblock::new(CellsDatabase::new(Memory::new())));
    assert_eq!(answers(&Blocking::new(db).unwrap()), due);
}

#[test]
fn both_faces_have_the_same_ids() {
    let memory = Memory::new();
    let cells = Cells::open(&memory, "t", &TableSchema::new().family("v", FamilySchema::new())).unwrap();
    let (here, there) = (OneColumn::new(cells.clone(), "v:q"), OneColumn::new(Unblock::new(cells), "v:q"));
    assert_eq!(Store::id(&here), AsyncStore::id(&there));
    let handle = AsyncStore::with_options(&there, &CallOptions::new().timeout(Duration::from_secs(9)));
    assert_eq!((handle.id(), handle.id().name()), (Store::id(&here), "v:q"));
    let (here, there) = (sync(&memory), OneColumn::database(Unblock::new(CellsDatabase::new(memory.clone()))));
    assert_eq!(Database::id(&here), AsyncDatabase::id(&there));
    let table = block_on(AsyncDatabase::table(&there, "plain")).unwrap();
    assert_eq!(Database::table(&here, "plain").unwrap().id(), table.id());
}

#[test]
fn calls_that_are_not_polled_do_nothing() {
    let memory = Memory::new();
    let db = OneColumn::database(Unblock::in_place(CellsDatabase::new(memory.clone())));
    let batch = std::mem::take(Batch::new().put("k", "v"));
    drop(AsyncDatabase::table(&db, "t"));
    drop(AsyncDatabase::create_table(&db, "t", &NewTable::new()));
    drop(AsyncDatabase::write(&db, &[("t", &batch)]));
    assert!(Database::tables(&memory).unwrap().is_empty());
    let table = block_on(AsyncDatabase::table(&db, "t")).unwrap();
    block_on(table.write(&batch)).unwrap();
    drop(AsyncDatabase::drop_table(&db, "t"));
    drop(table.delete_ranges(&[KeyRange::all()]));
    assert_eq!(block_on(table.get(b"k")).unwrap().as_deref(), Some(&b"v"[..]));
}

#[test]
fn what_is_dropped_ends_on_the_server() {
    let engine = Slow::new(CellsDatabase::new(Memory::new()), 1);
    let db = OneColumn::database(engine.clone());
    current_thread().block_on(async {
        let table = AsyncDatabase::table(&db, "t").await.unwrap();
        let rows = (0..2000_u16).fold(Batch::new(), |mut batch, n| std::mem::take(batch.put(n.to_be_bytes(), "v")));
        table.write(&rows).await.unwrap();
        let mut scan = table.scan(&Scan::all().batch_rows(5));
        assert_eq!(futures_lite::StreamExt::next(&mut scan).await.unwrap().unwrap().len(), 5);
        assert_eq!(engine.open_scans(), 1);
        drop(scan);
        assert_eq!(engine.open_scans(), 0);
        // At its end, before it is dropped.
        let mut scan = table.scan(&Scan::all().limit(3));
        while futures_lite::StreamExt::next(&mut scan).await.is_some() {}
        assert_eq!(engine.open_scans(), 0);
        assert!(futures_lite::StreamExt::next(&mut scan).await.is_none());

        let mut deletion = table.delete_ranges(&[KeyRange::all()]);
        while engine.open_scans() == 0 {
            assert!(poll_once(&mut deletion).await.is_none());
            yield_now().await;
        }
        drop(deletion);
        assert_eq!(engine.open_scans(), 0);
        table.delete_ranges(&[KeyRange::all()]).await.unwrap();
        let mut left = table.scan(&Scan::all());
        assert!(futures_lite::StreamExt::next(&mut left).await.is_none());
    });
}

/// Takes some time for each batch of a scan.
#[derive(Clone)]
struct Tired;

const PAUSE: Duration = Duration::from_millis(10);

impl Cue for Tired {
    fn before(&self, op: Op) -> Fate {
        if op == Op::Rows {
            std::thread::sleep(PAUSE);
        }
        Fate::Done
    }
}

#[test]
fn a_deletion_of_ranges_has_one_deadline() {
    let memory = Memory::new();
    let tired = Cued::over(Arc::new(memory.clone()) as Arc<dyn Database>, Tired);
    let db = OneColumn::database(Unblock::new(CellsDatabase::new(tired)));
    let table = block_on(AsyncDatabase::table(&db, "t")).unwrap();
    // Forty batches, each of which is in time.
    let rows = (0..40 * 256_u16).fold(Batch::new(), |mut batch, n| std::mem::take(batch.put(n.to_be_bytes(), "v")));
    block_on(table.write(&rows)).unwrap();
    let timed = table.with_options(&CallOptions::new().timeout(PAUSE * 20));
    let late = block_on(timed.delete_ranges(&[KeyRange::all()])).unwrap_err();
    assert!(matches!(late.kind(), ErrorKind::DeadlineExceeded | ErrorKind::OutcomeUnknown), "{late:?}");
    let mut batch = RowBatch::new();
    Database::table(&sync(&memory), "t").unwrap().scan(&Scan::all().reverse(true)).next_batch(&mut batch).unwrap();
    assert_eq!(batch.get(0).unwrap().0, (40 * 256_u16 - 1).to_be_bytes());
}
