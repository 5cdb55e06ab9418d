//! `rowkey ddl` and `rowkey import` as programs: statuses, and what goes where.

mod program;

use std::path::Path;

fn rowkey(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let run = program::rowkey(Path::new("."), args, input.as_bytes());
    (run.status, run.out, run.err)
}

#[test]
fn ddl_prints_commands_and_notes_apart_and_import_reads_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.rowkey.toml");
    let list = "Family Name\tGC Policy\n-----------\t---------\nf\t(age() > 1d || versions() > 3)\n";
    let (status, design, errors) = rowkey(&["import", "--from", "cbt", "--name", "t"], list);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    std::fs::write(&path, design).expect("a file");
    let path = path.display().to_string();

    let (status, text, notes) = rowkey(&["ddl", &path, "--for", "cbt"], "");
    assert_eq!(status, Some(0), "{notes}");
    assert_eq!(text, "cbt createtable t families=f\ncbt setgcpolicy t f 'maxage=1d or maxversions=3'\n");
    assert!(notes.starts_with("note: ") && notes.contains("Bigtable collects garbage in its own time"), "{notes}");

    let (status, text, errors) = rowkey(&["ddl", &path, "--for", "phoenix"], "");
    assert_eq!((status, text.as_str()), (Some(2), ""));
    assert!(errors.contains("family \"f\" has no column") && errors.contains("t.rowkey.toml:9:17"), "{errors}");

    let (status, _, errors) = rowkey(&["import", "--from", "describe"], "no table");
    assert_eq!(status, Some(2));
    assert!(
        errors.starts_with("error: there is no description of a family") && errors.contains("standard input:1:1"),
        "{errors}"
    );
}

#[test]
fn the_schema_of_a_wide_table_becomes_a_design() {
    let schema = "row key: salt(16 xxh3 by 0) text, i64 desc\nrow key field: 0 user\nrow key field: 1 at milliseconds\n\
        family page: max versions 3, ttl 86400000 ms\n";
    let (status, design, errors) = rowkey(&["import", "--from", "schema", "--name", "visits"], schema);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    for line in [
        "key = [\"user: text\", \"at: i64 desc\"]",
        "salt = { buckets = 16, by = [\"user\"] }",
        "means = { at = \"milliseconds\" }",
    ] {
        assert!(design.lines().any(|written| written == line), "{line} in {design}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits.rowkey.toml");
    std::fs::write(&path, design).expect("a file");
    let (status, text, notes) = rowkey(&["ddl", &path.display().to_string(), "--for", "cbt"], "");
    assert_eq!(status, Some(0), "{notes}");
    assert_eq!(
        text,
        "cbt createtable visits families=page\ncbt setgcpolicy visits page 'maxage=1d or maxversions=3'\n"
    );

    let (status, _, errors) =
        rowkey(&["import", "--from", "schema", "--name", "t"], "family f: max versions 1\nrow: u8\n");
    assert_eq!(status, Some(2));
    assert!(
        errors.starts_with("error: this is not a line of a schema") && errors.contains("standard input:2:1"),
        "{errors}"
    );
}

#[test]
fn ddl_is_json_for_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.rowkey.toml");
    let design = "format = 1\n[table.t]\nkey = [\"a: u64\"]\n[table.t.family.f]\nttl = \"1 day\"\ncolumns = [\"c\"]\n\
        [[table.t.secondary]]\nname = \"u\"\nkey = [\"a: u64 desc\"]\n";
    std::fs::write(&path, design).expect("a file");
    let path = path.display().to_string();
    for (target, of_table, between) in
        [("hbase", 1, "\n"), ("cbt", 2, "\n"), ("phoenix", 1, "\n"), ("terraform", 2, "\n\n")]
    {
        let (status, text, notes) = rowkey(&["ddl", &path, "--for", target], "");
        assert_eq!(status, Some(0), "{notes}");
        let (status, json, errors) = rowkey(&["ddl", &path, "--for", target, "--json"], "");
        assert_eq!((status, errors.as_str()), (Some(0), ""));
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["dialect"], target);
        let texts = |list: &serde_json::Value| -> Vec<String> {
            list.as_array().expect("a list").iter().map(|text| text.as_str().expect("text").to_owned()).collect()
        };
        let mut all = texts(&json["preamble"]);
        for (i, name) in ["t", "u"].into_iter().enumerate() {
            assert_eq!(json["tables"][i]["table"], name);
            let statements = texts(&json["tables"][i]["statements"]);
            assert_eq!(statements.len(), of_table, "{target}: {statements:?}");
            all.extend(statements);
        }
        // Together they are the text.
        assert_eq!(all.join(between) + "\n", text);
        assert_eq!(json["notes"].as_array().map(Vec::len), Some(notes.lines().count()));
        assert!(json["notes"].as_array().into_iter().flatten().all(|note| note["place"]["line"].is_u64()), "{json}");
    }
}

/// A file of split points lies beside the script that names it.
#[test]
fn scripts_and_broken_descriptions_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("points.txt"), "10\n20\n").expect("a file");
    let script = folder.path().join("create.rb");
    std::fs::write(&script, "create 't', {NAME => 'f', TTL => 60}, SPLITS_FILE => 'points.txt'\n").expect("a file");
    let (status, design, errors) = rowkey(&["import", "--from", "shell", &script.display().to_string()], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(
        design.contains("splits = { keys = [\"3130\", \"3230\"] }") && design.contains("ttl = \"1 min\""),
        "{design}"
    );

    let described = "Table t is ENABLED\nt\nCOLUMN FAMILIES DESCRIPTION\n{NAME => 'f', BLOOMFILTER => 'ROW', VERS\n\
        IONS => '3', TTL => '60 SECONDS (1\nMINUTE)'}\n1 row(s)\nTook 0.1 seconds\n";
    let (status, design, errors) = rowkey(&["import", "--from", "describe"], described);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(design.ends_with("[table.t.family.f]\nversions = 3\nttl = \"1 min\"\n"), "{design}");

    let (status, design, errors) = rowkey(&["import", "--from", "describe"], &described.replace("VERS\n", "VERSU\n"));
    assert_eq!((status, design.as_str()), (Some(2), ""));
    assert!(
        errors.contains("VERSUIONS is no option of a family") && errors.contains("standard input:4:37"),
        "{errors}"
    );

    let terraform =
        "resource \"google_bigtable_table\" \"t\" {\n  name = \"t\"\n  column_family {\n    family = \"f\"\n  }\n}\n";
    let (status, design, errors) = rowkey(&["import", "--from", "terraform"], terraform);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(design.contains("[table.t.family.f]\nversions = 2147483647\n"), "{design}");
}
