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
        (&["--hbase", "/dev/zero", "visits.rowkey.toml"], "no hbase-site.xml is as long"),
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
fn outputs_are_tried_first_and_replace_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("visits.rowkey.toml"), design("hbase")).unwrap();
    site(folder, "nobody.xml", "hbase.zookeeper.quorum", "127.0.0.1:1");
    let old = [
        ("mine.txt", "precious\n"),
        ("mine.json", "{\"kind\": \"mine\"}\n"),
        ("empty.html", ""),
        ("empty.jsonl", ""),
        ("page.html", "<!DOCTYPE html><!-- a page of rowkey -->\n<p>"),
        ("run.jsonl", "{\"kind\":\"settings\",\"format\":1}\n"),
    ];
    old.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    let nobody = "are these the quorum or the masters";
    for (args, said) in [
        (&["--html", "none/x.html"][..], "cannot write none/x.html: "),
        (&["--json", "none/x.jsonl"], "cannot write none/x.jsonl: "),
        (&["--html", "."], "cannot write .: "),
        (&["--json", "."], "cannot write .: "),
        (&["--html", "mine.txt"], "mine.txt is there, and no page that `rowkey` wrote"),
        (&["--json", "mine.txt"], "mine.txt is there, and no lines of JSON that `rowkey` wrote"),
        (&["--json", "mine.json"], "mine.json is there, and no lines of JSON"),
        (&["--json", "page.html"], "page.html is there, and no lines of JSON"),
        (&["--html", "run.jsonl"], "run.jsonl is there, and no page"),
        (&["--json", "visits.rowkey.toml"], "is a file of the design"),
        (&["--html", "x", "--json", "x"], "x is named for the page and for the lines"),
        (&["--html", "x", "--json", "./x"], "./x is named for the page and for the lines"),
        (&["--html", "page.html", "--json", "run.jsonl"], nobody),
        (&["--html", "empty.html"], "empty.html is there, and no page"),
        (&["--json", "empty.jsonl"], nobody),
        (&["--html", "new.html", "--json", "-"], nobody),
        (&["--json", "/dev/null"], nobody),
    ] {
        let of = ["watch", "--for", "2s", "--hbase", "nobody.xml", "visits.rowkey.toml"];
        let run = rowkey(folder, &[&of[..], args].concat(), b"");
        assert!(run.status == Some(2) && run.err.contains(said), "{args:?}: {}", run.err);
        assert_eq!((run.err.lines().count(), &*run.out), (1, ""), "{args:?}: {}", run.err);
    }
    old.iter().for_each(|(name, text)| assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *text, "{name}"));
    // Nothing is left of what was tried.
    assert_eq!(fs::read_dir(folder).unwrap().count(), old.len() + 2);
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
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("Example") && help.contains("No row of a table is read"), "{help}");
}
