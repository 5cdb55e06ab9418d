//! The JSON Schema of a run's lines: it takes what the reader takes, and refuses what the reader refuses.

use rowkey_simulate::run;
use serde_json::{Value, json};

use crate::goldens;

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(include_str!("../../run.schema.json")).unwrap()).unwrap()
}

#[test]
fn every_line_of_every_recording_is_valid() {
    let validator = validator();
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for path in goldens::files().values().flatten() {
        for (number, line) in (1..).zip(goldens::text(path).lines()) {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(validator.is_valid(&line), "{}: line {number}", path.display());
            *kinds.entry(line["kind"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let kinds: Vec<&str> = kinds.keys().map(|kind| &**kind).collect();
    assert_eq!(kinds, ["batch", "interval", "move", "settings", "split"]);
}

/// A line of each kind, as it is in recordings and of watched clusters.
fn lines() -> Vec<Value> {
    let mut lines = Vec::<Value>::new();
    for path in goldens::files().values().flatten() {
        for line in goldens::text(path).lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            if !lines.iter().any(|before| before["kind"] == line["kind"]) {
                lines.push(line);
            }
        }
    }
    lines.push(json!({"kind": "merge", "t_ms": 5, "start": "", "others": ["6d"]}));
    lines.push(json!({"kind": "recreation", "t_ms": 5}));
    lines.push(json!({"kind": "restart", "t_ms": 5, "server": 1}));
    lines.push(json!({"kind": "silence", "t_ms": 5, "until_ms": 10, "server": 1}));
    let region = json!({
        "start": "", "server": 0, "rows": 0, "rows_this_interval": 0, "bytes": 0, "files": 0, "known": "none",
    });
    lines.push(json!({"kind": "interval", "t_ms": 5, "regions": [region], "servers": []}));
    let mut settings = lines.iter().find(|line| line["kind"] == "settings").unwrap().clone();
    settings["server_names"] = json!(["a:16020"]);
    lines.push(settings);
    lines
}

/// Each place in a value, with something else there, something more, or nothing.
fn changed(value: &Value) -> Vec<Value> {
    let mut all =
        vec![json!(null), json!(-1), json!(1.5), json!("zz"), json!(""), json!([]), json!({}), json!(u64::MAX)];
    match value {
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("more".to_owned(), json!(1));
            all.push(more.into());
            for (name, field) in fields {
                let mut without = fields.clone();
                without.remove(name);
                all.push(without.into());
                for other in changed(field) {
                    let mut with = fields.clone();
                    with.insert(name.clone(), other);
                    all.push(with.into());
                }
            }
        }
        Value::Array(items) => {
            if let Some(first) = items.first() {
                for other in changed(first) {
                    let mut with = items.clone();
                    with[0] = other;
                    all.push(with.into());
                }
            }
        }
        _ => {}
    }
    all
}

#[test]
fn the_schema_and_the_reader_agree() {
    let validator = validator();
    let (mut taken, mut refused) = (0, 0);
    for line in lines() {
        for line in changed(&line) {
            let is_read = serde_json::from_value::<run::Line>(line.clone()).is_ok();
            // The reader of whole runs knows the versions; a line by itself may be of any.
            let is_read = is_read && (line["kind"] != "settings" || line["format"] == 1);
            assert_eq!(validator.is_valid(&line), is_read, "{line}");
            *if is_read { &mut taken } else { &mut refused } += 1;
        }
    }
    assert!(taken > 20 && refused > 200, "{taken} taken, {refused} refused");
}
