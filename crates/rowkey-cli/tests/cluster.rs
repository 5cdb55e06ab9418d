//! Tables of a running HBase without a design, where there is no cluster: what is wrong is said in a line, and at once.

mod program;

use std::fs;
use std::path::Path;

use self::program::rowkey;

/// An hbase-site.xml of a port at which nobody listens.
const NOBODY: &str = "<configuration><property><name>hbase.zookeeper.quorum</name><value>127.0.0.1:1</value></property>\
                      </configuration>";

/// Runs it: it is refused, in a line.
fn refused(folder: &Path, args: &[&str], said: &str) {
    let run = rowkey(folder, args, b"");
    assert!(run.status == Some(2) && run.err.contains(said), "{args:?}: {}", run.err);
    assert_eq!((run.err.lines().count(), &*run.out), (1, ""), "{args:?}: {}", run.err);
    assert!(!run.err.contains('\x1b'), "{args:?}: {}", run.err);
}

#[test]
fn a_cluster_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("nobody.xml"), NOBODY).unwrap();
    std::thread::scope(|threads| {
        for args in
            [&["import", "--from", "hbase", "nobody.xml", "t"][..], &["watch", "--hbase", "nobody.xml", "--table", "t"]]
        {
            threads.spawn(|| refused(folder.path(), args, "are these the quorum or the masters"));
        }
    });
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("nobody.xml"), NOBODY).unwrap();
    fs::write(folder.join("broken.xml"), "<configuration>").unwrap();
    fs::write(folder.join("told.txt"), "Table t is ENABLED\n{NAME => 'f', VERSIONS => '1'}\n").unwrap();
    let name = "no table can be named ";
    for (args, said) in [
        (&["import", "--from", "hbase"][..], "--from hbase needs the hbase-site.xml and the table"),
        (&["import", "--from", "hbase", "nobody.xml"], "--from hbase needs the hbase-site.xml and the table"),
        (&["import", "--from", "hbase", "none.xml", "visits"], "none.xml: No such file"),
        (&["import", "--from", "hbase", "broken.xml", "visits"], "broken.xml: "),
        (&["import", "--from", "hbase", "nobody.xml", "visits", "--name", "v"], "--name is of texts"),
        (&["import", "--from", "hbase", "nobody.xml", ""], name),
        (&["import", "--from", "hbase", "nobody.xml", "a\x1b[31m\nb"], name),
        (&["import", "--from", "hbase", "nobody.xml", "a:b:c", "--sample", "5"], name),
        (&["import", "--from", "describe", "told.txt", "visits"], "\"visits\" is of --from hbase alone"),
        (&["import", "--from", "describe", "told.txt", "--sample", "5"], "--sample is of --from hbase alone"),
        (&["import", "--from", "describe", "told.txt", "-o", "told.txt"], "cannot write told.txt: File exists"),
        (&["watch", "--hbase", "none.xml", "--table", "visits"], "none.xml: No such file"),
        (&["watch", "--hbase", "nobody.xml", "--table", "hbase:meta"], "not its own: it can be neither watched"),
        (
            &["import", "--from", "hbase", "nobody.xml", "hbase:meta"],
            "HBase's own namespace, of which there is no design",
        ),
        (
            &["import", "--from", "hbase", "nobody.xml", "hbase:acl"],
            "HBase's own namespace, of which there is no design",
        ),
    ] {
        refused(folder, args, said);
    }
    for args in [
        &["watch", "--hbase", "nobody.xml"][..],
        &["watch", "--hbase", "nobody.xml", "--table", "t", "t.rowkey.toml"],
        &["watch", "--hbase", "nobody.xml", "--table", "t", "--cluster", "c"],
        &["import", "--from", "hbase", "nobody.xml", "t", "--sample", "0"],
    ] {
        let run = rowkey(folder, args, b"");
        assert!(run.status == Some(2) && run.out.is_empty(), "{args:?}: {}", run.err);
    }
}

#[test]
fn a_new_file_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let told = b"Table t is ENABLED\n{NAME => 'f', VERSIONS => '1'}\n";
    let run = rowkey(folder.path(), &["import", "--from", "describe", "-o", "t.rowkey.toml"], told);
    assert_eq!((run.status, &*run.out, &*run.err), (Some(0), "", ""));
    let printed = rowkey(folder.path(), &["import", "--from", "describe"], told).out;
    assert_eq!(fs::read_to_string(folder.path().join("t.rowkey.toml")).unwrap(), printed);
    let help = |command| rowkey(folder.path(), &[command, "--help"], b"").out;
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let of_import = words(&help("import"));
    for due in ["rowkey import --from hbase conf/hbase-site.xml visits", "with CREATE or ADMIN on", "--sample <KEYS>"] {
        assert!(of_import.contains(due), "{due} in {of_import}");
    }
    let of_watch = words(&help("watch"));
    assert!(of_watch.contains("--table visits --sample 1000") && of_watch.contains("a guess"), "{of_watch}");
}
