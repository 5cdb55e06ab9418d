//! Descriptions of tables as HBase's versions print them and people paste them: from logs, books and questions, with
//! the names changed where they were long.

use std::path::Path;

use rowkey_design::internal::import::Source;

use super::imported;

/// Each text `NAME.txt` is the design `NAME.toml`.
#[test]
fn descriptions_of_all_versions_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import/describe");
    let mut texts: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    texts.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    texts.sort();
    assert!(texts.len() >= 20, "{texts:?}");
    let mut wrong = Vec::new();
    for path in texts {
        let text = std::fs::read_to_string(&path).expect("a text");
        let expected = std::fs::read_to_string(path.with_extension("toml")).unwrap_or_default();
        let read = imported(&text, Source::Describe, None).unwrap_or_else(|problems| problems.to_string());
        if read != expected {
            wrong.push(format!("{}:\n{read}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text of the issue that became a family of that name.
#[test]
fn blanks_that_are_missing_make_no_name_longer() {
    let text = "Table t is ENABLED\n{NAME => 'f', VERSIONS => '5', TTL =>'60', COMPRESSION => 'SNAPPY'}\n";
    let read = imported(text, Source::Describe, None).expect("a description");
    assert!(read.contains("[table.t.family.f]\nversions = 5\nttl = \"1 min\"\ncompression = \"snappy\"\n"), "{read}");
    let tight = "Table t is ENABLED\n{NAME=>'f',VERSIONS=>'5',TTL=>'60',COMPRESSION=>'SNAPPY'}\n";
    assert_eq!(imported(tight, Source::Describe, None).expect("a description"), read);
}

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let t = "Table t is ENABLED\n";
    for (text, told) in [
        (
            "{NAME => 'f', VERSIONS => '1', VERSI  ONS => '2'}",
            "2:39: this is not what HBase prints of a table: => expected, found `ONS",
        ),
        ("{NAME => 'f', VERSIONS => '1', COLOUR => '2'}", "2:32: COLOUR is no option of a family"),
        ("{NAME => 'f', VERSIONS => '1'", "2:30: this is not what HBase prints of a table: } expected, found the end"),
        ("{NAME => 'f', TTL => '1', TTL => '2'}", "2:27: this is not what HBase prints of a table: each option once"),
        ("{NAME => 'f', TTL => '5 DAYS'}", "2:15: a design has no TTL => '5 DAYS'"),
        ("{NAME => 'f', REPLICATION_SCOPE => '0x\u{27}'}", "2:15: a design has no REPLICATION_SCOPE"),
        (
            "x\nCOLUMN FAMILIES DESCRIPTION\n{NAME => 'f'}",
            "2:1: this is not what HBase prints of a table: the table's name",
        ),
        ("", "1:1: the description of t has no family"),
        ("{NAME => 'f'}\nTable t is ENABLED\n{NAME => 'g'}", "3:1: t is described twice"),
        (
            "{NAME => 'ab\ncd', VERSIONS => '1'}",
            "2:11: the line breaks in the name of a family, and may have lost a blank: ab\\ncd",
        ),
    ] {
        let problems = imported(&format!("{t}{text}"), Source::Describe, None).expect_err(text).to_string();
        assert!(problems.starts_with(&format!("pasted:{told}")), "{text}: {problems}");
    }
    for (text, told) in [
        ("DESCRIPTION ENABLED\n't', {NAME => 'f', VERSIONS => '1'}\n", "pasted:2:1: the column ENABLED has neither"),
        ("VERSIONS => '1', TTL => '5'}\n", "pasted:1:1: this part of a description has no beginning"),
        ("{NAME => 'f'}", "pasted:1:1: the name of the table is not there"),
    ] {
        let problems = imported(text, Source::Describe, None).expect_err(text).to_string();
        assert!(problems.starts_with(told), "{text}: {problems}");
    }
}
