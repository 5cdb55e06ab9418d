//! `rowkey watch` without a cluster: what is wrong is said in a line, and at once.

mod program;

use std::fs;
use std::path::Path;

use self::program::rowkey;

fn design(engine: &str) -> String {
    format!("format = 1\n[cluster.c]\nengine = \"{engine}\"\nservers = 3\n[table.visits]\nkey = [\"at: instant\"]\n")
}

fn site(folder: &Path, name: &str, property: &str, value: &str) {
    let text =
        format!("<configuration><property><name>{property}</name><value>{value}</value></property></configuration>");
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), design("hbase")).unwrap();
    fs::write(folder.join("wide.rowkey.toml"), design("bigtable")).unwrap();
    fs::write(folder.join("broken.xml"), "<configuration>").unwrap();
    site(folder, "empty.xml", "hbase.rootdir", "/hbase");
    // A port at which nobody listens.
    site(folder, "nobody.xml", "hbase.zookeeper.quorum", "127.0.0.1:1");
    for (args, said) in [
        (&["--hbase", "none.xml", "visits.rowkey.toml"][..], "none.xml: No such file"),
        (&["--hbase", "broken.xml", "visits.rowkey.toml"], "broken.xml: "),
        (&["--hbase", "empty.xml", "visits.rowkey.toml"], "neither hbase.masters nor hbase.zookeeper.quorum is set"),
        (&["--hbase", "nobody.xml", "visits.rowkey.toml"], "are these the quorum or the masters"),
        (&["--hbase", "nobody.xml", "visits.rowkey.toml", "visitors"], "there is no table \"visitors\""),
        (&["--hbase", "nobody.xml", "wide.rowkey.toml"], "watched is HBase, and the design is for bigtable"),
        (&["--hbase", "nobody.xml", "--html", "visits.rowkey.toml", "visits.rowkey.toml"], "is a file of the design"),
    ] {
        let run = rowkey(folder, &[&["watch", "--for", "2s"], args].concat(), b"");
        assert!(run.status == Some(2) && run.err.contains(said), "{args:?}: {}", run.err);
        assert_eq!((run.err.lines().count(), &*run.out), (1, ""), "{args:?}: {}", run.err);
    }
}

#[test]
fn times_have_units() {
    let folder = tempfile::tempdir().unwrap();
    for wrong in ["5", "0s", "m", "5 parsecs", "99999 years"] {
        let run = rowkey(folder.path(), &["watch", "--hbase", "a.xml", "--for", wrong, "d.toml"], b"");
        assert!(run.status == Some(2) && run.err.contains("write a time from 1 s to 10 years"), "{wrong}: {}", run.err);
    }
    for right in ["5s", "10m", "12 h", "1 day"] {
        let run = rowkey(folder.path(), &["watch", "--hbase", "a.xml", "--for", right, "d.toml"], b"");
        assert!(run.err.contains("d.toml"), "{right}: {}", run.err);
    }
    let help = rowkey(folder.path(), &["watch", "--help"], b"").out;
    assert!(help.contains("Example") && help.contains("No row of a table is read"), "{help}");
}
