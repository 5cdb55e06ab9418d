//! The golden vectors as questions, and whether the answers are right.

use std::path::Path;

use rowkey::LayoutBuf;
use rowkey_codec::ir::{Codec, Table};
use rowkey_codec::names::Style;
use serde_json::{Value as Json, json};

/// A vector: a key's shape, and what it has or refuses.
pub(crate) struct Vector {
    shape: String,
    kind: Kind,
    at: String,
}

enum Kind {
    Key { values: Json, hex: String },
    Refused { hex: String },
}

fn rows(file: &str) -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let row = |(number, line): (usize, &str)| {
        (format!("{file}:{}", number + 1), line.split('\t').map(str::to_owned).collect())
    };
    text.lines().enumerate().map(row).collect()
}

/// All vectors of the golden files.
pub(crate) fn vectors() -> Vec<Vector> {
    let mut all = Vec::new();
    let mut key = |at: &str, shape: &str, values: Json, hex: &str| {
        all.push(Vector { shape: shape.into(), kind: Kind::Key { values, hex: hex.into() }, at: at.into() });
    };
    for file in ["keys.tsv", "foreign.tsv"] {
        for (at, row) in rows(file) {
            key(&at, &row[0], serde_json::from_str(&row[1]).unwrap(), &row[2]);
        }
    }
    for (at, row) in rows("phoenix.tsv") {
        if row[5] == "same" {
            key(&at, &row[3], serde_json::from_str(&row[4]).unwrap(), &row[2]);
        }
    }
    for (at, row) in rows("fields.tsv") {
        let value: Json = serde_json::from_str(&row[1]).unwrap();
        if row[0].starts_with("salt(") {
            let m = value.as_str().unwrap();
            key(&at, &format!("{} bytes raw", row[0]), json!([m]), &format!("{}{m}", row[2]));
            continue;
        }
        let (shape, value) = own_shape(&row[0], value);
        key(&at, &shape, json!([value]), &row[2]);
        if row[3] != "-" {
            let desc = match shape.strip_suffix(" nulls_last") {
                Some(option) => format!("{option} desc nulls_first"),
                None => format!("{shape} desc"),
            };
            key(&at, &desc, json!([value]), &row[3]);
        }
    }
    for (at, row) in rows("reject.tsv") {
        all.push(Vector { shape: row[0].clone(), kind: Kind::Refused { hex: row[1].clone() }, at });
    }
    all.extend(refused_by_format());
    all
}

/// The bytes that FORMAT.md refuses.
fn refused_by_format() -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../FORMAT.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut is_table = false;
    let mut refused = Vec::new();
    for (number, line) in text.lines().enumerate() {
        is_table = line == "| shape | refused | why |" || (is_table && line.starts_with('|'));
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if let (true, [shape, hex, _], Some(true)) =
            (is_table, cells.as_slice(), cells.first().map(|c| c.starts_with('`')))
        {
            let hex = if *hex == "(none)" { String::new() } else { (*hex).to_owned() };
            let at = format!("FORMAT.md:{}", number + 1);
            refused.push(Vector { shape: shape.trim_matches('`').to_owned(), kind: Kind::Refused { hex }, at });
        }
    }
    assert!(refused.len() > 60, "FORMAT.md has tables of what is refused");
    refused
}

/// The layouts of other programs, each once.
pub(crate) fn foreign_layouts() -> Vec<LayoutBuf> {
    let mut layouts: Vec<LayoutBuf> = Vec::new();
    for (_, row) in rows("foreign.tsv") {
        let layout = row[0].parse().unwrap();
        if !layouts.contains(&layout) {
            layouts.push(layout);
        }
    }
    layouts
}

/// The shape of types that have none of their own, as the vectors name them.
fn own_shape(kind: &str, value: Json) -> (String, Json) {
    let text = value.as_str().unwrap_or_default().to_owned();
    let hex = |bytes: &[u8]| Json::String(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
    match kind {
        "ipv4" => ("bytes[4]".into(), hex(&text.parse::<std::net::Ipv4Addr>().unwrap().octets())),
        "ipv6" => ("bytes[16]".into(), hex(&text.parse::<std::net::Ipv6Addr>().unwrap().octets())),
        "uuid" => ("bytes[16]".into(), json!(text.replace('-', ""))),
        kind => (kind.into(), value),
    }
}

/// The vectors of the shapes that generated code can have, and a codec of these shapes, each once.
pub(crate) struct Golden {
    pub(crate) tables: Vec<Table>,
    vectors: Vec<(usize, Vector)>,
    refused: usize,
}

impl Golden {
    pub(crate) fn new(style: &Style) -> Self {
        Self::of(style, &|_| true)
    }

    /// Those of some shapes alone.
    pub(crate) fn of(style: &Style, is_asked: &dyn Fn(&str) -> bool) -> Self {
        let (mut tables, mut shapes, mut kept, mut refused) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for vector in vectors().into_iter().filter(|vector| is_asked(&vector.shape)) {
            let layout: LayoutBuf = vector.shape.parse().unwrap();
            let at = shapes.iter().position(|shape| *shape == vector.shape).unwrap_or_else(|| {
                let table = Table::new(layout);
                shapes.push(vector.shape.clone());
                let has_code = Codec::of(std::slice::from_ref(&table), style).is_ok();
                tables.push(has_code.then_some(table));
                tables.len() - 1
            });
            match tables[at] {
                Some(_) => kept.push((at, vector)),
                None => refused += 1,
            }
        }
        // The places of tables among those that have code.
        let index = |at: usize| tables[..at].iter().flatten().count();
        let vectors = kept.into_iter().map(|(at, vector)| (index(at), vector)).collect();
        Self { tables: tables.into_iter().flatten().collect(), vectors, refused }
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        let mut questions = Vec::new();
        for (key, vector) in &self.vectors {
            match &vector.kind {
                Kind::Key { values, hex } => {
                    questions.push(format!("encode\t{key}\t{values}"));
                    questions.push(format!("decode\t{key}\t{hex}"));
                }
                Kind::Refused { hex } => questions.push(format!("decode\t{key}\t{hex}")),
            }
        }
        questions
    }

    /// Checks all answers, and returns a line on how many there were.
    pub(crate) fn check(&self, answers: &[String]) -> String {
        let wrong = self.wrong(answers);
        assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), self.vectors.len(), wrong.join("\n"));
        format!("{} vectors of {} shapes; {} have no code", self.vectors.len(), self.tables.len(), self.refused)
    }

    /// A line for each wrong answer.
    pub(crate) fn wrong(&self, answers: &[String]) -> Vec<String> {
        let (mut answers, mut wrong) = (answers.iter(), Vec::new());
        for (key, vector) in &self.vectors {
            let at = format!("{} {}", vector.at, vector.shape);
            let mut answer = || answers.next().unwrap();
            match &vector.kind {
                Kind::Key { values, hex } => {
                    let (encoded, decoded) = (answer(), answer());
                    if encoded != hex {
                        wrong.push(format!("{at}: {values} is {encoded}, and not {hex}"));
                    }
                    let layout = self.tables[*key].layout();
                    let due = layout.values_from_json(values).unwrap();
                    let found = serde_json::from_str(decoded).map(|json: Json| layout.values_from_json(&json));
                    if !matches!(&found, Ok(Ok(found)) if *found == due) {
                        wrong.push(format!("{at}: {hex} is {decoded}, and not {values}"));
                    }
                }
                Kind::Refused { hex } => {
                    let decoded = answer();
                    if !decoded.starts_with('!') {
                        wrong.push(format!("{at}: {hex} is taken as {decoded}"));
                    }
                }
            }
        }
        wrong
    }
}
