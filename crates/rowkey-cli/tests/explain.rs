//! `rowkey explain` as a program: statuses, and what it refuses.

mod program;

use std::path::Path;

fn rowkey(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let run = program::rowkey(Path::new("."), &[&["explain"], args].concat(), input.as_bytes());
    (run.status, run.out, run.err)
}

#[test]
fn keys_are_explained_in_every_form() {
    let shape = ["--shape", "text, u16"];
    for (form, key) in [
        ("hex", "61000102"),
        ("shell", r"a\x00\x01\x02"),
        ("go", r#""a\x00\x01\x02""#),
        ("base64", "YQABAg=="),
        ("json", r#"["a","258"]"#),
        ("line", r" a\x00\x01\x02    column=f:q, timestamp=1, value=2"),
    ] {
        let (status, text, errors) = rowkey(&[&shape[..], &["--form", form, key]].concat(), "");
        assert_eq!((status, errors.as_str()), (Some(0), ""), "{form}");
        assert!(text.contains("258") && text.contains("base64  YQABAg=="), "{text}");
    }
    let (status, text, _) = rowkey(&["--shape", "text, u16", "610001"], "");
    assert!(status == Some(1) && text.contains("not a key: "), "{text}");
    let (status, text, _) = rowkey(&["--shape", "text, u16", "--json", "610001"], "");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(status == Some(1) && json[0]["error"].is_string(), "{text}");
}

#[test]
fn streams_and_regions_are_read_from_standard_input() {
    let (status, text, _) = rowkey(&["--shape", "u16", "-"], "0001\n00\n");
    assert_eq!(status, Some(1));
    assert!(text.starts_with("[\"1\"]\n{\"error\":"), "{text}");
    let (status, text, errors) = rowkey(&["--shape", "u16", "-"], "0001\nzz\n");
    assert_eq!((status, text.as_str()), (Some(2), "[\"1\"]\n"));
    assert!(errors.contains("line 2: byte 0: 'z' is not a hex digit"), "{errors}");
    let (status, text, _) = rowkey(&["--shape", "u16", "--regions", "-"], "0100\n");
    assert_eq!(status, Some(0));
    assert_eq!(text.matches("_0 256").count(), 2, "{text}");
}

#[test]
fn what_is_wrong_is_said() {
    for (args, told) in [
        (&["--shape", "text, u7,", "00"][..], "--shape: "),
        (&["--shape", "u8", "0g"], "key 1: byte 1: 'g' is not a hex digit"),
        (&["--shape", "u8"], "there is no key to explain"),
        (&["--shape", "u8", "--values", "_0=300"], "_0: "),
        (&["nothing.toml", "t", "00"], "cannot read nothing.toml"),
        (&["nothing.toml"], "write DESIGN TABLE"),
    ] {
        let (status, text, errors) = rowkey(args, "");
        assert_eq!((status, text.as_str()), (Some(2), ""), "{args:?}");
        assert!(errors.contains(told), "{errors}");
    }
}

#[test]
fn a_layout_of_a_file_explains_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("layout.json");
    let layout = "salt(4 xxh3 by 0) text, u16 desc".parse::<rowkey::LayoutBuf>().map(|layout| layout.to_json());
    std::fs::write(&path, layout.unwrap_or_else(|_| panic!("a shape"))).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let (status, key, errors) = rowkey(&["--layout", path, "--values", "--json", "_0=a", "_1=258"], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let made: serde_json::Value = serde_json::from_str(&key).expect("JSON");
    let hex = made[0]["forms"]["hex"].as_str().expect("hex");
    let (status, text, errors) = rowkey(&["--layout", path, hex], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.contains("258") && text.contains("salt"), "{text}");
    for (json, told) in [("{", "EOF"), ("{}", "missing field"), ("[1]", "")] {
        std::fs::write(path, json).expect("a file");
        let (status, text, errors) = rowkey(&["--layout", path, "00"], "");
        assert_eq!((status, text.as_str()), (Some(2), ""), "{json}");
        assert!(errors.starts_with("error: ") && errors.contains(told) && errors.contains("layout.json"), "{errors}");
    }
    let (status, _, errors) = rowkey(&["--layout", "nothing.json", "00"], "");
    assert!(status == Some(2) && errors.contains("nothing.json"), "{errors}");
}

#[test]
fn a_query_is_json_for_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.rowkey.toml");
    let design = "format = 1\n[table.t]\nkey = [\"user: u16\", \"at: u32\"]\nsalt = { buckets = 3, by = [\"at\"] }\n\
        [[table.t.query]]\nname = \"of one\"\nfix = [\"user\"]\n";
    std::fs::write(&path, design).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let (status, text, errors) = rowkey(&[path, "t", "--query", "of one", "--json", "user=258"], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let ranges = json["ranges"].as_array().unwrap_or_else(|| panic!("{json:#}"));
    let starts: Vec<&str> = ranges.iter().filter_map(|range| range["start"].as_str()).collect();
    assert_eq!(starts, [r"\x00\x01\x02", r"\x01\x01\x02", r"\x02\x01\x02"], "{json:#}");
    let stops: Vec<&str> = ranges.iter().filter_map(|range| range["stop"].as_str()).collect();
    assert_eq!(stops, [r"\x00\x01\x03", r"\x01\x01\x03", r"\x02\x01\x03"], "{json:#}");
    let (status, text, errors) = rowkey(&[path, "t", "--query", "of two", "--json"], "");
    assert_eq!((status, text.as_str()), (Some(2), ""));
    assert!(errors.contains("of two"), "{errors}");
}

#[test]
fn a_time_that_is_a_number_is_told_as_a_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.rowkey.toml");
    let design = "format = 1\n[table.t]\nkey = [\"user: u64\", \"at: i64 desc\"]\nmeans.at = \"milliseconds\"\n\
        splits = { uniform = 4 }\n[[table.t.query]]\nname = \"q\"\nfix = [\"user\"]\nrange = { at = \"1 day\" }\norder = \"newest\"\nlimit = 5\n";
    std::fs::write(&path, design).expect("a file");
    let path = path.to_str().expect("UTF-8");
    let (status, text, errors) = rowkey(&[path, "t", "--query", "q", "user=7", "at=2023-11-14..1700000000148"], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let dates = "(2023-11-14T00:00:00Z..2023-11-14T22:13:20.148Z)";
    for told in [
        &format!(r#"at = "1699920000000".."1700000000148"  {dates}"#),
        "regions  1\n",
        "the table's first row on",
        "has no count",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let (_, text, _) = rowkey(&[path, "t", "--query", "q"], "");
    assert!(text.contains("regions  1 at most\n") && text.contains("  (made up)\n"), "{text}");
    let (status, text, _) = rowkey(&[path, "t", "--values", "user=7", "at=2023-11-14"], "");
    assert!(status == Some(0) && text.contains(r#"["7","1699920000000"]"#), "{text}");
    let (status, _, errors) = rowkey(&[path, "t", "--values", "user=7", "at=2023-11-1"], "");
    assert!(
        status == Some(2) && errors.contains("at: ") && errors.contains("write milliseconds since 1970"),
        "{errors}"
    );
    let (status, text, _) = rowkey(&[path, "t", "--form", "json", "[7, 1699920000000]"], "");
    assert!(status == Some(0) && text.contains("2023-11-14T00:00:00Z"), "{text}");
}
