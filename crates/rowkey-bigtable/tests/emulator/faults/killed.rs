//! The emulator is killed and started anew, or stands still. The client is the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideStore};
use rowkey::store::{CallOptions, Scan};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use rowkey_testkit::cases;
use tokio::time::sleep;

use super::load::{TIMEOUT, assert_typed, until, within};
use super::process::Emulator;
use super::proxy::free_port;
use crate::runtime;

fn schema() -> TableSchema {
    TableSchema::new().family("a", FamilySchema::new())
}

const ROWS: u32 = 300;

async fn fill(store: &dyn AsyncWideStore) {
    let rows: Vec<_> = (0..ROWS).map(|n| (n.to_be_bytes().to_vec(), Mutation::new().put_at("a:v", 1, "v"))).collect();
    store.mutate_many(&rows).await.unwrap();
}

/// A kill loses the tables: then a call may find none.
fn assert_lost(error: &Error) {
    match error {
        Error::Rows(rows) => rows.iter().for_each(|row| assert_lost(row.error())),
        Error::OutcomeUnknown { source, .. } => assert_lost(source),
        error if error.kind() == ErrorKind::NotFound => {}
        error => assert_typed(error),
    }
}

/// One call of each kind. Returns whether all of them succeeded.
async fn calls(store: &dyn AsyncWideStore, most: Option<Duration>, check: impl Fn(&Error)) -> bool {
    let put = Mutation::new().put_at("a:w", 1, "w");
    let rows: Vec<_> = (0..20_u8).map(|n| (vec![b'w', n], put.clone())).collect();
    let scan = async {
        let batches: Vec<_> = store.scan(&Scan::all().limit(u64::from(ROWS)), &Columns::all()).try_collect().await?;
        let keys: Vec<Vec<u8>> = batches.iter().flat_map(|batch| batch.iter().map(|(key, _)| key.to_vec())).collect();
        Ok(keys.is_sorted_by(|one, next| one < next))
    };
    let condition = rowkey::wide::Condition::absent("a:none");
    let results = [
        within(most, "a get", store.get(b"w", &Columns::all())).await.map(drop),
        // Of a scan each batch has the timeout.
        within(None, "a scan", scan).await.map(|sorted| assert!(sorted)),
        within(most, "a write", store.mutate(b"w", &put)).await,
        within(most, "writes", store.mutate_many(&rows)).await,
        within(most, "an increment", store.increment(b"c", &[("a:n".into(), 1)])).await.map(drop),
        within(most, "a conditional write", store.check_and_mutate(b"w", &condition, &put)).await.map(drop),
        within(most, "split points", store.split_points()).await.map(drop),
    ];
    results.iter().filter_map(|result| result.as_ref().err()).for_each(&check);
    results.iter().all(Result::is_ok)
}

#[test]
#[ignore = "needs ROWKEY_BIGTABLE_EMULATOR"]
fn a_client_outlives_the_server() {
    runtime().block_on(async {
        let mut emulator = Emulator::start(free_port());
        let options = BigtableOptions::new("p", "i").emulator(emulator.host());
        let options = options.attempt_timeout(Duration::from_secs(5)).retry_for(Duration::from_secs(2));
        let db = Bigtable::connect(options).await.unwrap();
        // A handle of before the first kill: it is good as long as there is a table of its name.
        let old = db.table("t", &schema()).await.unwrap();
        for round in 0..cases(3, 15) {
            let store = db.table("t", &schema()).await.unwrap();
            fill(&*store).await;
            let timed = store.with_options(&CallOptions::new().timeout(TIMEOUT));
            let (stop, failed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
            let workers: Vec<_> = [(Arc::clone(&store), None), (timed, Some(TIMEOUT)), (Arc::clone(&old), None)]
                .into_iter()
                .cycle()
                .take(9)
                .map(|(store, most)| {
                    let (stop, failed) = (Arc::clone(&stop), Arc::clone(&failed));
                    tokio::spawn(async move {
                        while !stop.load(Ordering::Relaxed) {
                            if !calls(&*store, most, assert_lost).await {
                                failed.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                    })
                })
                .collect();
            sleep(Duration::from_millis(100 + 37 * u64::from(round))).await;
            emulator.kill();
            sleep(Duration::from_millis(if round % 2 == 0 { 50 } else { 1500 })).await;
            // Nothing serves: an opening ends by its deadline.
            let late = CallOptions::new().timeout(TIMEOUT);
            let opening = AsyncWideDatabase::with_options(&db, &late);
            let error = within(Some(TIMEOUT), "an opening", opening.table("u", &schema())).await.err().unwrap();
            assert_typed(&error);
            let port = emulator.port();
            emulator = Emulator::start(port);
            // There is no table.
            until("nothing noticed the kill", || failed.load(Ordering::Relaxed) > 0).await;
            // The same client creates the tables anew, while the load goes on.
            let began = Instant::now();
            let store = db.table("t", &schema()).await.unwrap();
            fill(&*store).await;
            println!("round {round}: created anew {:?} after the start", began.elapsed());
            stop.store(true, Ordering::Relaxed);
            for worker in workers {
                worker.await.unwrap();
            }
            for store in [&store, &old] {
                let right = calls(&**store, None, |error| panic!("after the start: {error:?}")).await;
                assert!(right);
                let rows: Vec<_> = store.scan(&Scan::all(), &Columns::of("a:v")).try_collect().await.unwrap();
                assert_eq!(rows.iter().map(rowkey::store::RowBatch::len).sum::<usize>(), ROWS as usize);
            }
        }
    });
}

#[test]
#[ignore = "needs ROWKEY_BIGTABLE_EMULATOR"]
fn a_server_that_stands_still() {
    runtime().block_on(async {
        let emulator = Emulator::start(free_port());
        let options = BigtableOptions::new("p", "i").emulator(emulator.host());
        let db = Bigtable::connect(options).await.unwrap();
        let store = db.table("t", &schema()).await.unwrap();
        fill(&*store).await;
        let timed = store.with_options(&CallOptions::new().timeout(TIMEOUT));
        for _ in 0..cases(1, 5) {
            emulator.signal("STOP");
            let began = Instant::now();
            let (all_right, ()) =
                tokio::join!(calls(&*store, None, |error| panic!("without a deadline: {error:?}")), async {
                    // Each of the calls ends by its deadline.
                    assert!(!calls(&*timed, Some(TIMEOUT), assert_typed).await);
                    assert!(began.elapsed() >= TIMEOUT * 5, "most calls wait for an answer: {:?}", began.elapsed());
                    emulator.signal("CONT");
                },);
            assert!(all_right);
            while !calls(&*timed, Some(TIMEOUT), assert_typed).await {}
        }
    });
}
