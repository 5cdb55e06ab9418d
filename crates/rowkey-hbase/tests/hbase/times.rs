//! Writes one after the other, of one process and of two: the later one is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rowkey::clock::{Clock, SystemClock};
use rowkey::nonblocking::{AsyncDatabase, AsyncWideDatabase, AsyncWideStore};
use rowkey::wide::{Columns, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey_hbase::HBase;
use tokio::task::spawn_blocking;

use crate::peer::Peer;
use crate::{Databases, client, runtime};

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new().max_versions(3))
}

/// The variables by which the other process knows its table.
const NAMESPACE: &str = "ROWKEY_HBASE_NAMESPACE";
const TABLE: &str = "pairs";

/// The writes of a task: its own, or those of a process that it asks for them.
enum Writer {
    Here(Arc<dyn AsyncWideStore>),
    There(Box<Peer>),
}

/// Not a test, but what [`Peer`] starts.
#[test]
#[ignore = "is started by another test"]
fn puts_for_another_process() {
    let Some(namespace) = std::env::var_os(NAMESPACE) else { return };
    runtime().block_on(async {
        let database = HBase::connect(client()).await.unwrap().in_namespace(namespace.to_str().unwrap());
        let table = database.open_table(TABLE, &schema()).await.unwrap();
        for line in std::io::stdin().lines() {
            let line = line.unwrap();
            let (row, value) = line.split_once(' ').unwrap();
            table.mutate(row.as_bytes(), &Mutation::new().put("f:q", value)).await.unwrap();
            println!("put {row}");
        }
    });
}

/// The pairs of eight tasks; 100,000 in a long run.
fn pairs() -> usize {
    if std::env::var_os("ROWKEY_LONG").is_some() { 12_500 } else { 250 }
}

/// Half of the tasks put what they have deleted by themselves, half by another process.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn puts_after_deletes_are_read() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let table = database.table(TABLE, &schema()).await.unwrap();
        let mut tasks = Vec::new();
        for task in 0..8 {
            let table = Arc::clone(&table);
            let writer = match task % 2 {
                0 => Writer::Here(Arc::clone(&table)),
                _ => Writer::There(Box::new(Peer::start(
                    "times::puts_for_another_process",
                    NAMESPACE,
                    database.namespace(),
                ))),
            };
            tasks.push(tokio::spawn(pairs_of(task, table, writer)));
        }
        let mut lost = 0;
        for task in tasks {
            lost += task.await.unwrap();
        }
        assert_eq!(lost, 0, "of {} puts", 8 * pairs());
    });
    databases.end(runtime.handle());
}

/// The puts of a task that are not read, because the delete before hides them.
async fn pairs_of(task: usize, table: Arc<dyn AsyncWideStore>, mut writer: Writer) -> usize {
    let mut lost = 0;
    for pair in 0..pairs() {
        let (row, value) = (format!("{task}"), format!("{pair}"));
        let delete = match pair % 3 {
            0 => Mutation::new().delete_row(),
            1 => Mutation::new().delete_family("f"),
            _ => Mutation::new().delete_column("f:q"),
        };
        match pair % 2 {
            0 => table.mutate(row.as_bytes(), &delete).await.unwrap(),
            _ => table.mutate_many(&[(row.clone().into_bytes(), delete)]).await.unwrap(),
        }
        writer = match writer {
            Writer::Here(table) => {
                table.mutate(row.as_bytes(), &Mutation::new().put("f:q", value.as_str())).await.unwrap();
                Writer::Here(table)
            }
            Writer::There(mut peer) => {
                let (row, value) = (row.clone(), value.clone());
                let put = spawn_blocking(move || {
                    peer.ask(&format!("{row} {value}"));
                    assert_eq!(peer.told("put "), row);
                    peer
                });
                Writer::There(put.await.unwrap())
            }
        };
        let read = table.get(row.as_bytes(), &Columns::all()).await.unwrap();
        lost += usize::from(read.value("f:q") != Some(value.as_bytes()));
    }
    lost
}

/// Claims of a row, each released under a condition: one that was made is read, and there are never two.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_claim_is_not_hidden_by_the_release_before_it() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = OneColumn::database(databases.empty().await);
        let table = AsyncDatabase::table(&database, "claims").await.unwrap();
        let holders = Arc::new(AtomicU32::new(0));
        let claimant = |n: u8| {
            let (table, holders) = (Arc::clone(&table), Arc::clone(&holders));
            tokio::spawn(async move {
                let mut claims = 0;
                while claims < 50 {
                    if table.compare_and_write(b"lock", None, Some(&[n])).await.unwrap() {
                        claims += 1;
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two hold it");
                        assert_eq!(table.get(b"lock").await.unwrap().as_deref(), Some(&[n][..]), "the claim is hidden");
                        holders.fetch_sub(1, Ordering::SeqCst);
                        assert!(table.compare_and_write(b"lock", Some(&[n]), None).await.unwrap());
                    }
                }
            })
        };
        let claimants: Vec<_> = (0..6).map(claimant).collect();
        for claimant in claimants {
            claimant.await.unwrap();
        }
    });
    databases.end(runtime.handle());
}

/// A write under a condition takes the place of the cell that it was compared with, whichever clock stamped that.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_clock_that_is_behind_hides_no_checked_write() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let slow = || SystemClock.now() - 5_000;
        let ahead = OneColumn::database(database.clone().with_clock(SystemClock));
        let behind = OneColumn::database(database.with_clock(slow));
        let (ahead, behind) = (ahead.table("clocks").await.unwrap(), behind.table("clocks").await.unwrap());
        for turn in 0..3 {
            assert!(ahead.compare_and_write(b"k", None, Some(b"1")).await.unwrap());
            assert!(behind.compare_and_write(b"k", Some(b"1"), Some(b"2")).await.unwrap());
            assert_eq!(ahead.get(b"k").await.unwrap().as_deref(), Some(&b"2"[..]), "turn {turn}");
            assert!(behind.compare_and_write(b"k", Some(b"2"), None).await.unwrap());
            assert_eq!(ahead.get(b"k").await.unwrap(), None, "turn {turn}");
            // What is put next is later than the removal, by the clock that is ahead.
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        assert_eq!(ahead.increment(b"n", 1).await.unwrap(), 1);
        for sum in 2..5 {
            assert_eq!(behind.increment(b"n", 1).await.unwrap(), sum);
        }
    });
    databases.end(runtime.handle());
}

/// A release has the time of its claim, so the next claim is not hidden if its clock has passed that, however far ahead
/// the clock of the release is.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_release_has_the_time_of_its_claim_whichever_clock_stamps() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let (database, now) = (databases.empty().await, SystemClock.now());
        let claims = async |later: i64| {
            let database = OneColumn::database(database.clone().with_clock(move || now + later));
            AsyncDatabase::table(&database, "claims").await.unwrap()
        };
        let (first, second, ahead) = (claims(0).await, claims(200).await, claims(900).await);
        for (claimant, n) in [(&first, b"1"), (&second, b"2"), (&ahead, b"3"), (&ahead, b"4")] {
            assert!(claimant.compare_and_write(b"lock", None, Some(n)).await.unwrap());
            assert_eq!(claimant.get(b"lock").await.unwrap().as_deref(), Some(&n[..]), "the claim is hidden");
            assert!(ahead.compare_and_write(b"lock", Some(n), None).await.unwrap());
            assert_eq!(claimant.get(b"lock").await.unwrap(), None);
        }
    });
    databases.end(runtime.handle());
}

/// A batch that deletes and puts one row again and again leaves what it put last.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_batch_is_applied_in_its_order() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let table = database.table("batches", &schema()).await.unwrap();
        let rows = |row: u8| {
            (0..5).flat_map(move |turn: u8| {
                let put = Mutation::new().put("f:q", [turn]);
                [(vec![row], put), (vec![row], Mutation::new().delete_row())]
            })
        };
        let mut batch: Vec<_> = (0..20).flat_map(rows).collect();
        batch.extend((0..10).map(|row| (vec![row], Mutation::new().put("f:q", "last"))));
        table.mutate_many(&batch).await.unwrap();
        for row in 0..20 {
            let read = table.get(&[row], &Columns::all()).await.unwrap();
            assert_eq!(read.value("f:q"), (row < 10).then_some(&b"last"[..]), "row {row}");
        }
    });
    databases.end(runtime.handle());
}

/// The price of that: the time of a delete and a put, beside that of two puts.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_delete_takes_a_millisecond_or_two_more() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let table = database.table("price", &schema()).await.unwrap();
        let timed = async |first: Mutation| {
            let begun = Instant::now();
            for _ in 0..200 {
                table.mutate(b"r", &first).await.unwrap();
            }
            begun.elapsed() / 200
        };
        let put = timed(Mutation::new().put("f:q", "v")).await;
        let deletes = timed(Mutation::new().delete_column("f:q")).await;
        println!("a put takes {put:?}, a delete {deletes:?}");
        assert!(deletes >= Duration::from_millis(1));
    });
    databases.end(runtime.handle());
}
