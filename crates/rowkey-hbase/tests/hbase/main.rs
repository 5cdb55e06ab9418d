//! `rowkey` on a real HBase. `servers/hbase/test-tables` of the repository starts one and runs these tests. A test
//! fails where its server is not there.

#[path = "../../../../tests/wide/cases/mod.rs"]
mod cases;
mod conformance;
mod external;
mod faults;
mod others;
mod peer;
mod recorded;
mod refusals;
#[path = "../../../../tests/wide/replay.rs"]
mod replay;
mod rights;
mod schemas;
mod split;
mod times;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use hbase_client::{Client, Options};
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey_hbase::HBase;
use tokio::runtime::{Handle, Runtime};
use tokio::task::JoinSet;

/// The server's hbase-site.xml.
fn site() -> PathBuf {
    std::env::var_os("ROWKEY_HBASE").expect("ROWKEY_HBASE is the path of an hbase-site.xml").into()
}

fn client() -> Client {
    Client::new(Options::from_site(site()).expect("the server's hbase-site.xml")).expect("a client")
}

fn runtime() -> Runtime {
    Runtime::new().expect("a runtime")
}

/// The databases of one test.
struct Databases {
    client: Client,
    made: Mutex<VecDeque<HBase>>,
    drops: Mutex<JoinSet<()>>,
}

/// A test uses no more of them at a time.
const IN_USE: usize = 3;

impl Databases {
    fn new() -> Self {
        Self { client: client(), made: Mutex::default(), drops: Mutex::default() }
    }

    /// A database without tables. Those of the ones before are dropped, meanwhile, when they are out of use: a server
    /// has memory for some hundred tables alone.
    async fn empty(&self) -> HBase {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let namespace = format!("n{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        self.client.admin().create_namespace(namespace.as_str()).await.expect("a namespace");
        let database = HBase::connect(self.client.clone()).await.expect("the cluster").in_namespace(&namespace);
        let over = {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            made.push_back(database.clone());
            if made.len() > IN_USE { made.pop_front() } else { None }
        };
        if let Some(over) = over {
            self.drops.lock().unwrap_or_else(PoisonError::into_inner).spawn(drop_all(over));
        }
        database
    }

    fn connect(&self, handle: &Handle) -> HBase {
        handle.block_on(self.empty())
    }

    /// Drops all that is left.
    fn end(&self, handle: &Handle) {
        let made = std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner));
        let drops = std::mem::take(&mut *self.drops.lock().unwrap_or_else(PoisonError::into_inner));
        handle.block_on(async {
            drops.join_all().await;
            for database in made {
                drop_all(database).await;
            }
        });
    }
}

async fn drop_all(database: HBase) {
    for table in database.tables().await.expect("the tables") {
        database.drop_table(&table).await.expect("a table is dropped");
    }
}
