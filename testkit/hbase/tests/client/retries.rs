//! Retries of operations on rows, and their errors.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use prost::Message;
use tokio::net::TcpListener;

use hbase_client::{
    Action, Address, Append, Client, Compare, Condition, Delete, ErrorKind, Get, Increment, Options, Put,
    protocol as pb,
};
use rowkey_hbase_testkit::{Call, Fake, Reply, with_longer_timeouts};

const BUSY: &str = "org.apache.hadoop.hbase.CallQueueTooBigException";
const MOVED: &str = "org.apache.hadoop.hbase.exceptions.RegionMovedException";

fn put() -> Put {
    Put::new("r").value("f", "q", "v")
}

fn done() -> Reply {
    Reply::message(&pb::MutateResponse { processed: Some(true), ..Default::default() })
}

#[tokio::test]
async fn an_increment_is_repeated_with_its_nonce_where_it_is() {
    let nonces = Arc::<Mutex<Vec<_>>>::default();
    let seen = nonces.clone();
    let fake = Fake::start(move |call| {
        let request: pb::MutateRequest = call.read();
        seen.lock().unwrap().push((request.nonce_group, request.mutation.nonce));
        if call.nth == 0 { Reply::Close } else { done() }
    });
    fake.table().increment(Increment::new("r").add("f", "n", 1)).await.unwrap();
    let nonces = nonces.lock().unwrap().clone();
    assert!(nonces.len() == 2 && nonces[0] == nonces[1] && nonces[0].1.is_some(), "{nonces:?}");
}

#[tokio::test]
async fn a_response_that_cannot_be_decoded_is_taken_for_lost_once() {
    let garbled = || {
        let result = pb::Result { associated_cell_count: Some(1), ..Default::default() };
        Reply::message(&pb::MutateResponse { result: Some(result), processed: Some(true) })
    };
    let increment = || Increment::new("r").add("f", "n", 1);
    let once = Fake::start(move |call| if call.nth == 0 { garbled() } else { done() });
    once.table().increment(increment()).await.unwrap();
    assert_eq!(once.calls("Mutate"), 2);

    let always = Fake::start(move |_| garbled());
    let error = always.table().increment(increment()).await.unwrap_err();
    assert_eq!((error.kind(), always.calls("Mutate")), (ErrorKind::OutcomeUnknown, 2), "{error}");
    let error = always.table().append(Append::new("r").value("f", "n", "x")).await.unwrap_err();
    assert_eq!((error.kind(), always.calls("Mutate")), (ErrorKind::OutcomeUnknown, 4), "{error}");
}

#[tokio::test]
async fn an_increment_is_not_repeated_where_its_nonce_is_not_known() {
    let fake = Fake::start(|_| Reply::Close);
    let table = fake.table();
    table.regions().await.unwrap();
    fake.reopen();
    let error = table.increment(Increment::new("r").add("f", "n", 1)).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 1), "{error}");
}

#[tokio::test]
async fn an_increment_is_not_repeated_before_meta_has_told_where_its_region_is() {
    for in_batch in [false, true] {
        let fake = Fake::start(|_| Reply::Close);
        let options = fake.options().timeout(Duration::from_secs(20));
        let table = Client::new(options.meta_timeout(Duration::from_millis(200))).unwrap().table("t");
        table.regions().await.unwrap();
        fake.reopen();
        fake.silence_meta(2);
        let increment = Increment::new("r").add("f", "n", 1);
        let error = match in_batch {
            false => table.increment(increment).await.unwrap_err(),
            true => table.batch(vec![increment.into()]).await.remove(0).unwrap_err(),
        };
        let calls = fake.calls("Mutate") + fake.calls("Multi");
        assert_eq!((error.kind(), calls), (ErrorKind::OutcomeUnknown, 1), "{error}");
        assert!(fake.lookups() >= 4, "{}", fake.lookups());
    }
}

#[tokio::test]
async fn what_is_not_safe_to_repeat_is_not() {
    let fake = Fake::start(|_| Reply::Close);
    let table = fake.table();
    let condition = Condition::value("f", "q", Compare::Equal, "v");
    let error = table.check_and_mutate(&condition, put()).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 1));
    let error = table.delete(Delete::new("r").newest("f", "q")).await.unwrap_err();
    assert_eq!((error.kind(), fake.calls("Mutate")), (ErrorKind::OutcomeUnknown, 2));
    let results = table.batch(vec![Delete::new("r").newest("f", "q").into()]).await;
    assert_eq!(results[0].as_ref().unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(fake.calls("Multi"), 1);
}

#[tokio::test]
async fn what_a_server_stamps_is_sent_at_most_once_if_that_is_asked_for() {
    let once = || Put::new("r").value("f", "q", "v").at_most_once();
    let delete = || Delete::new("r").family("g").at_most_once();
    let unknown = ErrorKind::OutcomeUnknown;
    with_longer_timeouts(Duration::from_millis(300), (vec![unknown; 5], true, true), async |timeout| {
        let fake = Fake::start(|_| Reply::Close);
        let table = fake.table().with_timeout(timeout);
        let mut kinds = vec![table.put(once()).await.unwrap_err().kind()];
        kinds.push(table.delete(delete()).await.unwrap_err().kind());
        assert!(fake.calls("Mutate") <= 2);
        let both: [hbase_client::Mutation; 2] = [once().into(), delete().into()];
        kinds.push(table.mutate_row(both).await.unwrap_err().kind());
        assert!(fake.calls("Multi") <= 1);
        // In a batch each by itself: the other one is retried.
        let results = table.batch(vec![once().into(), Put::new("s").value("f", "q", "v").into()]).await;
        kinds.extend(results.into_iter().map(|result| result.unwrap_err().kind()));
        let other_is_retried = fake.calls("Multi") > 2;
        // What a client stamps is retried, however often it is applied.
        let before = fake.calls("Mutate");
        let stamped = hbase_client::Mutation::from(once()).stamped_at(7);
        table.mutate_row([stamped]).await.unwrap_err();
        (kinds, other_is_retried, fake.calls("Mutate") > before + 1)
    })
    .await;
}

#[tokio::test]
async fn what_an_exception_of_any_class_left_undone_is_not_known() {
    let classes = ["java.io.IOException", "org.apache.hadoop.hbase.exceptions.TimeoutIOException"];
    for class in classes {
        let unknown = ErrorKind::OutcomeUnknown;
        let due = (vec![unknown, unknown, unknown, ErrorKind::Busy], Some(class.to_owned()), true);
        with_longer_timeouts(Duration::from_millis(300), due, async |timeout| {
            let fake = Fake::start(move |_| Reply::Exception(class, class.into()));
            let table = fake.table().with_timeout(timeout);
            let condition = Condition::value("f", "q", Compare::Equal, "v");
            let error = table.check_and_mutate(&condition, put()).await.unwrap_err();
            assert!(fake.calls("Mutate") <= 1, "{error}");
            let mut kinds = vec![error.kind()];
            let told = error.exception().map(|exception| exception.class().to_owned());
            let results = table.batch(vec![Delete::new("r").newest("f", "q").into()]).await;
            kinds.push(results[0].as_ref().unwrap_err().kind());
            assert!(fake.calls("Multi") <= 1);
            // It is repeated where twice is as good as once.
            kinds.push(table.put(put()).await.unwrap_err().kind());
            let is_repeated = fake.calls("Mutate") > 2;
            kinds.push(table.get("r").await.unwrap_err().kind());
            (kinds, told, is_repeated)
        })
        .await;
    }
}

#[tokio::test]
async fn an_overloaded_server_is_waited_for_and_meta_is_left_alone() {
    let busy = |nth| nth < 4;
    let fake = Fake::start(move |call| if busy(call.nth) { Reply::Exception(BUSY, BUSY.into()) } else { done() });
    let began = Instant::now();
    fake.table().put(put()).await.unwrap();
    assert_eq!((fake.calls("Mutate"), fake.lookups()), (5, 1));
    assert!(began.elapsed() > Duration::from_millis(200), "{:?}", began.elapsed());
}

/// Puts a row into a table whose regions meta shows only at the second look-up, and whose state is this one.
async fn put_into(state: Option<pb::table_state::State>) -> hbase_client::Result<()> {
    let fake = Fake::start(move |call| match &*call.method {
        "Get" => {
            let value = state.map(|state| pb::TableState { state: state.into() }.encode_to_vec().into());
            let [row, family, qualifier] = ["t", "table", "state"].map(|text| Some(text.into()));
            let cell = value.map(|value| pb::Cell { row, family, qualifier, value: Some(value), ..Default::default() });
            let result = pb::Result { cell: cell.into_iter().collect(), ..Default::default() };
            Reply::message(&pb::GetResponse { result: Some(result) })
        }
        _ => done(),
    });
    fake.empty_meta(1);
    fake.table().put(put()).await
}

#[tokio::test]
async fn a_table_without_regions_is_what_its_state_says() {
    use pb::table_state::State;
    put_into(Some(State::Enabled)).await.unwrap();
    assert_eq!(put_into(Some(State::Disabled)).await.unwrap_err().kind(), ErrorKind::TableDisabled);
    assert_eq!(put_into(None).await.unwrap_err().kind(), ErrorKind::TableNotFound);
}

#[tokio::test]
async fn a_region_is_followed_to_where_it_moved() {
    let other = Fake::start(|_| done());
    let port = other.address().port();
    let text = format!("{MOVED}: Region moved to: hostname=127.0.0.1 port={port} startCode=1. As of locationSeqNum=9.");
    let fake = Fake::start(move |_| Reply::Exception(MOVED, text.clone()));
    let table = fake.table();
    table.put(put()).await.unwrap();
    table.put(put()).await.unwrap();
    assert_eq!((fake.calls("Mutate"), fake.lookups(), other.calls("Mutate")), (1, 1, 2));
}

#[tokio::test]
async fn an_operation_ends_at_its_deadline() {
    with_longer_timeouts(Duration::from_millis(300), (ErrorKind::OutcomeUnknown, true), async |timeout| {
        let fake = Fake::start(|_| Reply::Silence);
        let table = fake.table().with_timeout(timeout);
        let began = Instant::now();
        assert_eq!(table.get("r").await.unwrap_err().kind(), ErrorKind::Unavailable);
        let put = table.put(put()).await.unwrap_err().kind();
        let results = table.get_many(["a", "b"]).await;
        assert!(results.iter().all(|result| result.is_err()));
        let took = began.elapsed();
        assert!(took >= 3 * timeout, "{took:?}");
        (put, took < 10 * timeout)
    })
    .await;
}

const NO_FAMILY: &str = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException";

/// Puts of one row, of which the last one has no family.
fn puts_and_a_wrong_one(count: usize) -> Vec<Action> {
    let family = |n: usize| if n + 1 == count { "none" } else { "f" };
    (0..count).map(|n| Put::new("r").value(family(n), n.to_string(), "v").into()).collect()
}

#[tokio::test]
async fn a_wrong_put_among_many_of_a_row_costs_few_calls() {
    let fake = Fake::start(|call| {
        let wrong = call.cells.windows(4).any(|bytes| bytes == b"none");
        Reply::batch(call, |_| wrong.then_some(NO_FAMILY))
    });
    let results = fake.table().batch(puts_and_a_wrong_one(3000)).await;
    assert!(results[..2999].iter().all(Result::is_ok));
    assert_eq!(results[2999].as_ref().unwrap_err().kind(), ErrorKind::FamilyNotFound);
    assert!(fake.calls("Multi") <= 50, "{}", fake.calls("Multi"));
}

#[tokio::test]
async fn what_happened_to_a_group_without_an_answer_is_not_known_of_any() {
    let fake = Fake::start(|call| if call.nth == 0 { Reply::Close } else { Reply::batch(call, |_| Some(NO_FAMILY)) });
    let results = fake.table().batch(puts_and_a_wrong_one(40)).await;
    let unknown = |result: &Result<_, hbase_client::Error>| {
        result.as_ref().is_err_and(|error| error.kind() == ErrorKind::OutcomeUnknown)
    };
    assert!(results.iter().all(unknown), "{results:?}");
}

#[tokio::test]
async fn a_batch_that_goes_on_does_not_wait_longer_and_longer() {
    let fake = Fake::start(|call| {
        let request: pb::MultiRequest = call.read();
        let first = request.region_action[0].action[0].get.as_ref().unwrap().row.clone();
        let row = |action: &pb::Action| action.get.as_ref().unwrap().row.clone();
        let more = "org.apache.hadoop.hbase.MultiActionResultTooLarge";
        Reply::batch(call, |action| (row(action) != first).then_some(more))
    });
    let began = Instant::now();
    let results = fake.table().batch((0..30).map(|n| Get::new(format!("{n:02}")).into()).collect::<Vec<_>>()).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(fake.calls("Multi"), 30);
    // Pauses that grow would be of a minute and more.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[tokio::test]
async fn many_actions_of_a_row_end_soon_after_the_deadline() {
    let fake = Fake::start(|_| Reply::Silence);
    let action = |n: usize| match n % 2 {
        0 => Action::from(Increment::new("r").add("f", "n", 1)),
        _ => Put::new("r").value("f", "q", "v").into(),
    };
    let began = Instant::now();
    let table = fake.table().with_timeout(Duration::from_millis(300));
    let results = table.batch((0..50_000).map(action).collect::<Vec<_>>()).await;
    assert!(results.iter().all(Result::is_err));
    assert!(began.elapsed() < Duration::from_secs(300), "{:?}", began.elapsed());
}

#[tokio::test]
async fn of_a_batch_only_what_may_succeed_is_sent_again() {
    let sent = Arc::<Mutex<Vec<Vec<u8>>>>::default();
    let seen = sent.clone();
    let fake = Fake::start(move |call| {
        let request: pb::MultiRequest = call.read();
        let actions = &request.region_action[0].action;
        let rows = |action: &pb::Action| action.mutation.as_ref().unwrap().row.clone().unwrap()[0];
        seen.lock().unwrap().push(actions.iter().map(rows).collect());
        Reply::batch(call, |action| match (rows(action), call.nth) {
            (b'b', _) => Some("org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException"),
            (b'c', 0) | (b'd', 0 | 1) => Some("org.apache.hadoop.hbase.RegionTooBusyException"),
            _ => None,
        })
    });
    let put = |row: &'static str| Action::from(Put::new(row).value("f", "q", "v"));
    let results = fake.table().batch(["a", "b", "c", "d"].map(put).into()).await;
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(*sent.lock().unwrap(), [&b"abcd"[..], b"cd", b"d"]);
    assert_eq!(fake.lookups(), 1);
}

#[tokio::test]
async fn puts_of_a_row_that_follow_each_other_are_one() {
    let counts = Arc::<Mutex<Vec<Vec<i32>>>>::default();
    let seen = counts.clone();
    let fake = Fake::start(move |call| {
        let request: pb::MultiRequest = call.read();
        let count = |action: &pb::Action| action.mutation.as_ref().unwrap().associated_cell_count();
        seen.lock().unwrap().push(request.region_action[0].action.iter().map(count).collect());
        Reply::batch(call, |_| None)
    });
    let put = |row: &'static str, cells: usize| {
        Action::from((0..cells).fold(Put::new(row), |put, at| put.value("f", at.to_string(), "v")))
    };
    let wrong = || Action::from(Put::new("a"));
    let delete = Action::from(Delete::new("a").column("f", "q"));
    let lasting = Action::from(Put::new("a").value("f", "q", "v").durability(hbase_client::Durability::FsyncWal));
    let actions =
        vec![put("a", 1), put("b", 1), wrong(), put("a", 2), put("a", 3), delete, put("a", 1), lasting, put("b", 5)];
    let results = fake.table().batch(actions).await;
    let failed: Vec<_> = results.iter().enumerate().filter(|(_, result)| result.is_err()).map(|(at, _)| at).collect();
    assert_eq!(failed, [2]);
    assert_eq!(*counts.lock().unwrap(), [vec![6, 6], vec![1], vec![1], vec![1]]);

    // If they are refused, each is sent alone, in their order: only the one that is wrong fails.
    let class = "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException";
    let counts = Arc::<Mutex<Vec<i32>>>::default();
    let seen = counts.clone();
    let fake = Fake::start(move |call| {
        let request: pb::MultiRequest = call.read();
        let count = request.region_action[0].action[0].mutation.as_ref().unwrap().associated_cell_count();
        seen.lock().unwrap().push(count);
        if count >= 5 { Reply::Exception(class, class.into()) } else { Reply::batch(call, |_| None) }
    });
    let delete = Action::from(Delete::new("a").newest("f", "q").newest("f", "p").newest("f", "o").newest("f", "n"));
    let results = fake.table().batch(vec![put("a", 1), put("a", 5), put("a", 3), delete]).await;
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(*counts.lock().unwrap(), [9, 1, 5, 3, 4]);

    // Many are several, by their bytes.
    let fake = Fake::start(|call| Reply::batch(call, |_| None));
    let large = "v".repeat(10_000);
    let many = (0..100).map(|at| Action::from(Put::new("a").value("f", at.to_string(), &large)));
    fake.table().batch(many.collect()).await.into_iter().for_each(|result| drop(result.unwrap()));
    assert_eq!(fake.calls("Multi"), 4);
}

#[tokio::test]
async fn an_answer_without_what_was_asked_for_is_none() {
    let other = |call: &Call| {
        let cell = pb::Cell { row: Some("other".into()), family: Some("f".into()), ..Default::default() };
        let result = Some(pb::Result { cell: vec![cell], ..Default::default() });
        match call.method.as_str() {
            "Get" => Reply::message(&pb::GetResponse { result }),
            _ => Reply::message(&pb::MutateResponse { result, processed: Some(false) }),
        }
    };
    let table = Fake::start(other).table();
    assert_eq!(table.get("r").await.unwrap_err().kind(), ErrorKind::Malformed);
    assert_eq!(table.put(put()).await.unwrap_err().kind(), ErrorKind::OutcomeUnknown);
    assert_eq!(
        table.increment(Increment::new("r").add("f", "n", 1)).await.unwrap_err().kind(),
        ErrorKind::OutcomeUnknown
    );
}

#[tokio::test]
async fn a_silent_server_is_looked_up_again_once_a_second() {
    let fake = Fake::start(|_| Reply::Silence);
    let table = fake.table();
    let hasty = table.with_timeout(Duration::from_millis(30));
    let began = Instant::now();
    for _ in 0..20 {
        hasty.get("r").await.unwrap_err();
    }
    let seconds = began.elapsed().as_secs() as usize;
    assert!(fake.lookups() <= 2 + seconds, "{} in {seconds} s", fake.lookups());
}

#[tokio::test]
async fn a_server_that_answers_others_is_not_looked_up_again() {
    with_longer_timeouts(Duration::from_millis(500), 1, async |timeout| {
        let fake = Fake::start(|call| if call.method == "Get" { Reply::Silence } else { done() });
        let table = fake.table();
        let slow = async {
            for _ in 0..3 {
                table.with_timeout(timeout).get("r").await.unwrap_err();
            }
        };
        let others = async {
            for _ in 0..150 {
                table.put(put()).await.unwrap();
                tokio::time::sleep(timeout / 50).await;
            }
        };
        tokio::join!(slow, others);
        fake.lookups()
    })
    .await;
}

/// One that takes connections, and says nothing.
async fn silent() -> (TcpListener, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
    (listener, address)
}

#[tokio::test]
async fn silent_masters_and_a_silent_quorum_hold_nobody_up() {
    let fake = Fake::start(|_| done());
    let (_listeners, silent): (Vec<_>, Vec<_>) = [silent().await, silent().await, silent().await].into_iter().unzip();
    let [master, first, second] = &silent[..] else { unreachable!() };
    // The order is by chance.
    for _ in 0..4 {
        let options = Options::new().masters([master.clone(), fake.address().clone()]);
        let options = options.zookeeper([first.clone(), second.clone()]).meta_timeout(Duration::from_secs(180));
        let table = Client::new(options.timeout(Duration::from_secs(120))).unwrap().table("t");
        table.put(put()).await.unwrap();
    }
    let options = Options::new().masters([master.clone()]).zookeeper([first.clone()]);
    let table = Client::new(options.timeout(Duration::from_millis(700))).unwrap().table("t");
    let began = Instant::now();
    assert_eq!(table.put(put()).await.unwrap_err().kind(), ErrorKind::Unavailable);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}
