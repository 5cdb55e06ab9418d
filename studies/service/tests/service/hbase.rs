//! The service on HBase: `servers/hbase/test-tables` starts one and runs these.

use std::sync::atomic::{AtomicU32, Ordering};

use hbase_client::{Client, Options};
use tokio::runtime::Runtime;

use super::Place;
use super::bounds::refused_with_its_reason;
use super::stops::{ends_before_its_client, is_there_after_sigterm};
use super::writes::{agree_after_a_kill, counters_are_exact, pages_equal_a_model};

/// Tables that nobody else has, in a namespace of their own. They are dropped when this is.
struct Namespace {
    runtime: Runtime,
    client: Client,
    place: Place,
}

impl Namespace {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let site = std::env::var_os("ROWKEY_HBASE").expect("ROWKEY_HBASE is the path of an hbase-site.xml");
        let name = format!("service{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let runtime = Runtime::new().unwrap();
        let client = runtime.block_on(async {
            let client = Client::new(Options::from_site(&site).unwrap()).unwrap();
            client.admin().create_namespace(name.as_str()).await.unwrap();
            client
        });
        Self { runtime, client, place: Place::HBase(site.into(), name) }
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let Place::HBase(_, name) = &self.place else { return };
        // A test that has failed says why itself.
        let _ = self.runtime.block_on(async {
            let admin = self.client.admin();
            for table in admin.tables_of(name).await? {
                admin.disable(table.clone()).await?;
                admin.drop(table).await?;
            }
            admin.drop_namespace(name).await
        });
    }
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn pages_equal_a_model_while_others_write() {
    pages_equal_a_model(&Namespace::new().place.start(&[]).address);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn counters_are_exact_under_8_clients_that_send_every_visit_twice() {
    counters_are_exact(&Namespace::new().place);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn the_index_and_the_counters_agree_with_the_visits_after_a_kill_under_load() {
    agree_after_a_kill(&Namespace::new().place);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn what_is_not_valid_is_refused_with_its_reason() {
    refused_with_its_reason(&Namespace::new().place);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn after_sigterm_under_load_every_acknowledged_visit_is_there() {
    is_there_after_sigterm(&Namespace::new().place);
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn a_client_that_reads_nothing_does_not_keep_the_program_from_its_end() {
    ends_before_its_client(&Namespace::new().place);
}
