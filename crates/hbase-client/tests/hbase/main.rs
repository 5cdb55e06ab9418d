//! The client at a real HBase. `servers/hbase/test` of the repository starts one and runs these tests. A test fails
//! where its server is not there.

mod faults;
mod filters;
mod limits;
mod rows;
mod scans;
mod tables;
mod upkeep;

use std::path::PathBuf;
use std::time::Duration;

use hbase_client::{Address, Admin, Client, Error, ErrorKind, Options, TableSchema};
use rowkey_hbase_testkit::Cluster;

/// Counts what the tests allocate, so that those of `limits` can tell how much a client needs.
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// The folder of the server, which the script sets.
fn folder() -> PathBuf {
    std::env::var_os("HBASE_CLIENT_TEST").expect("HBASE_CLIENT_TEST is not set: run servers/hbase/test").into()
}

/// The server's processes.
fn cluster() -> Cluster {
    Cluster::new(folder())
}

fn options() -> Options {
    Options::from_site(folder().join("conf/hbase-site.xml")).expect("the server's hbase-site.xml")
}

/// A port of the first server of a kind.
fn port(name: &str) -> Address {
    let ports = std::fs::read_to_string(folder().join("ports")).expect("the server's ports");
    let port = ports.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    Address::new("127.0.0.1", port.expect("the port").parse().expect("a number"))
}

fn client() -> Client {
    Client::new(options().timeout(Duration::from_secs(60))).expect("a client")
}

/// Creates a table anew.
async fn create(admin: &Admin, schema: &TableSchema, splits: &[&str]) {
    remove(admin, schema).await;
    admin.create(schema, splits).await.expect("a table");
}

async fn remove(admin: &Admin, schema: &TableSchema) {
    let there = |result: Result<(), Error>| match result {
        Err(error) if error.kind() == ErrorKind::TableNotFound => false,
        Err(error) if error.kind() == ErrorKind::TableDisabled => true,
        result => result.map(|()| true).expect("disabled"),
    };
    if there(admin.disable(schema.name()).await) {
        admin.drop(schema.name()).await.expect("dropped");
    }
}
