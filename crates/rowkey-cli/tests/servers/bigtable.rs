//! `cbt`, at an emulator of Bigtable, which ignores split points.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, Value};

use super::{Numbers, ddl_of_import, design, file, path, printed, rowkey, variable, with};

fn cbt() -> Command {
    let mut command = Command::new(variable("ROWKEY_CBT"));
    variable("BIGTABLE_EMULATOR_HOST");
    command.args(["-project", "p", "-instance", "i"]);
    command
}

/// Runs commands as a user would paste them, after the tables of before are gone.
fn create(ddl: &str, names: &[&str]) {
    for name in names {
        // Nothing is there at first.
        _ = cbt().args(["deletetable", name]).output().expect("cbt starts");
    }
    let cbt = format!("cbt() {{ {} -project p -instance i \"$@\"; }}\nset -e\n", variable("ROWKEY_CBT"));
    printed(Command::new("bash").arg("-c").arg(cbt + ddl));
}

fn argument(name: &str, value: &[u8]) -> std::ffi::OsString {
    OsStr::from_bytes(&[name.as_bytes(), b"=", value].concat()).to_owned()
}

/// The rows that `cbt read` prints, without line breaks in their keys.
fn read(table: &str, range: &KeyRange) -> BTreeSet<Vec<u8>> {
    let mut command = cbt();
    command.args(["read", table]).arg(argument("start", range.start()));
    command.args(range.end().map(|end| argument("end", end)));
    let output = command.output().expect("cbt starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut rows = BTreeSet::new();
    let mut lines = output.stdout.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if line.len() == 40 && line.iter().all(|byte| *byte == b'-') {
            rows.insert(lines.next().expect("a key").to_vec());
        }
    }
    rows
}

#[test]
#[ignore = "needs an emulator of Bigtable: run servers/test-tools"]
fn cbt_creates_tables_whose_families_come_back() {
    let path = path("bigtable.rowkey.toml").display().to_string();
    let whole = rowkey(&["ddl", "--for", "cbt", &path]);
    create(&whole, &["visits", "visits.by_page"]);
    let without = rowkey(&["ddl", "--for", "cbt", "--no-splits", &path]);
    let back = ["visits", "visits.by_page"].map(|name| {
        let list = printed(cbt().args(["ls", name]));
        ddl_of_import(&list, "cbt", &["--name", name])
    });
    // `cbt ls` sorts families by name.
    let sorted = |ddl: &str| {
        ddl.lines()
            .map(|line| {
                let families = line.split(' ').map(|word| match word.strip_prefix("families=") {
                    Some(names) => {
                        let mut names: Vec<_> = names.split(',').collect();
                        names.sort_unstable();
                        format!("families={}", names.join(","))
                    }
                    None => word.to_owned(),
                });
                families.collect::<Vec<_>>().join(" ")
            })
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(sorted(&back.concat()), sorted(&without));
    assert_eq!(back.concat().lines().count(), without.lines().count());
}

#[test]
#[ignore = "needs an emulator of Bigtable: run servers/test-tools"]
fn cbt_reads_the_rows_of_a_querys_ranges_and_no_others() {
    let copy = std::fs::read_to_string(path("bigtable.rowkey.toml")).expect("a design");
    let copy = file(&copy.replace("visits", "rows"));
    create(&rowkey(&["ddl", "--for", "cbt", &copy.path().display().to_string()]), &["rows", "rows.by_page"]);
    let layout = &design(copy.path()).tables["rows"].layout;

    let users = [b"\x01\xff\x80,", b"a'b\"", b"$(x)"].map(|bytes| Value::Bytes(bytes.to_vec()));
    let pages = ["a", "ab", "é", "$x #{y}", "b,c"].map(|text| Value::Text(text.to_owned()));
    let mut numbers = Numbers(3);
    let keys: BTreeSet<_> =
        (0..14).map(|_| layout.encode(&[numbers.pick(&users), numbers.pick(&pages)]).expect("a key")).collect();
    for key in &keys {
        printed(cbt().args(["set", "rows"]).arg(OsStr::from_bytes(key)).arg("age:q=v"));
    }
    for user in &users {
        let ranges = layout.ranges(std::slice::from_ref(user)).expect("ranges");
        let found: BTreeSet<_> = ranges.iter().flat_map(|range| read("rows", range)).collect();
        assert_eq!(found, with(&keys, layout, std::slice::from_ref(user)));
        assert!(!found.is_empty() && found.len() < keys.len());
    }
    let begins = FieldValues::StartsWith(Value::Text("a".to_owned()));
    for user in &users {
        let ranges = layout.ranges_by_bucket(std::slice::from_ref(user), Some(&begins)).expect("ranges").concat();
        let found: BTreeSet<_> = ranges.iter().flat_map(|range| read("rows", range)).collect();
        let expected = with(&keys, layout, std::slice::from_ref(user))
            .into_iter()
            .filter(|key| matches!(&layout.decode(key).expect("a key")[1], Value::Text(text) if text.starts_with('a')));
        assert_eq!(found, expected.collect());
    }
}
