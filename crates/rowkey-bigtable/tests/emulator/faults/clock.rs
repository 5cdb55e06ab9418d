//! A clock that jumps. Puts without a timestamp have its time, and the newest time is read; records do not depend on
//! it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rowkey::RowKey;
use rowkey::nonblocking::{AsyncTable, AsyncWideDatabase, AsyncWideStore, AsyncWideTable};
use rowkey::store::NewTable;
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey_bigtable::Bigtable;

use crate::{options, runtime};

/// The last millisecond of Bigtable.
const LAST: i64 = i64::MAX / 1000;
const NOW: i64 = 1_750_000_000_000;
/// Forwards, backwards, before 1970, to the ends.
const JUMPS: [i64; 9] = [NOW, NOW + 86_400_000, NOW - 86_400_000, 0, -1, i64::MIN, LAST, i64::MAX, NOW];

async fn with_clock() -> (Bigtable, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(NOW));
    let now = Arc::clone(&clock);
    (Bigtable::connect(options()).await.unwrap().with_clock(move || now.load(Ordering::Relaxed)), clock)
}

fn schema(versions: u32) -> TableSchema {
    TableSchema::new().family("a", FamilySchema::new().max_versions(versions))
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn the_newest_time_is_read() {
    runtime().block_on(async {
        let (db, clock) = with_clock().await;
        let store = db.table("t", &schema(100)).await.unwrap();
        let mut newest = (i64::MIN, String::new());
        // The times of `a:cas`.
        let mut earlier: Vec<i64> = Vec::new();
        for (n, jump) in JUMPS.into_iter().enumerate() {
            clock.store(jump, Ordering::Relaxed);
            let value = n.to_string();
            store.mutate(b"r", &Mutation::new().put("a:q", value.as_str())).await.unwrap();
            // Of one time the last put is the one that is left.
            let at = jump.clamp(0, LAST);
            newest = newest.max((at, value.clone()));
            let row = store.get(b"r", &Columns::all()).await.unwrap();
            let found = row.cells().next().unwrap();
            assert_eq!((found.timestamp, found.value), (newest.0, newest.1.as_bytes()), "{jump}");
            // A mutation that deletes before it puts replaces the cell, whatever the time.
            let replaced = Mutation::new().delete_column("a:one").put("a:one", value.as_str());
            store.mutate_many(&[(b"s".to_vec(), replaced)]).await.unwrap();
            let row = store.get(b"s", &Columns::of("a:one").versions(9)).await.unwrap();
            assert_eq!(
                row.cells().map(|cell| (cell.timestamp, cell.value)).collect::<Vec<_>>(),
                [(at, value.as_bytes())]
            );
            let is_so = Condition::equal("a:one", value.as_str());
            let next = Mutation::new().delete_column("a:one").put("a:one", "checked");
            assert!(store.check_and_mutate(b"s", &is_so, &next).await.unwrap(), "{jump}");
            assert_eq!(store.get(b"s", &Columns::all()).await.unwrap().value("a:one"), Some(&b"checked"[..]));
            // A condition is about the newest version, and what is put if it holds replaces that, whatever the time.
            let counted = store.get(b"s", &Columns::of("a:cas")).await.unwrap();
            let condition = match counted.value("a:cas") {
                Some(value) => Condition::equal("a:cas", value),
                None => Condition::absent("a:cas"),
            };
            let put = Mutation::new().put("a:cas", value.as_str());
            assert!(store.check_and_mutate(b"s", &condition, &put).await.unwrap(), "{jump}");
            let versions = store.get(b"s", &Columns::of("a:cas").versions(99)).await.unwrap();
            let times: Vec<i64> = versions.cells().map(|cell| cell.timestamp).collect();
            assert_eq!((versions.value("a:cas"), times[0]), (Some(value.as_bytes()), at), "{jump}");
            earlier.retain(|earlier| *earlier < at);
            earlier.push(at);
            assert_eq!(times, earlier.iter().rev().copied().collect::<Vec<_>>(), "{jump}: older versions stay");
            // The server's clock counts.
            assert_eq!(store.increment(b"s", &[("a:n".into(), 1)]).await.unwrap(), [n as i64 + 1]);
        }
        // A delete without a time takes all of them.
        clock.store(0, Ordering::Relaxed);
        store.mutate(b"r", &Mutation::new().delete_column("a:q")).await.unwrap();
        assert!(store.get(b"r", &Columns::all()).await.unwrap().is_empty());
    });
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct ByNumber {
    number: u64,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct ByName {
    name: String,
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn records_do_not_depend_on_it() {
    runtime().block_on(async {
        let (db, clock) = with_clock().await;
        for (n, jump) in JUMPS.into_iter().enumerate() {
            clock.store(jump, Ordering::Relaxed);
            let before = schema(3);
            AsyncWideTable::<ByNumber, _>::open(db.clone(), "t", &before).await.unwrap();
            assert!(AsyncWideTable::<ByName, _>::open(db.clone(), "t", &before).await.is_err());
            let mut after = db.schema("t").await.unwrap().unwrap();
            after = after.family("a", FamilySchema::new().max_versions(4 + n as u32));
            db.alter("t", &after).await.unwrap();
            // A clock that stepped back meanwhile.
            clock.store(jump.saturating_sub(1_000_000), Ordering::Relaxed);
            assert!(AsyncWideTable::<ByNumber, _>::open(db.clone(), "t", &before).await.is_err());
            let table = AsyncWideTable::<ByNumber, _>::open(db.clone(), "t", &schema(4 + n as u32)).await.unwrap();
            table.drop_table().await.unwrap();
            let table = AsyncWideTable::<ByName, _>::create(db.clone(), "t", &before, &NewTable::new()).await.unwrap();
            assert!(AsyncWideTable::<ByNumber, _>::open(db.clone(), "t", &before).await.is_err());
            table.drop_table().await.unwrap();
        }
    });
}

/// A put has the clock's time. What compares and then writes has replaced what it compared, by whatever clock: locks,
/// phases and ids rely on it.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn plain_tables_of_processes_whose_clocks_differ() {
    runtime().block_on(async {
        let (db, clock) = with_clock().await;
        let names: AsyncTable<u64, String, _> =
            AsyncTable::open(OneColumn::database(db.clone()), "names").await.unwrap();
        let mut newest = (i64::MIN, String::new());
        for (n, jump) in JUMPS.into_iter().enumerate() {
            clock.store(jump, Ordering::Relaxed);
            names.put(&1, &n.to_string()).await.unwrap();
            newest = newest.max((jump.clamp(0, LAST), n.to_string()));
            assert_eq!(names.get(&1).await.unwrap().as_ref(), Some(&newest.1), "{jump}");
            names.delete(&1).await.unwrap();
            names.put(&1, &n.to_string()).await.unwrap();
            assert_eq!(names.get(&1).await.unwrap(), Some(n.to_string()), "{jump}");
            newest = (jump.clamp(0, LAST), n.to_string());
            // Each count is another one.
            for (by, clock_of_other) in [(1, jump), (2, jump.saturating_sub(5000)), (3, jump.saturating_add(9))] {
                clock.store(clock_of_other, Ordering::Relaxed);
                let count = names.update(&2, |count| {
                    Some((count.map_or(0, |count: String| count.parse::<usize>().unwrap()) + 1).to_string())
                });
                let expected = Some((n * 3 + by).to_string());
                assert_eq!(count.await.unwrap(), expected, "{jump}");
                assert_eq!(names.get(&2).await.unwrap(), expected, "{jump}");
            }
        }
        // Ids are given once, of processes whose clocks go apart.
        let (ahead, behind) = (NOW + 60_000, NOW);
        let mut given = std::collections::BTreeSet::new();
        for round in 0..20 {
            clock.store(if round % 2 == 0 { ahead } else { behind }, Ordering::Relaxed);
            let id =
                names.update(&3, |id| Some((id.map_or(0, |id: String| id.parse::<u64>().unwrap()) + 1).to_string()));
            assert!(given.insert(id.await.unwrap()), "{round}: an id was given twice");
        }
    });
}
