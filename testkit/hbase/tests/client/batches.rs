//! Batches and buffers: what one action does to the others, and changes that are made at once.

use std::time::{Duration, Instant};

use hbase_client::protocol::mutation_proto::MutationType;
use hbase_client::{
    Action, BufferOptions, CheckAndMutate, Compare, Condition, Delete, Error, ErrorKind, Get, Increment, Put,
    RowMutations, Table, protocol as pb,
};
use rowkey_hbase_testkit::{Call, Fake, Reply, eventually, with_longer_timeouts};

/// A class that no client knows, of an exception that one wrong action causes.
const ODD: &str = "java.lang.IllegalArgumentException";

/// The part of a batch that gets the exception if a server can't read or make one of several actions.
#[derive(Debug, Clone, Copy)]
enum Failing {
    Call,
    Region,
    EachAction,
}

fn named(class: &str) -> Option<pb::NameBytesPair> {
    Some(pb::NameBytesPair { name: class.into(), value: None })
}

/// A class that says that a retry is useless, of an action of the region, and not of which.
const REFUSED: &str = "org.apache.hadoop.hbase.DoNotRetryIOException";

/// A server for which a value `odd` spoils what it comes with.
fn spoilt(call: &Call, failing: Failing) -> Reply {
    spoilt_with(call, failing, ODD)
}

fn spoilt_with(call: &Call, failing: Failing, class: &'static str) -> Reply {
    let request: pb::MultiRequest = call.read();
    let odd = call.cells.windows(3).any(|bytes| bytes == b"odd");
    match failing {
        _ if !odd => Reply::batch(call, |_| None),
        Failing::Call => Reply::Exception(class, class.into()),
        Failing::EachAction => Reply::batch(call, |_| Some(class)),
        Failing::Region => {
            let result = || pb::RegionActionResult { exception: named(class), ..Default::default() };
            let region_action_result = request.region_action.iter().map(|_| result()).collect();
            Reply::message(&pb::MultiResponse { region_action_result, ..Default::default() })
        }
    }
}

fn put(row: usize, value: &str) -> Put {
    Put::new(format!("{row:03}")).value("f", "q", value)
}

fn value(row: usize) -> &'static str {
    if row == 50 { "odd" } else { "v" }
}

fn kinds<T>(results: &[hbase_client::Result<T>]) -> Vec<Option<ErrorKind>> {
    results.iter().map(|result| result.as_ref().err().map(Error::kind)).collect()
}

#[tokio::test]
async fn one_action_takes_no_other_with_it_however_they_fail() {
    for failing in [Failing::Call, Failing::Region, Failing::EachAction] {
        let mut due = vec![None; 100];
        due[50] = Some(ErrorKind::OutcomeUnknown);
        with_longer_timeouts(Duration::from_secs(3), (due, Some(ODD.to_owned())), async |timeout| {
            let fake = Fake::start(move |call| spoilt(call, failing));
            let table = fake.table().with_timeout(timeout);
            let results = table.batch((0..100).map(|row| put(row, value(row)).into()).collect()).await;
            let exception = results[50].as_ref().err().and_then(Error::exception);
            (kinds(&results), exception.map(|exception| exception.class().to_owned()))
        })
        .await;
    }
}

/// A put that is wrong; HBase says no more of one whose value is too large than of a table that can't be written.
fn odd(row: usize, is_odd: bool) -> Action {
    put(row, if is_odd { "odd" } else { "v" }).into()
}

#[tokio::test]
async fn what_a_server_refuses_takes_no_other_with_it() {
    for failing in [Failing::Call, Failing::Region, Failing::EachAction] {
        // One of three, one of many, and so many that some are in each part that is tried.
        for (many, each) in [(3, 3), (1000, 1000), (300, 3)] {
            let fake = Fake::start(move |call| spoilt_with(call, failing, REFUSED));
            let results = fake.table().batch((0..many).map(|row| odd(row, row % each == 1)).collect()).await;
            let expected: Vec<_> = (0..many).map(|row| (row % each == 1).then_some(ErrorKind::Refused)).collect();
            assert_eq!(kinds(&results), expected, "{failing:?} {many} {each}");
        }
    }
}

#[tokio::test]
async fn deletes_are_tried_apart_and_what_is_made_alone_is_not_tried_again() {
    let fake = Fake::start(|call| {
        let request: pb::MultiRequest = call.read();
        let is = |action: &pb::Action, row: &str| action.mutation.as_ref().is_some_and(|of| of.row() == row.as_bytes());
        let is_odd = request.region_action.iter().flat_map(|region| &region.action).any(|action| is(action, "odd"));
        Reply::batch(call, |action| {
            let counts = action.mutation.as_ref().is_some_and(|of| of.mutate_type() == MutationType::Increment);
            (counts || is_odd).then_some(REFUSED)
        })
    });
    let delete = |row: &str| Action::from(Delete::new(row));
    let actions = vec![increment("n").into(), delete("a"), increment("o").into(), delete("odd"), delete("b")];
    let (none, refused) = (None, Some(ErrorKind::Refused));
    assert_eq!(kinds(&fake.table().batch(actions).await), [refused, none, refused, refused, none]);
    // All of them, and then each delete.
    assert_eq!(fake.calls("Multi"), 4);
}

#[tokio::test]
async fn a_region_that_refuses_all_is_not_asked_for_each() {
    let puts_of_a_row = |n: usize| Put::new("r").value("f", n.to_string(), "odd").into();
    for many in [(0..5000).map(|row| odd(row, true)).collect::<Vec<_>>(), (0..2000).map(puts_of_a_row).collect()] {
        let fake = Fake::start(|call| spoilt_with(call, Failing::EachAction, REFUSED));
        let results = fake.table().batch(many).await;
        assert!(kinds(&results).iter().all(|kind| *kind == Some(ErrorKind::Refused)));
        assert!(fake.calls("Multi") < 200, "{} calls", fake.calls("Multi"));
    }
}

#[tokio::test]
async fn one_write_of_a_buffer_takes_no_other_with_it() {
    with_longer_timeouts(Duration::from_secs(3), vec![b"050".to_vec()], async |timeout| {
        let fake = Fake::start(|call| spoilt(call, Failing::Call));
        let writes = fake.table().with_timeout(timeout).buffered_mutator(BufferOptions::new());
        for row in 0..100 {
            drop(writes.mutate(put(row, value(row))).await.unwrap());
        }
        writes.close().await.iter().map(|failed| failed.write.row().to_vec()).collect()
    })
    .await;
}

#[tokio::test]
async fn puts_of_a_row_are_not_all_lost_with_one() {
    let due: Vec<_> = (0..40).map(|n| n == 39).collect();
    with_longer_timeouts(Duration::from_secs(2), due, async |timeout| {
        let fake = Fake::start(|call| spoilt(call, Failing::Call));
        let table = fake.table().with_timeout(timeout);
        let puts =
            (0..40).map(|n: usize| Put::new("r").value("f", n.to_string(), if n == 39 { "odd" } else { "v" }).into());
        table.batch(puts.collect()).await.iter().map(Result::is_err).collect()
    })
    .await;
}

/// Carries out what is made at once, if its row is not `no`. Increments return 7.
fn at_once(call: &Call) -> Reply {
    let request: pb::MultiRequest = call.read();
    let row_of = |action: &pb::Action| match &action.mutation {
        Some(mutation) => mutation.row.clone().unwrap(),
        None => action.get.as_ref().unwrap().row.clone(),
    };
    let of_region = |region: &pb::RegionAction| {
        let row = row_of(&region.action[0]);
        let result = |action: &pb::Action| {
            let counted = pb::Cell {
                row: Some(row_of(action)),
                family: Some("f".into()),
                qualifier: Some("n".into()),
                value: Some("7".into()),
                ..Default::default()
            };
            let counts =
                action.mutation.as_ref().is_some_and(|mutation| mutation.mutate_type() == MutationType::Increment);
            let cell = if counts && row != "no" { vec![counted] } else { vec![] };
            let result = Some(pb::Result { cell, ..Default::default() });
            pb::ResultOrException { index: action.index, result, exception: None }
        };
        let at_once = region.atomic() || region.condition.is_some();
        let processed = at_once.then_some(row != "no");
        pb::RegionActionResult {
            result_or_exception: region.action.iter().map(result).collect(),
            exception: if row == "bad" { named("org.apache.hadoop.hbase.DoNotRetryIOException") } else { None },
            processed,
        }
    };
    let region_action_result = request.region_action.iter().map(of_region).collect();
    Reply::message(&pb::MultiResponse { region_action_result, ..Default::default() })
}

fn increment(row: &str) -> Increment {
    Increment::new(row).add("f", "n", 1)
}

fn checked(row: &str) -> CheckAndMutate {
    CheckAndMutate::new(&Condition::value("f", "q", Compare::Equal, "v"), increment(row))
}

fn row(row: &str) -> RowMutations {
    RowMutations::new([Put::new(row).value("f", "q", "v").into(), increment(row).into()])
}

async fn done(table: &Table, actions: Vec<Action>) -> Vec<(bool, String)> {
    let results = table.batch(actions).await;
    let of = |result: hbase_client::Result<hbase_client::Outcome>| match result {
        Ok(outcome) => {
            let value = outcome.row.value("f", "n").unwrap_or_default();
            (outcome.applied, String::from_utf8_lossy(value).into_owned())
        }
        Err(error) => (false, format!("{:?}", error.kind())),
    };
    results.into_iter().map(of).collect()
}

#[tokio::test]
async fn changes_at_once_and_with_conditions_go_in_a_batch() {
    let fake = Fake::start(at_once);
    let table = fake.table();
    let actions = vec![
        Action::from(Put::new("a").value("f", "q", "v")),
        checked("yes").into(),
        checked("no").into(),
        row("b").into(),
        row("bad").into(),
        Get::new("c").into(),
        increment("d").into(),
        // Not sent.
        RowMutations::new([]).into(),
        CheckAndMutate::new(&Condition::absent("", "q"), increment("e")).into(),
    ];
    let (yes, no) = (|value: &str| (true, value.to_owned()), |value: &str| (false, value.to_owned()));
    let expected =
        [yes(""), yes("7"), no(""), yes("7"), no("Refused"), yes(""), yes("7"), no("Invalid"), no("Invalid")];
    assert_eq!(done(&table, actions).await, expected);
    assert_eq!(fake.calls("Multi"), 1);
}

#[tokio::test]
async fn changes_at_once_and_with_conditions_go_in_a_buffer() {
    let fake = Fake::start(at_once);
    let writes = fake.table().buffered_mutator(BufferOptions::new());
    let held = [writes.mutate(checked("yes")).await.unwrap(), writes.mutate(checked("no")).await.unwrap()];
    drop(writes.mutate(row("b")).await.unwrap());
    drop(writes.mutate(row("bad")).await.unwrap());
    let failed = writes.close().await;
    assert_eq!(failed.iter().map(|failed| failed.write.row()).collect::<Vec<_>>(), [b"bad"]);
    assert_eq!(failed[0].write.mutations().len(), 2);
    let [yes, no] = held.map(|written| written.outcome());
    assert!(yes.await.unwrap().applied && !no.await.unwrap().applied);
}

#[tokio::test]
async fn what_depends_on_a_condition_is_not_repeated() {
    let fake = Fake::start(|call| if call.nth == 0 { Reply::Close } else { at_once(call) });
    let table = fake.table();
    let results = table.batch(vec![checked("yes").into(), row("b").into()]).await;
    assert_eq!(kinds(&results), [Some(ErrorKind::OutcomeUnknown); 2]);
    assert_eq!(fake.calls("Multi"), 1);
    // In a task of its own.
    let in_a_task = async move {
        let condition = Condition::absent("f", "q");
        let writes = table.buffered_mutator(BufferOptions::new());
        drop(writes.mutate(row("d")).await.unwrap());
        assert!(writes.close().await.is_empty());
        table.check_and_mutate(&condition, row("c")).await.unwrap().applied
    };
    assert!(tokio::spawn(in_a_task).await.unwrap());
}

#[tokio::test]
async fn a_flush_waits_for_two_batches_at_most() {
    // The first one is made twice.
    with_longer_timeouts(Duration::from_secs(4), 3, async |timeout| {
        let fake = Fake::start(|call| match call.nth {
            0 => Reply::Silence,
            _ => Reply::batch(call, |_| None),
        });
        let options = BufferOptions::new().flush_bytes(100).flush_interval(Duration::from_millis(1));
        let options_of_client = fake.options().attempt_timeout(timeout);
        let table = hbase_client::Client::new(options_of_client).unwrap().table("t");
        let writes = table.buffered_mutator(options);
        drop(writes.mutate(put(0, "v")).await.unwrap());
        eventually(|| fake.calls("Multi") > 0).await;
        // More than one batch by their bytes.
        for row in 1..6 {
            drop(writes.mutate(put(row, "v")).await.unwrap());
        }
        assert!(writes.flush().await.is_empty());
        fake.calls("Multi")
    })
    .await;
}

#[tokio::test]
async fn a_full_buffer_and_a_flush_are_bounded_in_time() {
    with_longer_timeouts(Duration::from_secs(2), (true, Some(ErrorKind::Unavailable), true), async |timeout| {
        let fake = Fake::start(|_| Reply::Silence);
        let writes = fake.table().with_timeout(timeout).buffered_mutator(BufferOptions::new().flush_bytes(100));
        let began = Instant::now();
        let many = futures_util::future::join_all((0..200).map(|_| writes.mutate(put(1, "v")))).await;
        // Those that have room for one after the other would need sixty times the timeout.
        let is_in_time = began.elapsed() < 15 * timeout;
        let full = many.into_iter().find_map(Result::err).map(|error| error.kind());
        let flushed = Instant::now();
        assert!(!writes.flush().await.is_empty());
        (is_in_time, full, flushed.elapsed() < 12 * timeout)
    })
    .await;
}
