//! The golden vectors, both ways, and the bytes that are refused, by one process.

use std::path::Path;

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::GO;
use serde_json::{Value as Json, json};

use crate::driver::Driver;

/// The lines of a file of vectors, in columns.
fn lines(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Keys of shapes: one for each shape, without those that have no code.
#[derive(Default)]
struct Keys {
    layouts: Vec<LayoutBuf>,
    refused: usize,
}

impl Keys {
    /// The number of a shape's key.
    fn key(&mut self, shape: &str) -> Option<usize> {
        if let Some(at) = self.layouts.iter().position(|layout| layout.shape() == shape) {
            return Some(at);
        }
        let layout: LayoutBuf = shape.parse().unwrap_or_else(|error| panic!("{shape}: {error}"));
        if let Err(refusal) = Codec::of(&[Table::new(layout.clone())], &GO) {
            let words = ["url", "fdb[", "groups[8]", "utf[java]"];
            assert!(words.iter().any(|word| refusal.what.starts_with(word)), "{shape}: {refusal}");
            self.refused += 1;
            return None;
        }
        self.layouts.push(layout);
        Some(self.layouts.len() - 1)
    }
}

#[test]
fn vectors_both_ways_and_refusals() {
    let mut keys = Keys::default();
    // Key, values, bytes.
    let mut vectors: Vec<(usize, Json, String)> = Vec::new();
    let mut refused: Vec<(usize, String)> = Vec::new();
    for file in ["keys.tsv", "foreign.tsv"] {
        for line in lines(file) {
            let Some(key) = keys.key(&line[0]) else { continue };
            vectors.push((key, serde_json::from_str(&line[1]).unwrap(), line[2].clone()));
        }
    }
    for line in lines("fields.tsv") {
        let value: Json = serde_json::from_str(&line[1]).unwrap();
        let shape = match line[0].as_str() {
            "uuid" | "ipv6" => "bytes[16]",
            "ipv4" => "bytes[4]",
            shape => shape,
        };
        if shape.starts_with("salt(") {
            let text = value.as_str().unwrap();
            let Some(key) = keys.key(&format!("{shape} bytes raw")) else { continue };
            vectors.push((key, json!([text]), format!("{}{text}", line[2])));
            continue;
        }
        let value = match line[0].as_str() {
            "ipv4" => json!(hex(&value.as_str().unwrap().parse::<std::net::Ipv4Addr>().unwrap().octets())),
            "ipv6" => json!(hex(&value.as_str().unwrap().parse::<std::net::Ipv6Addr>().unwrap().octets())),
            _ => value,
        };
        for (bytes, suffix) in [(&line[2], ""), (&line[3], " desc")] {
            if bytes != "-" {
                let Some(key) = keys.key(&desc(shape, suffix)) else { continue };
                vectors.push((key, json!([value]), bytes.clone()));
            }
        }
    }
    for line in lines("reject.tsv") {
        if let Some(key) = keys.key(&line[0]) {
            refused.push((key, line[1].clone()));
        }
    }
    assert!(vectors.len() > 1500 && refused.len() > 80 && keys.refused > 20, "{} {}", vectors.len(), refused.len());

    let mut driver = Driver::new("golden", &keys.layouts);
    for (key, values, bytes) in &vectors {
        driver.ask(*key, "encode", &values.to_string());
        driver.ask(*key, "decode", bytes);
        driver.ask(*key, "explain", bytes);
    }
    refused.iter().for_each(|(key, bytes)| driver.ask(*key, "decode", bytes));
    let answers = driver.answers();
    let (answered, refusals) = answers.split_at(3 * vectors.len());
    for ((key, values, bytes), answer) in vectors.iter().zip(answered.chunks(3)) {
        let shape = keys.layouts[*key].shape();
        assert_eq!(answer[0], *bytes, "{shape} {values}");
        let decoded: Json =
            serde_json::from_str(&answer[1]).unwrap_or_else(|_| panic!("{shape} {bytes}: {}", answer[1]));
        assert_eq!(decoded, *values, "{shape} {bytes}");
        assert!(answer[2].contains(&format!("{} bytes", bytes.len() / 2)), "{}", answer[2]);
    }
    assert_eq!(refusals.len(), refused.len());
    for ((key, bytes), answer) in refused.iter().zip(refusals) {
        let layout = &keys.layouts[*key];
        let error = layout.decode(&unhex(bytes)).unwrap_err();
        let due = format!("!{}\t{}\t", error.field(), error.offset());
        assert!(answer.starts_with('!'), "{} {bytes}: {answer}", layout.shape());
        if !answer.starts_with(&due) {
            eprintln!("{} {bytes}: {answer}, Rust has {error}", layout.shape());
        }
    }
}

/// A descending field of a shape, whose attributes come in another order.
fn desc(shape: &str, suffix: &str) -> String {
    match (shape.strip_suffix(" nulls_last"), suffix) {
        (_, "") => shape.to_owned(),
        // Of a descending field it is the default.
        (Some(ty), _) => format!("{ty} desc nulls_first"),
        (None, _) => format!("{shape}{suffix}"),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|char| char.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
