//! explore
use std::fs;
use std::path::Path;

use rowkey_design::design::Date;
use rowkey_design::suggest::{Suggestions, described};
use rowkey_design::{CheckOptions, Design, File};
use toml_edit::{Array, DocumentMut, Value};

fn naive(text: &str, table: &str) -> String {
    let mut document: DocumentMut = text.parse().unwrap();
    let found = document["table"][table].as_table_mut().unwrap();
    for word in ["salt", "hashed", "secondary", "splits"] {
        found.remove(word);
    }
    let fields = found["key"].as_array().unwrap();
    let fields: Vec<Value> = fields.iter().cloned().collect();
    let bare = fields.iter().rev().map(|field| {
        let field = field.as_str().unwrap();
        field.trim_end_matches(" desc").trim_end_matches(" raw").to_owned()
    });
    found["key"] = toml_edit::value(Value::from(bare.collect::<Array>()));
    found.remove("allow");
    let names: Vec<String> = found["key"].as_array().unwrap().iter().map(|f| f.as_str().unwrap().split(':').next().unwrap().to_owned()).collect();
    if let Some(queries) = found.get_mut("query").and_then(|q| q.as_array_of_tables_mut()) {
        queries.retain(|q| q.get("fix").and_then(|f| f.as_array()).is_none_or(|f| f.iter().all(|n| names.iter().any(|m| m == n.as_str().unwrap()))));
    }
    document.to_string()
}

fn suggest(text: &str, table: &str) -> Suggestions {
    let file = File { name: "a".to_owned(), text: text.to_owned() };
    let design = Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    design.suggest(table, &CheckOptions::new(Date { year: 2026, month: 1, day: 31 })).unwrap()
}

#[test]
fn explore() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/designs");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).filter(|p| p.extension().unwrap() == "toml").collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let design = Design::parse([File { name: "a".to_owned(), text: text.clone() }]).unwrap();
        for (name, table) in &design.tables {
            let started = std::time::Instant::now();
            let found = suggest(&naive(&text, name), name);
            println!("== {} {name}: wanted {}   {:?}", file.file_name().unwrap().display(), described(table), started.elapsed());
            let own = suggest(&text, name);
            let score = |c: &rowkey_design::suggest::Candidate| format!("refused {:.2} places {:?} work {:.1} tables {} bytes {} {:?}", c.score.refused, c.score.places, c.score.work, c.score.tables, c.score.key_bytes, c.score.queries.iter().map(|q| (q.ranges, q.rows_read)).collect::<Vec<_>>());
            for c in own.candidates.iter().filter(|c| c.current) { println!("   text's: {}", score(c)); }
            for (i, c) in found.candidates.iter().enumerate() { if i < 3 || c.current { println!("   {i} {}{} {}", described(&c.table), if c.current {" (current)"} else {""}, score(c));
              for s in &c.table.table.secondary { println!("       2nd {:?} serves {:?}", s.key.iter().map(|k| format!("{}{}", k.name, if k.field.as_ref().is_some_and(|f| f.desc) {" desc"} else {""})).collect::<Vec<_>>(), s.serves.iter().map(|s| s.to_string()).collect::<Vec<_>>()); } } }
            for r in found.reasons.iter().take(2) { println!("   - {r}"); }
        }
    }
}
