//! Input that HBase refuses, tables that go away, clusters that are not there: typed errors, in time.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use hbase_client::{Address, Client, Options, TableName};
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore, Batches};
use rowkey::store::{CallOptions, NewTable, Scan};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, ErrorKind, KeyRange};
use rowkey_hbase::HBase;

use crate::{Databases, runtime};

const LONGEST: usize = 32_767;

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new())
}

fn put(value: impl AsRef<[u8]>) -> Mutation {
    Mutation::new().put("f:q", value.as_ref())
}

async fn keys(mut batches: Batches) -> Result<Vec<Vec<u8>>, Error> {
    let mut keys = Vec::new();
    while let Some(batch) = batches.next().await {
        keys.extend(batch?.iter().map(|(key, _)| key.to_vec()));
    }
    Ok(keys)
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn names_that_hbase_refuses() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        for name in ["", "a b", "-a", ".a", "a:b", "a/b", "ä\u{1}", &"n".repeat(256)] {
            let error = database.table(name, &schema()).await.err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name:?}: {error}");
        }
        assert!(database.tables().await.unwrap().is_empty());
        let nowhere = database.clone().in_namespace("no_such_namespace");
        let error = nowhere.table("t", &schema()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        assert!(matches!(nowhere.open_table("t", &schema()).await, Err(Error::NoSuchTable(_))));
    });
    databases.end(runtime.handle());
}

/// A split point that is too long would leave a table that can be neither opened nor created.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn split_points_options_and_families_that_hbase_can_not_keep() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let longest = TableName::new(database.namespace(), "split").longest_split_key();
        let new = |len| NewTable::new().split_at([b"a".to_vec(), vec![b'k'; len]]);
        let refused = database.create_table("split", &schema(), &new(longest + 1)).await.err().unwrap();
        assert!(matches!(refused, Error::SplitPoint { index: 1, .. }), "{refused}");
        let table = database.create_table("split", &schema(), &new(longest)).await.unwrap();
        assert_eq!(table.split_points().await.unwrap().len(), 2);

        let torn = NewTable::new().option("f:NEW_VERSION_BEHAVIOR", "true");
        let refused = database.create_table("torn", &schema(), &torn).await.err().unwrap();
        assert!(matches!(refused, Error::TableOption { .. }), "{refused}");
        let versions = TableSchema::new().family("f", FamilySchema::new().max_versions(u32::MAX));
        let refused = database.table("versions", &versions).await.err().unwrap();
        assert!(matches!(refused, Error::Family { .. }), "{refused}");
        assert_eq!(database.tables().await.unwrap(), ["split"]);
    });
    databases.end(runtime.handle());
}

/// `hbase.server.keyvalue.maxsize` is 10 MiB.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_cell_that_is_too_large_is_refused_alone() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let table = databases.empty().await.table("large", &schema()).await.unwrap();
        let large = put(vec![b'v'; 11 << 20]);
        let refused = table.mutate(b"k", &large).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{refused}");
        let rows = [(b"a".to_vec(), put("v")), (b"b".to_vec(), large), (b"c".to_vec(), put("v"))];
        let Error::Rows(failed) = table.mutate_many(&rows).await.unwrap_err() else { panic!("not of rows") };
        let failed: Vec<_> = failed.iter().map(|row| (row.index(), row.error().kind())).collect();
        assert_eq!(failed, [(1, ErrorKind::InvalidInput)]);
    });
    databases.end(runtime.handle());
}

/// However short the time is, what ends for want of it says so.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_call_without_time_ends_by_its_deadline() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let table = databases.empty().await.table("t", &schema()).await.unwrap();
        for micros in (0..3_000).step_by(10) {
            let hasty = table.with_options(&CallOptions::new().timeout(Duration::from_micros(micros)));
            if let Err(error) = hasty.mutate(b"k", &put("v")).await {
                let kinds = [ErrorKind::DeadlineExceeded, ErrorKind::OutcomeUnknown];
                assert!(kinds.contains(&error.kind()), "{micros}: {error}");
            }
        }
    });
    databases.end(runtime.handle());
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn keys_and_bounds_that_are_too_long() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let new = NewTable::new().split_at([b"m"]);
        let table = database.create_table("t", &schema(), &new).await.unwrap();
        let long = |byte: u8, len: usize| vec![byte; len];
        let error = table.mutate(&long(b'k', LONGEST + 1), &put("v")).await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { max: LONGEST, len: 32_768, .. }), "{error}");
        assert!(table.get(&long(b'k', LONGEST + 1), &Columns::all()).await.unwrap().is_empty());
        let there = [b"a".to_vec(), long(b'k', LONGEST), b"z".to_vec(), long(0xff, LONGEST)];
        for key in &there {
            table.mutate(key, &put("v")).await.unwrap();
        }
        let [a, k, z, ff] = there;
        let all = vec![a.clone(), k.clone(), z.clone(), ff.clone()];
        let cases = [
            (vec![KeyRange::from_start(long(b'k', LONGEST + 1))], vec![z.clone(), ff.clone()]),
            (vec![KeyRange::from_start(long(b'k', LONGEST))], vec![k.clone(), z.clone(), ff.clone()]),
            (vec![KeyRange::new("", Some(long(b'k', LONGEST + 9))).unwrap()], vec![a.clone(), k.clone()]),
            (vec![KeyRange::new("", Some(long(b'k', LONGEST))).unwrap()], vec![a.clone()]),
            (vec![KeyRange::new("", Some(long(0xff, 70_000))).unwrap()], all.clone()),
            (vec![KeyRange::from_start(long(0xff, 70_000))], vec![]),
            (
                vec![KeyRange::point("a"), KeyRange::new(long(b'j', 40_000), Some(long(b'k', 40_000))).unwrap()],
                vec![a, k],
            ),
            (vec![], vec![]),
            (vec![KeyRange::all()], all),
        ];
        for (ranges, mut should_be) in cases {
            for reverse in [false, true] {
                let scan = Scan::new(ranges.clone()).reverse(reverse);
                let lens = |keys: &[Vec<u8>]| keys.iter().map(|key| (key[0], key.len())).collect::<Vec<_>>();
                let found = keys(table.scan(&scan, &Columns::all())).await.unwrap();
                assert_eq!(lens(&found), lens(&should_be), "reverse: {reverse}");
                should_be.reverse();
            }
        }
        let error = table.mutate(b"r", &put(vec![0; 11 << 20])).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Other), "{error}");
        let rows = [(b"r".to_vec(), put(vec![0; 11 << 20])), (b"s".to_vec(), put("fine"))];
        match table.mutate_many(&rows).await {
            Err(Error::Rows(rows)) => assert_eq!(rows.iter().map(|row| row.index()).collect::<Vec<_>>(), [0]),
            other => panic!("{other:?}"),
        }
        assert_eq!(table.get(b"s", &Columns::all()).await.unwrap().value("f:q"), Some(&b"fine"[..]));
    });
    databases.end(runtime.handle());
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn tables_that_go_away() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let table = database.table("t", &schema()).await.unwrap();
        let rows: Vec<_> = (0..3000_u32).map(|n| (n.to_be_bytes().to_vec(), put(vec![1; 1000]))).collect();
        table.mutate_many(&rows).await.unwrap();
        let hurried = table.with_options(&CallOptions::new().timeout(Duration::from_secs(5)));
        let mut open = hurried.scan(&Scan::all().batch_rows(10), &Columns::all());
        open.next().await.unwrap().unwrap();

        let name = || TableName::new(database.namespace(), "t");
        database.client().admin().disable(name()).await.unwrap();
        let begun = Instant::now();
        for error in [
            hurried.get(b"r", &Columns::all()).await.unwrap_err(),
            hurried.mutate(b"r", &put("v")).await.unwrap_err(),
            hurried.increment(b"r", &[("f:n".into(), 1)]).await.unwrap_err(),
            keys(hurried.scan(&Scan::all(), &Columns::all())).await.unwrap_err(),
        ] {
            assert!(matches!(error.kind(), ErrorKind::Busy | ErrorKind::DeadlineExceeded), "{error}");
            assert!(error.to_string().contains("disabled") || error.kind() == ErrorKind::DeadlineExceeded, "{error}");
        }
        // What was read ahead comes, then the error.
        let mut last = None;
        while let Some(batch) = open.next().await {
            last = batch.err();
        }
        assert!(last.is_some(), "the scan of a table that was disabled has ended as if it were whole");
        assert!(begun.elapsed() < Duration::from_secs(5 * 6), "{:?}", begun.elapsed());

        database.drop_table("t").await.unwrap();
        for error in [
            hurried.get(b"r", &Columns::all()).await.unwrap_err(),
            hurried.mutate(b"r", &put("v")).await.unwrap_err(),
            hurried.mutate_many(&[(b"r".to_vec(), put("v"))]).await.unwrap_err(),
            keys(hurried.scan(&Scan::all(), &Columns::all())).await.unwrap_err(),
        ] {
            assert!(matches!(&error, Error::NoSuchTable(table) if table == "t"), "{error}");
        }
        database.drop_table("t").await.unwrap();
    });
    databases.end(runtime.handle());
}

/// Rows of `hbase:meta` have an order of their own: some come between rows that were asked for, and were not.
#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn rows_of_meta_that_were_not_asked_for_are_an_error() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let new = NewTable::new().split_at([b"\x01", b"m"]);
        database.create_table("t", &schema(), &new).await.unwrap();
        let info = TableSchema::new().family("info", FamilySchema::new());
        let namespace = database.namespace().to_owned();
        let meta = database.in_namespace("hbase").external_table("meta", &info).await.unwrap();
        let row = |rest: &str| format!("{namespace}:t,{rest}");
        let range = |start, end| KeyRange::new(row(start), Some(row(end))).unwrap();
        for reverse in [false, true] {
            let found = async |range| keys(meta.scan(&Scan::new(vec![range]).reverse(reverse), &Columns::all())).await;
            assert_eq!(found(range("m,", "m-")).await.unwrap().len(), 1);
            // By its bytes the row `t,\x01,` is before the range.
            let error = found(range(",", "z")).await.unwrap_err();
            assert!(error.to_string().contains("not asked for"), "{error}");
        }
    });
    databases.end(runtime.handle());
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn clusters_that_are_not_there() {
    runtime().block_on(async {
        // A port that nobody listens at.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        for options in [
            Options::new().masters([Address::new("127.0.0.1", free)]),
            Options::new().zookeeper([Address::new("127.0.0.1", free)]),
        ] {
            let client = Client::new(options.timeout(Duration::from_secs(2))).unwrap();
            let begun = Instant::now();
            let error = HBase::connect(client).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
            assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        }
    });
}
