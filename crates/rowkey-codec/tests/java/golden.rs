//! The golden vectors of what has generated code.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Key, Table};
use rowkey_codec::names::JAVA;
use serde_json::{Value as Json, json};

use crate::lines;
use crate::project::Project;

/// A vector: a shape, and its values if the bytes are a key.
struct Vector {
    shape: String,
    values: Option<Json>,
    hex: String,
}

fn lines_of(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for line in lines_of("fields.tsv") {
        let value: Json = serde_json::from_str(&line[1]).unwrap();
        let mut push = |shape: String, value: &Json, hex: String| {
            vectors.push(Vector { shape, values: Some(json!([value])), hex });
        };
        let text = value.as_str().unwrap_or_default();
        if line[0].starts_with("salt(") {
            push(format!("{} bytes raw", line[0]), &value, format!("{}{text}", line[2]));
            continue;
        }
        let array = |octets: &[u8]| (format!("bytes[{}]", octets.len()), json!(lines::hex(octets)));
        let (shape, value) = match line[0].as_str() {
            "ipv4" => array(&text.parse::<Ipv4Addr>().unwrap().octets()),
            "ipv6" => array(&text.parse::<Ipv6Addr>().unwrap().octets()),
            "uuid" => ("bytes[16]".to_owned(), json!(text.replace('-', ""))),
            shape => (shape.to_owned(), value.clone()),
        };
        if line[3] != "-" {
            let desc = match shape.strip_suffix(" nulls_last") {
                Some(option) => format!("{option} desc nulls_first"),
                None => format!("{shape} desc"),
            };
            push(desc, &value, line[3].clone());
        }
        push(shape, &value, line[2].clone());
    }
    for line in ["keys.tsv", "foreign.tsv"].into_iter().flat_map(lines_of) {
        let values = serde_json::from_str(&line[1]).unwrap();
        vectors.push(Vector { shape: line[0].clone(), values: Some(values), hex: line[2].clone() });
    }
    for line in lines_of("phoenix.tsv").into_iter().filter(|line| line[5] == "same") {
        let values = serde_json::from_str(&line[4]).unwrap();
        vectors.push(Vector { shape: line[3].clone(), values: Some(values), hex: line[2].clone() });
    }
    for line in lines_of("reject.tsv") {
        vectors.push(Vector { shape: line[0].clone(), values: None, hex: line[1].clone() });
    }
    vectors
}

/// Returns whether all of what has no code is of the kinds that the README names.
fn is_refused(shape: &str) -> bool {
    ["url", "fdb[", "groups[8]", "utf[java]"].iter().any(|word| shape.contains(word))
}

#[test]
fn golden_vectors_are_met_and_refusals_refused() {
    let vectors = vectors();
    let mut layouts: BTreeMap<&str, LayoutBuf> = BTreeMap::new();
    for Vector { shape, .. } in &vectors {
        layouts.entry(shape).or_insert_with(|| {
            let layout: LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
            assert_eq!(layout.shape(), *shape);
            layout
        });
    }
    layouts.retain(|shape, layout| {
        let is_made = Codec::of(&[Table::new(layout.clone())], &JAVA).is_ok();
        assert_eq!(is_made, !is_refused(shape), "{shape}");
        is_made
    });
    let project = Project::new(&layouts.values().cloned().collect::<Vec<_>>());
    let keys: BTreeMap<&str, &Key> = layouts.keys().copied().zip(&project.codec.keys).collect();
    let mut lines = Vec::new();
    for vector in &vectors {
        let shape = vector.shape.as_str();
        let Some(key) = keys.get(shape) else { continue };
        lines.push(match &vector.values {
            None => lines::refuse(key, &vector.hex),
            Some(values) => {
                let values = layouts[shape].values_from_json(values).unwrap();
                lines::key(key, &values, &vector.hex)
            }
        });
    }
    assert!(lines.len() > 1950, "{} vectors", lines.len());
    project.check(&lines);
}
