//! The client at a real HBase with TLS, Kerberos, or both. `servers/hbase/test-secure` of the repository starts them
//! and runs these tests, one by one: they change the tickets. A test fails where its server is not there.

mod both;
mod kerberos;
mod keytab;
mod simple;
mod tls;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use hbase_client::{Action, Address, Client, Error, ErrorKind, Increment, Options, Put, Scan, TableSchema};

/// The folder of the server, which the script sets.
fn folder() -> PathBuf {
    std::env::var_os("HBASE_CLIENT_TEST").expect("HBASE_CLIENT_TEST is not set: run servers/hbase/test-secure").into()
}

/// The server's own options.
fn site() -> Options {
    Options::from_site(folder().join("conf/hbase-site.xml")).expect("the server's hbase-site.xml").timeout(TIMEOUT)
}

/// The master at this name of the machine, with nothing else said.
fn master(host: &str) -> Options {
    Options::new().masters([Address::new(host, master_port())]).timeout(TIMEOUT)
}

fn master_port() -> u16 {
    let ports = std::fs::read_to_string(folder().join("ports")).expect("the server's ports");
    let port = ports.lines().find_map(|line| line.strip_prefix("master=")).expect("the port");
    port.parse().expect("a number")
}

const TIMEOUT: Duration = Duration::from_secs(60);

/// Uses the cluster's master and its region server, with short and long requests and answers.
async fn works(options: Options) {
    let client = Client::new(options).expect("a client");
    let (admin, schema) = (client.admin(), TableSchema::new("secure").family("f"));
    if admin.tables().await.expect("tables").contains(schema.name()) {
        admin.disable(schema.name()).await.expect("disabled");
        admin.drop(schema.name()).await.expect("dropped");
    }
    admin.create(&schema, &["0500"]).await.expect("a table");
    let table = client.table("secure");
    let long = vec![7; 3 << 20];
    let row = |n: usize| format!("{n:04}");
    let puts = (0..1000).map(|n| Action::from(Put::new(row(n)).value("f", "n", n.to_string())));
    for outcome in table.batch(puts.collect()).await {
        outcome.expect("a put");
    }
    table.put(Put::new(row(7)).value("f", "long", long.clone())).await.expect("a long put");
    table.increment(Increment::new("counter").add("f", "n", 1)).await.expect("an increment");
    let rows: Vec<_> = table.scan(Scan::new()).try_collect().await.expect("a scan");
    assert_eq!(rows.len(), 1001);
    assert_eq!(rows[7].value("f", "long"), Some(&long[..]));
    assert_eq!(rows[999].value("f", "n"), Some(&b"999"[..]));
}

/// The error of a read that must fail before its deadline.
async fn refused(options: Options) -> Error {
    let started = Instant::now();
    let client = Client::new(options).expect("a client");
    let error = client.table("secure").get("0001").await.expect_err("this client is not to be let in");
    assert_eq!(error.kind(), ErrorKind::Security, "{error:?}");
    // A client that tries until the time is over takes nearly all of it.
    assert!(started.elapsed() < TIMEOUT / 2, "{error:?}");
    error
}

/// Runs a program of Kerberos to its end.
fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).output().expect(program);
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Gets tickets for a user.
fn kinit(user: &str, more: &[&str]) {
    let keytab = folder().join(format!("{user}.keytab"));
    run("kinit", &[more, &["-k", "-t", keytab.to_str().expect("a path"), user]].concat());
}
