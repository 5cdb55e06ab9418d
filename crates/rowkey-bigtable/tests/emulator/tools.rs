//! Tools for synchronous tables, on Bigtable through `Blocking`: secondary tables, a migration, bulk loads, ids.

use rowkey::ids::NameIds;
use rowkey::migrate::{Conversion, Migration, Phase};
use rowkey::nonblocking::{AsyncWideTable, Blocking};
use rowkey::secondary::Primary;
use rowkey::splits::Splits;
use rowkey::store::Database;
use rowkey::wide::{Columns, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey::{RowKey, Table, WideTable};
use rowkey_bigtable::Bigtable;

use crate::{connect, options, runtime};

mod old {
    #[derive(rowkey::RowKey, Debug, Clone, PartialEq)]
    pub(crate) struct Visit {
        pub(crate) at: u64,
        pub(crate) user: String,
    }
}

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 16, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: u64,
}

fn plain() -> impl Database + Clone + 'static {
    OneColumn::database(Blocking::connect(Bigtable::connect(options())).unwrap())
}

fn visits(count: u64) -> impl Iterator<Item = (String, u64)> {
    (0..count).map(|n| (format!("user {}", n % 7), 1000 + n))
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn secondary_tables_follow() {
    let db = plain();
    let mut users: Primary<u64, String, _> = Primary::open(db, "users").unwrap();
    let by_name = users.secondary("users.by_name", |id: &u64, name: &String| [((name.clone(), *id), ())]).unwrap();
    for (id, name) in [(1, "Ada"), (2, "Bob"), (3, "Ada"), (2, "Eve")] {
        users.put(&id, &name.to_owned()).unwrap();
    }
    users.delete(&3).unwrap();
    let names: Vec<_> = by_name.scan(..).map(|row| row.unwrap().0).collect();
    assert_eq!(names, [("Ada".to_owned(), 1), ("Eve".to_owned(), 2)]);
    assert_eq!(by_name.verify().run().unwrap().differences(), 0);
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_migration_from_hot_keys_to_salted_ones() {
    let db = plain();
    let before: Table<old::Visit, String, _> = Table::open(db.clone(), "visits").unwrap();
    let load = before.bulk_load().threads(2).batch(100);
    let rows = visits(500).map(|(user, at)| Ok((old::Visit { at, user }, "/".to_owned())));
    assert_eq!(load.run(rows).unwrap().writes, 500);
    let keys =
        Conversion::keys(|old::Visit { at, user }| Visit { user, at }, |Visit { user, at }| old::Visit { at, user });
    let moving = Migration::<_, String, _, _, _>::open(db.clone(), "salt", "visits", "visits.salted", keys).unwrap();
    moving.put(&Visit { user: "new".into(), at: 1 }, &"/new".into()).unwrap();
    moving.backfill().batch_rows(100).run().unwrap();
    assert_eq!((moving.verify().run().unwrap().differences(), moving.phase().unwrap()), (0, Phase::Verified));
    moving.cut_over().unwrap();
    moving.finish().unwrap();
    let after: Table<Visit, String, _> = Table::open(db, "visits.salted").unwrap();
    let found: Vec<Visit> = after.scan(..).map(|row| row.unwrap().0).collect();
    let mut expected: Vec<Visit> = visits(500).map(|(user, at)| Visit { user, at }).collect();
    expected.push(Visit { user: "new".into(), at: 1 });
    expected.sort_by(|a, b| (&a.user, std::cmp::Reverse(a.at)).cmp(&(&b.user, std::cmp::Reverse(b.at))));
    assert_eq!(found, expected);
    let mut parallel: Vec<Visit> = Vec::new();
    let parts = after.scan(..).parallel(&Splits::default()).threads(4);
    for rows in parts.start() {
        parallel.extend(rows.unwrap().into_iter().map(|(visit, _)| visit));
    }
    parallel.sort_by(|a, b| (&a.user, std::cmp::Reverse(a.at)).cmp(&(&b.user, std::cmp::Reverse(b.at))));
    assert_eq!(parallel, expected);
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn ids_of_names_are_given_once() {
    let db = plain();
    let ids: NameIds = NameIds::open(&db, "ids", "metric").unwrap();
    let first = ids.id("cpu.load").unwrap();
    let of_threads: Vec<_> = std::thread::scope(|scope| {
        let ids: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| NameIds::<3>::open(&db, "ids", "metric").unwrap().id("disk.free").unwrap()))
            .collect();
        ids.into_iter().map(|id| id.join().unwrap()).collect()
    });
    assert!(of_threads.iter().all(|id| *id == of_threads[0] && *id != first), "{of_threads:?}");
    assert_eq!(ids.find("cpu.load").unwrap(), Some(first));
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn one_wide_table_from_both_kinds_of_code() {
    let runtime = runtime();
    let db = connect(runtime.handle());
    let schema = TableSchema::new().family("page", FamilySchema::new().max_versions(3));
    runtime.block_on(async {
        let table: AsyncWideTable<Visit, _> = AsyncWideTable::open(db.clone(), "visits", &schema).await.unwrap();
        for (user, at) in visits(200) {
            table.mutate(&Visit { user, at }, &Mutation::new().put("page:url", "/")).await.unwrap();
        }
        let mut rows = table.scan(Visit::prefix().user("user 3"), Columns::all()).reverse().limit(2);
        let first = rows.next().await.unwrap().unwrap();
        assert_eq!((first.0.at, first.1.value("page:url")), (1003, Some(&b"/"[..])));
    });
    let spawner = runtime.handle().clone();
    let blocking = Blocking::on(db, move |call| drop(spawner.spawn(call)));
    let table: WideTable<Visit, _> = WideTable::open(blocking, "visits", &schema).unwrap();
    let found: Vec<Visit> = table.scan(.., Columns::all().first_only()).map(|row| row.unwrap().0).collect();
    assert_eq!(found.len(), 200);
    assert!(found.is_sorted_by(|a, b| (&a.user, b.at) < (&b.user, a.at)));
}
