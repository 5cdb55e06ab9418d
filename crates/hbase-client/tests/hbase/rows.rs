//! One row or a batch of them, read and written.

use hbase_client::{
    Action, Append, BufferOptions, CheckAndMutate, Compare, Condition, Delete, Error, ErrorKind, Family, Filter, Get,
    Increment, Mutation, Options, Outcome, Put, RowMutations, Scan, Table, TableSchema,
};

use crate::{client, create, options, port};

async fn table(name: &str, splits: &[&str]) -> Table {
    let client = client();
    let schema = TableSchema::new(name).family(Family::new("f").max_versions(3)).family("g");
    create(&client.admin(), &schema, splits).await;
    client.table(name)
}

fn put(row: &str, qualifier: &str, value: &str) -> Put {
    Put::new(row).value("f", qualifier, value)
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_row_is_written_read_and_deleted() {
    let table = table("rows_one", &["m"]).await;
    assert!(table.get("a").await.unwrap().is_empty());
    assert!(!table.exists("a").await.unwrap());

    table.put(put("a", "x", "1").value_at("f", "y", 7, "old").value("g", "", "")).await.unwrap();
    table.put(Put::new("a").value_at("f", "y", 8, "new")).await.unwrap();
    let row = table.get("a").await.unwrap();
    assert_eq!((row.key(), row.len()), (&b"a"[..], 3));
    assert_eq!(row.value("f", "x"), Some(&b"1"[..]));
    assert_eq!(row.value("g", ""), Some(&b""[..]));
    assert_eq!(row.cell("f", "y").unwrap().timestamp(), 8);
    assert!(table.exists(Get::new("a").family("g")).await.unwrap());

    let versions = table.get(Get::new("a").column("f", "y").versions(3)).await.unwrap();
    assert_eq!(versions.cells().map(|cell| cell.timestamp()).collect::<Vec<_>>(), [8, 7]);
    let older = table.get(Get::new("a").column("f", "y").time_range(0..8)).await.unwrap();
    assert_eq!(older.value("f", "y"), Some(&b"old"[..]));
    let filtered = table.get(Get::new("a").filter(&Filter::qualifier_prefix("x"))).await.unwrap();
    assert_eq!(filtered.len(), 1);

    table.delete(Delete::new("a").newest("f", "y").column("f", "x")).await.unwrap();
    let row = table.get("a").await.unwrap();
    assert_eq!((row.value("f", "x"), row.value("f", "y")), (None, Some(&b"old"[..])));
    table.delete(Delete::new("a")).await.unwrap();
    assert!(!table.exists("a").await.unwrap());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn counters_count_and_values_grow() {
    let table = table("rows_counters", &[]).await;
    let counts = (0..50).map(|_| table.increment(Increment::new("a").add("f", "n", 2).add("g", "m", -1)));
    for row in futures_util::future::join_all(counts).await {
        assert_eq!(row.unwrap().len(), 2);
    }
    let row = table.increment(Increment::new("a").add("f", "n", 0)).await.unwrap();
    assert_eq!(row.value("f", "n"), Some(&100i64.to_be_bytes()[..]));
    table.append(Append::new("a").value("f", "s", "ab")).await.unwrap();
    let row = table.append(Append::new("a").value("f", "s", "c")).await.unwrap();
    assert_eq!(row.value("f", "s"), Some(&b"abc"[..]));
    let refused = table.increment(Increment::new("a").add("f", "s", 1)).await.unwrap_err();
    assert_eq!((refused.kind(), refused.attempts()), (ErrorKind::NotACounter, 1), "{refused}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_row_is_changed_if_a_condition_holds() {
    let table = table("rows_conditions", &[]).await;
    let absent = Condition::absent("f", "x");
    assert!(table.check_and_mutate(&absent, put("a", "x", "5")).await.unwrap().applied);
    assert!(!table.check_and_mutate(&absent, put("a", "x", "6")).await.unwrap().applied);
    for (compare, value, holds) in [
        (Compare::Less, "6", true),
        (Compare::Less, "5", false),
        (Compare::LessOrEqual, "5", true),
        (Compare::Equal, "5", true),
        (Compare::NotEqual, "5", false),
        (Compare::GreaterOrEqual, "5", true),
        (Compare::Greater, "5", false),
        (Compare::Greater, "4", true),
    ] {
        let condition = Condition::value("f", "x", compare, value);
        let done = table.check_and_mutate(&condition, put("a", "y", "")).await.unwrap();
        assert_eq!(done.applied, holds, "5 {compare:?} {value}");
    }
    for (column, value, holds) in [("none", "5", false), ("none", "", false), ("x", "", true)] {
        let condition = Condition::value("f", column, Compare::NotEqual, value);
        let done = table.check_and_mutate(&condition, put("a", "y", "")).await.unwrap();
        assert_eq!(done.applied, holds, "{column} {value:?}");
    }
    let changes = || RowMutations::new([put("a", "z", "1").into(), Delete::new("a").column("f", "x").into()]);
    assert!(!table.check_and_mutate(&Condition::absent("f", "x"), changes()).await.unwrap().applied);
    let five = Condition::value("f", "x", Compare::Equal, "5");
    assert!(table.check_and_mutate(&five, changes()).await.unwrap().applied);
    let row = table.get("a").await.unwrap();
    assert_eq!((row.value("f", "x"), row.value("f", "z")), (None, Some(&b"1"[..])));
    table.mutate_row([put("a", "p", "1").into(), put("a", "q", "2").into()]).await.unwrap();
    assert_eq!(table.get("a").await.unwrap().len(), 4);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_batch_has_a_result_for_each_part() {
    let table = table("rows_batch", &["b", "c", "d"]).await;
    let mut actions: Vec<Action> = Vec::new();
    for row in ["a1", "b1", "c1", "d1"] {
        actions.push(put(row, "x", row).into());
        actions.push(Get::new(row).into());
        actions.push(Increment::new(row).add("f", "n", 3).into());
        actions.push(Increment::new(row).add("f", "n", 4).into());
    }
    actions.push(Put::new("a1").value("none", "x", "").into());
    actions.push(Put::new("").value("f", "x", "").into());
    let results = table.batch(actions).await;
    for (at, row) in ["a1", "b1", "c1", "d1"].into_iter().enumerate() {
        let read = results[4 * at + 1].as_ref().unwrap();
        assert_eq!(read.row.value("f", "x"), Some(row.as_bytes()), "after the put before it");
        let count = results[4 * at + 3].as_ref().unwrap();
        assert_eq!(count.row.value("f", "n"), Some(&7i64.to_be_bytes()[..]));
    }
    let refused = results[16].as_ref().unwrap_err();
    assert_eq!(refused.exception().map(|e| e.class().rsplit('.').next()), Some(Some("NoSuchColumnFamilyException")));
    assert_eq!(results[17].as_ref().unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn large_batches_are_split_by_bytes() {
    table("rows_large", &["3", "6"]).await;
    let client = hbase_client::Client::new(options().request_bytes(100_000)).unwrap();
    let table = client.table("rows_large");
    let value = "v".repeat(10_000);
    let before = client.counters().calls;
    let puts = (0..100).map(|i| put(&format!("{:02}", i), "x", &value).into()).collect();
    for result in table.batch(puts).await {
        result.unwrap();
    }
    let calls = client.counters().calls - before;
    assert!((10..=16).contains(&calls), "{calls} calls for 1 MB in parts of 100 kB");
    let rows = table.get_many((0..100).map(|i| format!("{:02}", i))).await;
    assert!(rows.into_iter().all(|row| row.unwrap().value("f", "x") == Some(value.as_bytes())));
    assert!(table.put(put("big", "x", &"v".repeat(9_000_000))).await.is_ok());
    assert_eq!(table.get("big").await.unwrap().size() / 9_000_000, 1);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn masters_and_zookeeper_both_tell_where_regions_are() {
    table("rows_registry", &[]).await;
    let nowhere = hbase_client::Address::new("127.0.0.1", 1);
    for options in [
        Options::new().masters([port("master")]),
        Options::new().masters([port("regionserver")]),
        Options::new().masters([nowhere.clone(), port("master")]),
        Options::new().zookeeper([nowhere.clone(), port("zookeeper")]),
        Options::new().zookeeper([port("zookeeper")]).masters([nowhere.clone()]),
    ] {
        let table = hbase_client::Client::new(options).unwrap().table("rows_registry");
        table.put(put("a", "x", "1")).await.unwrap();
    }
    let options = Options::new().masters([nowhere]).timeout(std::time::Duration::from_secs(1));
    let error = hbase_client::Client::new(options).unwrap().table("t").get("a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.attempts() > 2, "{error}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn errors_say_what_and_where() {
    let table = table("rows_errors", &[]).await;
    let missing = client().table("rows_none").get("a").await.unwrap_err();
    assert_eq!((missing.kind(), missing.attempts()), (ErrorKind::TableNotFound, 1));
    let refused = table.put(Put::new("a").value("none", "x", "")).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::FamilyNotFound);
    assert!(refused.exception().unwrap().do_not_retry());
    assert_eq!(refused.row().map(|row| &row[..]), Some(&b"a"[..]));
    assert!(refused.server().is_some() && refused.region().is_some(), "{refused}");
    client().admin().disable("rows_errors").await.unwrap();
    let disabled = client().table("rows_errors").with_timeout(std::time::Duration::from_secs(5));
    assert_eq!(disabled.get("a").await.unwrap_err().kind(), ErrorKind::TableDisabled);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_cold_client_looks_each_region_up_once() {
    table("rows_cold", &["b", "c", "d", "e", "f", "g"]).await;
    let client = client();
    let table = client.table("rows_cold");
    let rows: Vec<String> = (0..700).map(|i| format!("{}{i}", char::from(b'a' + (i % 7) as u8))).collect();
    futures_util::future::join_all(rows.iter().map(|row| table.get(row)))
        .await
        .into_iter()
        .for_each(|row| drop(row.unwrap()));
    let lookups = client.counters().lookups;
    assert!(lookups <= 7, "{lookups} look-ups of 7 regions");
    let dump = client.dump();
    assert_eq!(dump.lines().filter(|line| line.starts_with("region rows_cold,")).count(), 7, "{dump}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn gathered_writes_are_made_in_their_order_or_told() {
    let client = client();
    create(&client.admin(), &TableSchema::new("rows_buffered").family("f"), &["2", "4"]).await;
    let table = client.table("rows_buffered");
    let writes = table.buffered_mutator(BufferOptions::new().flush_bytes(20_000));
    let mut waiting = Vec::new();
    for n in 0..3_000 {
        let put = |qualifier: &str| Put::new((n % 500).to_string()).value("f", qualifier, n.to_string());
        drop(writes.mutate(put("q")).await.unwrap());
        if n % 100 == 0 {
            waiting.push(writes.mutate(put("also")).await.unwrap());
            drop(writes.mutate(Put::new(format!("lost-{n}")).value("none", "q", "v")).await.unwrap());
        }
    }
    let failed = writes.flush().await;
    assert_eq!(failed.len(), 30);
    assert!(failed.iter().all(|failed| failed.error.kind() == ErrorKind::FamilyNotFound), "{failed:?}");
    for written in waiting {
        written.outcome().await.unwrap();
    }
    let mut rows = table.scan(Scan::new());
    let mut count = 0;
    while let Some(row) = rows.next().await.unwrap() {
        let last: u32 = std::str::from_utf8(row.key()).unwrap().parse::<u32>().unwrap() + 2_500;
        assert_eq!(row.value("f", "q"), Some(last.to_string().as_bytes()));
        count += 1;
    }
    assert_eq!(count, 500);
    assert!(writes.close().await.is_empty());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn many_writes_of_one_row_are_few_calls_and_the_last_one_wins() {
    let table = table("rows_many_of_one", &[]).await;
    let put_of = |at: usize| Action::from(Put::new("a").value("f", (at % 7).to_string(), at.to_string()));
    let mut actions: Vec<Action> = (0..3000).map(put_of).collect();
    actions.push(Increment::new("a").add("f", "n", 1).into());
    actions.extend((3000..6000).map(put_of));
    actions.push(Increment::new("a").add("f", "n", 1).into());
    let client = client();
    let results = client.table(table.name()).batch(actions).await;
    let counts = results.into_iter().map(Result::unwrap).filter(|outcome| !outcome.row.is_empty());
    let counts: Vec<_> = counts.map(|outcome| outcome.row.value("f", "n").unwrap().to_vec()).collect();
    assert_eq!(counts, [1_u64.to_be_bytes(), 2_u64.to_be_bytes()]);
    assert!(client.counters().calls < 10, "{:?}", client.counters());
    let row = table.get("a").await.unwrap();
    for at in 5993..6000_usize {
        assert_eq!(row.value("f", (at % 7).to_string()), Some(at.to_string().as_bytes()));
    }
    // One that is wrong takes no other with it.
    let wrong = Put::new("a").value("none", "x", "");
    let results = table.batch(vec![put_of(0), put_of(1), wrong.into(), put_of(2)]).await;
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
    assert_eq!(table.get("a").await.unwrap().value("f", "2"), Some(&b"2"[..]));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn what_hbase_would_do_in_part_is_refused() {
    let table = table("rows_refused", &[]).await;
    let refused = async |mutation: Mutation| {
        let outcome = table.batch(vec![mutation.into()]).await.remove(0);
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Invalid);
    };
    refused(Increment::new("a").add("f", "n", 1).add("f", "n", 2).into()).await;
    refused(Append::new("a").value("f", "n", "1").value("f", "n", "2").into()).await;
    refused(Put::new("a").value_at("f", "n", 1 << 63, "").into()).await;
    assert!(table.get("a").await.unwrap().is_empty());

    let now = u64::MAX >> 1;
    table.put(Put::new("a").value_at("f", "x", now, "")).await.unwrap();
    assert!(table.get("a").await.unwrap().cells().next().unwrap().timestamp() < now);
    let unknown = table.put(Put::new("a").value("none", "x", "")).await.unwrap_err();
    assert!(unknown.exception().unwrap().message().len() > 300, "{unknown:?}");
    assert!(unknown.to_string().contains("…") && unknown.to_string().len() < 600, "{unknown}");
}

#[tokio::test]
#[ignore = "needs a server"]
async fn changes_at_once_and_with_conditions_go_in_batches_and_buffers() {
    let table = table("rows_at_once", &["m"]).await;
    let count = |row: &str| Increment::new(row).add("f", "n", 1);
    let value = |outcome: &Outcome| outcome.row.value("f", "n").map(<[u8]>::to_vec);
    let number = |n: u64| Some(n.to_be_bytes().to_vec());
    let is_open = Condition::value("f", "state", Compare::Equal, "open");
    table.put(put("a", "state", "open")).await.unwrap();

    let counted = table.check_and_mutate(&is_open, count("a")).await.unwrap();
    assert_eq!((counted.applied, value(&counted)), (true, number(1)));
    let not = table.check_and_mutate(&is_open, count("z")).await.unwrap();
    assert_eq!((not.applied, not.row.len()), (false, 0));
    let at_once = |row: &str| {
        let append = Append::new(row).value("f", "log", "x");
        RowMutations::new([count(row).into(), append.into(), put(row, "state", "shut").into()])
    };
    let row = table.mutate_row(at_once("b").mutations().to_vec()).await.unwrap();
    assert_eq!((row.value("f", "log"), row.len()), (Some(&b"x"[..]), 2));

    let batch = async || {
        let actions: Vec<Action> = vec![
            put("c", "state", "open").into(),
            CheckAndMutate::new(&is_open, at_once("a")).into(),
            CheckAndMutate::new(&is_open, count("z")).into(),
            at_once("z").into(),
            count("c").into(),
            RowMutations::new([put("d", "x", "1").into(), Put::new("d").value("none", "x", "1").into()]).into(),
            Get::new("c").into(),
        ];
        table.batch(actions).await
    };
    let results = batch().await;
    let outcome = |at: usize| results[at].as_ref().unwrap();
    assert_eq!((outcome(1).applied, value(outcome(1))), (true, number(2)));
    assert_eq!(outcome(1).row.value("f", "log"), Some(&b"x"[..]));
    assert_eq!((outcome(2).applied, outcome(2).row.len()), (false, 0));
    assert_eq!((outcome(3).applied, value(outcome(3))), (true, number(1)));
    assert_eq!(value(outcome(4)), number(1));
    assert_eq!(results[5].as_ref().unwrap_err().kind(), ErrorKind::FamilyNotFound);
    assert_eq!(value(outcome(6)), number(1), "after the increment before it");
    assert!(table.get("d").await.unwrap().is_empty(), "all of it or nothing");
    // The first one has shut it.
    assert!(!batch().await[1].as_ref().unwrap().applied);

    let writes = table.buffered_mutator(BufferOptions::new());
    let shut = writes.mutate(CheckAndMutate::new(&is_open, count("a"))).await.unwrap();
    let counted = writes.mutate(at_once("e")).await.unwrap();
    for row in 0..100 {
        let family = if row == 50 { "" } else { "f" };
        let taken = writes.mutate(Put::new(format!("e{row}")).value(family, "x", "1")).await;
        assert_eq!(taken.is_ok(), row != 50);
    }
    assert!(writes.close().await.is_empty());
    assert!(!shut.outcome().await.unwrap().applied);
    assert_eq!(value(&counted.outcome().await.unwrap()), number(1));
    let written = table.get_many((0..100).map(|row| format!("e{row}"))).await;
    assert_eq!(written.iter().filter(|row| row.as_ref().unwrap().is_empty()).count(), 1);
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_write_without_a_family_takes_no_other_with_it() {
    let table = table("rows_no_family", &[]).await;
    let put = |row: &str, family: &str| Action::from(Put::new(row).value(family, "q", "v"));
    let began = std::time::Instant::now();
    let results = table.batch(vec![put("a", "f"), put("b", ""), put("c", "f")]).await;
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(results[1].as_ref().unwrap_err().kind(), ErrorKind::Invalid);
    assert_eq!(table.get_many(["a", "b", "c"]).await.into_iter().map(|row| row.unwrap().len()).sum::<usize>(), 2);
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_write_beside_a_delete_is_refused_or_stays() {
    let table = table("rows_anew", &[]).await;
    let delete = || Delete::new("a");
    let hiding = [delete(), delete().family("f"), delete().column("f", "n"), delete().newest("f", "n")];
    let writes = || -> [Mutation; 3] {
        [
            put("a", "n", "new").into(),
            Increment::new("a").add("f", "n", 1).into(),
            Append::new("a").value("f", "n", "1").into(),
        ]
    };
    for delete in hiding {
        for write in writes() {
            for at_once in [[delete.clone().into(), write.clone()], [write.clone(), delete.clone().into()]] {
                let refused = table.mutate_row(at_once.clone()).await.unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::Invalid, "{at_once:?}");
                let at_once = RowMutations::new(at_once);
                let refused = table.batch(vec![at_once.clone().into()]).await.remove(0).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::Invalid);
                let refused = table.check_and_mutate(&Condition::absent("f", "none"), at_once).await.unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::Invalid);
            }
        }
    }
    // The mutations that the errors say to send instead.
    table.put(Put::new("a").value_at("f", "n", 5, "old").value_at("f", "other", 5, "old")).await.unwrap();
    table.mutate_row([delete().column_until("f", "n", 5).into(), put("a", "n", "new").into()]).await.unwrap();
    assert_eq!(table.get("a").await.unwrap().value("f", "n"), Some(&b"new"[..]));
    let anew = Put::new("b").value_at("f", "n", 7, "new");
    table.put(Put::new("b").value_at("f", "n", 5, "old").value_at("f", "other", 6, "old")).await.unwrap();
    table.mutate_row([Delete::new("b").family_until("f", 6).into(), anew.into()]).await.unwrap();
    let row = table.get("b").await.unwrap();
    assert_eq!((row.value("f", "n"), row.len()), (Some(&b"new"[..]), 1));
    let count = Increment::new("b").add("f", "count", 1);
    table.mutate_row([count.into(), Delete::new("b").family_until("f", 7).into()]).await.unwrap();
    let row = table.get("b").await.unwrap();
    assert_eq!((row.value("f", "count"), row.len()), (Some(&1_u64.to_be_bytes()[..]), 1));
}

#[tokio::test]
#[ignore = "needs a server"]
async fn a_value_that_is_too_large_takes_no_other_with_it() {
    let client = client();
    let admin = client.admin();
    let schema = TableSchema::new("rows_large").family("f").setting("hbase.server.keyvalue.maxsize", "1000");
    create(&admin, &schema, &["5"]).await;
    let table = client.table("rows_large");
    let size = |row: usize, large: usize| if row % large == 1 { 2000 } else { 10 };
    for (many, large) in [(3, 3), (300, 300), (300, 7)] {
        let put = |row: usize| Put::new(format!("{many}-{large}-{row:03}")).value("f", "q", vec![1; size(row, large)]);
        let results = table.batch((0..many).map(|row| put(row).into()).collect()).await;
        let written = table.get_many((0..many).map(put).map(|put| put.row().to_vec())).await;
        for (row, (result, written)) in results.iter().zip(written).enumerate() {
            let is_large = size(row, large) == 2000;
            assert_eq!(written.unwrap().is_empty(), is_large, "{many} {large} {row} {result:?}");
            assert_eq!(result.as_ref().err().map(Error::kind), is_large.then_some(ErrorKind::TooLarge), "{result:?}");
        }
    }
    // If none can be made, few are tried.
    admin.alter(&admin.describe("rows_large").await.unwrap().read_only(true)).await.unwrap();
    let calls = client.counters().calls;
    let puts = (0..5000).map(|row| Put::new(format!("{row:04}")).value("f", "q", "v").into());
    let results = table.batch(puts.collect()).await;
    assert!(results.iter().all(|result| result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Refused)));
    let calls = client.counters().calls - calls;
    println!("5,000 puts of a table that is read only: {calls} calls");
    assert!(calls < 400, "{calls} calls");
}
