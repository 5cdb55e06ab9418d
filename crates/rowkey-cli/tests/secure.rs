//! `rowkey watch` at a real HBase with TLS, with Kerberos, with both and with neither: by the properties of
//! hbase-site.xml alone, as `hbase-client`. `servers/hbase/test-secure` of the repository starts them, one after the
//! other, with a table `secure`, and runs the test of each.

mod program;

use std::path::PathBuf;
use std::process::Command;

use self::program::{Run, rowkey};

const DESIGN: &str =
    "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 1\n[table.secure]\nkey = [\"row: text raw\"]\n";

fn folder() -> PathBuf {
    std::env::var_os("HBASE_CLIENT_TEST").expect("HBASE_CLIENT_TEST is not set: run servers/hbase/test-secure").into()
}

/// A run at the site of the servers, with this in place of that.
fn watched(of: &str, instead: &str) -> Run {
    let (site, folder) = (folder().join("conf/hbase-site.xml"), tempfile::tempdir().unwrap());
    let text = std::fs::read_to_string(site).unwrap();
    assert!(text.contains(of), "{of} is no part of {text}");
    std::fs::write(folder.path().join("hbase-site.xml"), text.replace(of, instead)).unwrap();
    std::fs::write(folder.path().join("secure.rowkey.toml"), DESIGN).unwrap();
    let args = ["watch", "--hbase", "hbase-site.xml", "--for", "2s", "--every", "1s", "--sample", "7"];
    rowkey(folder.path(), &[&args[..], &["secure.rowkey.toml"]].concat(), b"")
}

fn is_let_in() {
    let Run { status, out, err } = watched("", "");
    assert!(status == Some(0) && out.contains(" sampled keys are of the design"), "{out} {err}");
    assert!(out.contains("assumed: all of "), "{out} {err}");
}

fn is_refused(of: &str, instead: &str, said: &str) {
    let Run { status, out, err } = watched(of, instead);
    assert_eq!((status, &*out, err.lines().count()), (Some(2), "", 1), "{out} {err}");
    assert!(err.contains(said) && err.contains("is it the user, the ticket or the certificate?"), "{err}");
}

/// Runs a program of Kerberos to its end.
fn run(program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).output().expect(program);
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
}

fn kinit() {
    run("kinit", &["-k", "-t", folder().join("ada.keytab").to_str().expect("a path"), "ada"]);
}

#[test]
#[ignore = "needs a server"]
fn tls() {
    is_let_in();
    is_refused("server.pem", "stranger.pem", "refuses");
    is_refused("trusted.pem", "other.pem", "UnknownIssuer");
}

#[test]
#[ignore = "needs a server"]
fn kerberos() {
    kinit();
    is_let_in();
    run("kdestroy", &["-q"]);
    is_refused("", "", "no Kerberos tickets");
}

#[test]
#[ignore = "needs a server"]
fn both() {
    kinit();
    is_let_in();
    is_refused("trusted.pem", "other.pem", "UnknownIssuer");
    run("kdestroy", &["-q"]);
    is_refused("", "", "no Kerberos tickets");
}

#[test]
#[ignore = "needs a server"]
fn simple() {
    is_let_in();
}
