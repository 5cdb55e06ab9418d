//! `rowkey watch` at a real HBase, against the counts of the program that writes; `rowkey import` of its tables.
//! `servers/hbase/test-tables` of the repository starts one and runs this; `servers/hbase/test-watch` runs the four
//! designs.

mod four_designs;
mod page;
mod phoenix;
mod rights;
mod shares;
mod together;
mod unknown;
mod vanishes;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use hbase_client::{Admin, Client, ErrorKind, Options};

fn site() -> PathBuf {
    std::env::var_os("ROWKEY_HBASE").expect("ROWKEY_HBASE is not set: run servers/hbase/test-tables").into()
}

/// The folder of the cluster.
fn folder() -> PathBuf {
    site().ancestors().nth(2).expect("the site is in a folder of the cluster's").into()
}

fn client() -> Client {
    Client::new(Options::from_site(site()).unwrap().timeout(Duration::from_secs(60))).unwrap()
}

/// Drops a table, if it is there.
async fn drop_table(admin: &Admin, name: &str) {
    match admin.disable(name).await {
        Err(error) if error.kind() == ErrorKind::TableNotFound => {}
        disabled => {
            disabled.unwrap();
            admin.drop(name).await.unwrap();
        }
    }
}

fn watch(folder: &Path, args: &[&str]) -> Child {
    watch_as("owner", &site(), folder, args)
}

/// Watches as a user, whose name servers believe.
fn watch_as(user: &str, site: &Path, folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rowkey"));
    command.args(["watch", "--hbase"]).arg(site).args(args).current_dir(folder).env("HADOOP_USER_NAME", user);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the line that says what a reading costs: the first has been made.
fn first_reading(child: &mut Child) -> BufReader<ChildStderr> {
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.starts_with("watching: ") && line.contains(" requests a minute"), "{line}");
    lines
}

/// Ends it as Ctrl-C does, which reads once more.
fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}
