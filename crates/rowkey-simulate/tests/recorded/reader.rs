//! Bad recordings: an error that says where and what, and no panic.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use rowkey_simulate::recording::Run;

use crate::goldens;

fn recording() -> PathBuf {
    goldens::files().into_values().flatten().next().expect("a recording")
}

/// The text of a recording, a few lines of each kind.
fn few_lines() -> Vec<String> {
    let text = goldens::text(&recording());
    let of = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        text.lines().filter(move |line| line.contains(&kind)).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut lines = [of("batch"), of("interval"), of("split")].concat();
    lines.sort_by_key(|line| time(line));
    [of("settings"), lines].concat()
}

fn time(line: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(line).unwrap()["t_ms"].as_u64().unwrap()
}

fn error(lines: &[String]) -> String {
    Run::read(lines.join("\n").as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_bad_line_is_named() {
    let lines = few_lines();
    Run::read(lines.join("\n").as_bytes()).unwrap();

    for at in 0..lines.len() {
        let mut cut = lines.clone();
        cut[at].truncate(lines[at].len() / 2);
        let error = error(&cut);
        assert!(error.starts_with(&format!("line {}: ", at + 1)), "{error}");
    }
    // A line that is left out is not counted out.
    let mut gap = lines.clone();
    gap[0].push('\n');
    gap[1] = "{}".to_owned();
    assert!(error(&gap).starts_with("line 3: missing field `kind`"), "{}", error(&gap));

    let with = |at: usize, from: &str, to: &str| {
        let mut lines = lines.clone();
        assert!(lines[at].contains(from), "{from}: {}", &lines[at][..200.min(lines[at].len())]);
        lines[at] = lines[at].replacen(from, to, 1);
        error(&lines)
    };
    let find = |kind: &str| lines.iter().rposition(|line| line.contains(&format!("\"kind\":\"{kind}\""))).unwrap();
    let (interval, split) = (find("interval"), find("split"));
    assert_eq!(with(0, "\"format\":1", "\"format\":2"), "line 1: a format that this version does not know: it knows 1");
    assert_eq!(
        with(interval, "\"server\":", "\"server\":9"),
        format!("line {}: a server that is not there", interval + 1)
    );
    assert_eq!(
        with(interval, "\"start\":\"\"", "\"start\":\"00\""),
        format!("line {}: no region begins where the table does", interval + 1)
    );
    let (from, to) = ("\"at\":\"", "\"at\":\"\",\"not_at\":\"");
    assert!(with(split, from, to).contains("unknown field `not_at`"), "{}", with(split, from, to));

    let order = |from: usize, to: usize| {
        let mut lines = lines.clone();
        let line = lines.remove(from);
        lines.insert(to, line);
        error(&lines)
    };
    assert_eq!(order(0, 1), "line 1: a run begins with its settings");
    assert_eq!(order(lines.len() - 1, 1), "line 3: a time before that of the line before");
    assert_eq!(error(&[lines[0].clone(), lines[0].clone()]), "line 2: settings for a second time");
    assert_eq!(error(&[]), "no lines: a run begins with its settings");
}

#[test]
fn settings_that_no_cluster_has_are_refused() {
    let line = &few_lines()[0];
    let with = |name: &str, value: serde_json::Value| {
        let mut settings: serde_json::Value = serde_json::from_str(line).unwrap();
        settings[name] = value;
        Run::read(settings.to_string().as_bytes()).err().map(|error| error.to_string())
    };
    let zeros = [
        "servers",
        "max_filesize",
        "flush_size",
        "block_size",
        "interval_ms",
        "discharger_ms",
        "balancer_ms",
        "rows_per_event",
    ];
    for name in zeros {
        let error = with(name, 0.into()).unwrap_or_default();
        assert!(error.starts_with(&format!("line 1: `{name}` is 0")), "{name}: {error}");
        assert_eq!(with(name, 1.into()), None);
    }
    for (name, value, said) in [
        ("jitter", (-5.0).into(), "`jitter` is a part"),
        ("jitter", 1e308.into(), "`jitter` is a part"),
        ("rows_per_second", (-1).into(), "`rows_per_second` is no rate"),
        ("splits", serde_json::json!(["02", "01"]), "`splits` are not in the order"),
        ("splits", serde_json::json!(["01", "01"]), "`splits` are not in the order"),
        ("splits", serde_json::json!(["", "01"]), "a split point is empty"),
    ] {
        let error = with(name, value).unwrap_or_default();
        assert!(error.starts_with(&format!("line 1: {said}")), "{name}: {error}");
    }
    for (name, value) in [
        ("jitter", 0.into()),
        ("jitter", 1.into()),
        ("rows_per_second", 0.into()),
        ("splits", serde_json::json!(["01", "02"])),
    ] {
        assert_eq!(with(name, value), None, "{name}");
    }
}

/// A folder with a recording and a file of keys.
fn folder(settings: impl Fn(&str) -> String, keys: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines = few_lines();
    let settings = settings(&lines[0]);
    fs::write(folder.path().join("a.jsonl"), [&settings, "\n", &lines[1..].join("\n")].concat()).unwrap();
    fs::write(folder.path().join("keys"), keys).unwrap();
    folder
}

/// The settings with another file of keys.
fn with_keys(settings: &str, name: &str, rows: u64, digest: &str) -> String {
    let mut settings: serde_json::Value = serde_json::from_str(settings).unwrap();
    settings["key_file"] = serde_json::json!({ "name": name, "rows": rows, "digest": digest });
    settings.to_string()
}

#[test]
fn keys_are_those_that_were_recorded() {
    let keys = "0103\n0204".as_bytes();
    let mut digest = rowkey_simulate::recording::KeyDigest::default();
    [vec![1, 2], vec![3, 4]].into_iter().for_each(|key| digest.add(&rowkey_simulate::run::Key(key)));
    let digest = digest.text();
    let open = |name: &str, rows: u64, digest: &str, keys: &[u8]| {
        let folder = folder(|settings| with_keys(settings, name, rows, digest), keys);
        Run::open(folder.path().join("a.jsonl")).unwrap_err().to_string()
    };
    assert_eq!(open("keys", 2, &digest, keys), "keys: 2 keys, and the batches have 1000 rows");
    assert_eq!(open("keys", 1, &digest, keys), "keys: line 1: 2 bytes for 1 keys");
    assert_eq!(open("keys", u64::MAX, &digest, keys), format!("keys: line 1: 2 bytes for {} keys", u64::MAX));
    assert_eq!(open("keys", 2, "00", keys), "keys: other keys than the run was recorded with");
    assert_eq!(open("keys", 2, &digest, b""), "keys: other keys than the run was recorded with");
    assert_eq!(open("keys", 2, &digest, b"0103\n02"), "keys: line 2: 1 bytes for 2 keys");
    assert_eq!(open("keys", 2, &digest, b"0103\n0"), "keys: line 2: invalid length at 0");
    assert_eq!(open("keys", 2, &digest, b"0103\n\xff\xff"), "keys: line 2: stream did not contain valid UTF-8");
    for elsewhere in ["../keys", "/etc/hosts", "", "..", "sub/keys", "keys/"] {
        let error = open(elsewhere, 2, &digest, keys);
        assert_eq!(error, format!("{elsewhere}: not the name of a file in the run's folder"));
    }
    assert!(open("nothing", 2, &digest, keys).contains("nothing: No such file"));
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let whole = fs::read(recording()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl.gz");
    for to in (0..whole.len()).step_by(whole.len() / 50 + 1) {
        fs::write(&path, &whole[..to]).unwrap();
        assert!(Run::open(&path).is_err(), "{to} of {} bytes", whole.len());
    }
    fs::write(&path, "{\"kind\":\"settings\"}").unwrap();
    assert!(Run::open(&path).is_err());
    assert!(Run::open(folder.path()).is_err());
}

proptest! {
    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Run::read(&bytes[..]);
    }

    #[test]
    fn no_change_of_a_byte_panics(line in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut lines: Vec<Vec<u8>> = few_lines().into_iter().map(String::into_bytes).collect();
        let line = line.get_mut(&mut lines[..]);
        let at = at.index(line.len());
        line[at] = byte;
        if let Ok(run) = Run::read(&lines.join(&b'\n')[..]) {
            let _ = rowkey_simulate::compare::passes(std::slice::from_ref(&run), &run);
        }
    }
}
