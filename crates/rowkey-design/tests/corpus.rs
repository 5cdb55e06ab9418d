//! Public questions and the experts' answers, compared with the results of `check` and `suggest`.
//!
//! Each file of `corpus/` has the source, its question and answer in short, the design, and the parts of the answer that
//! are compared: rules that fire and that are silent, how the first key begins, numbers within a factor. They were
//! written before the tool ran. `corpus/disagreements.txt` lists the differences; `ROWKEY_REWRITE=1` writes it anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rowkey_design::internal::suggest::{Candidate, described};
use rowkey_design::{CheckOptions, Date, Design, File};
use toml_edit::{DocumentMut, Item};

/// A question, and the expected answer.
struct Case {
    name: String,
    design: Design,
    answer: Item,
}

impl Case {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let document: DocumentMut = std::fs::read_to_string(path).unwrap().parse().unwrap();
        for said in ["source", "asked", "answered"] {
            assert!(document[said].as_str().is_some_and(|said| !said.is_empty()), "{name}: {said}");
        }
        let text = document["design"].as_str().expect("a design").to_owned();
        let design = Design::parse([File { name: format!("{name}.rowkey.toml"), text }]);
        let design = design.unwrap_or_else(|problems| panic!("{name}: {problems}"));
        Self { name, design, answer: document["answer"].clone() }
    }

    fn words(&self, key: &str) -> Vec<&str> {
        let list = self.answer.get(key).and_then(Item::as_array).into_iter().flatten();
        list.map(|word| word.as_str().expect("a word")).collect()
    }

    /// The differences between the expected answer and the results of `check` and `suggest`.
    fn disagreements(&self) -> Vec<String> {
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let table = self.answer["table"].as_str().expect("a table");
        let report = self.design.check(&options);
        let found: BTreeSet<&str> =
            report.findings.iter().filter(|finding| finding.table == table).map(|finding| finding.rule.id).collect();
        let mut told = Vec::new();
        let fires = self.words("fires");
        if !fires.is_empty() && !fires.iter().any(|rule| found.contains(rule)) {
            told.push(format!("none of {} fires", fires.join(", ")));
        }
        let loud = self.words("silent").into_iter().filter(|rule| found.contains(rule));
        told.extend(loud.map(|rule| format!("{rule} fires")));

        let suggestions = self.design.suggest(table, &options).expect("the table");
        let first = &suggestions.candidates[0];
        if let Some(due) = self.answer.get("first") {
            let words = |key: &str| -> Vec<&str> {
                let list = due.get(key).and_then(Item::as_array).into_iter().flatten();
                list.filter_map(|word| word.as_str()).collect()
            };
            let names: Vec<&str> = first.table.layout.fields().iter().map(|field| field.name.as_str()).collect();
            let is_wrong = !names.starts_with(&words("begins"))
                || words("has").iter().any(|word| !has(first, word))
                || words("hasnt").iter().any(|word| has(first, word));
            if is_wrong {
                told.push(format!("the first key is {}", described(&first.table)));
            }
        }
        let own = suggestions.candidates.iter().find(|candidate| candidate.current).expect("the design's own");
        let numbers = self.answer.get("number").and_then(Item::as_array_of_tables).into_iter().flatten();
        for number in numbers {
            let of = number["of"].as_str().expect("what it is of");
            let float =
                |key: &str| number[key].as_float().or(number[key].as_integer().map(|n| n as f64)).expect("a number");
            let (due, factor) = (float("value"), float("factor"));
            match self.number(of, own, table) {
                Some(found) if found >= due / factor && found <= due * factor => {}
                Some(found) => told.push(format!("{of}: {found} and not {due}")),
                None => told.push(format!("{of}: not known, and not {due}")),
            }
        }
        told
    }

    /// A number that the tool tells.
    fn number(&self, of: &str, own: &Candidate, table: &str) -> Option<f64> {
        let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let mut costs = self.design.query_costs(&options);
        let (_, costs) = costs.find(|(design, _)| design.name.as_str() == table)?;
        let cost = |name: &str| costs.iter().find(|cost| cost.query.name.as_str() == name);
        match of {
            "bytes of a key" => Some(own.score.key_bytes),
            "regions" => {
                let splits = self.design.tables[table].split_points(None)?;
                Some(splits.regions() as f64)
            }
            _ if of.starts_with("ranges of query ") => {
                Some(cost(&of["ranges of query ".len()..])?.range_count() as f64)
            }
            _ if of.starts_with("rows read by query ") => cost(&of["rows read by query ".len()..])?.rows_read,
            _ => panic!("{}: {of}", self.name),
        }
    }
}

/// Returns whether a key has a salt, is hashed, has a field in descending order, or one before another.
fn has(key: &Candidate, word: &str) -> bool {
    let fields = key.table.layout.fields();
    let place = |name: &str| fields.iter().position(|field| field.name == name).expect("a field");
    match (word, word.split_once(':')) {
        ("salt", _) => key.table.table.salt.is_some(),
        ("hashed", _) => key.table.table.hashed.is_some(),
        (_, Some(("desc", name))) => fields[place(name)].desc,
        (_, Some(("before", both))) => {
            let (before, after) = both.split_once('<').expect("two fields");
            place(before) < place(after)
        }
        _ => panic!("{word}"),
    }
}

#[test]
fn the_tool_answers_as_the_sources_do_but_for_what_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    assert!(files.len() >= 40, "{}", files.len());
    let mut told = String::new();
    for case in files.iter().map(|path| Case::read(path)) {
        for line in case.disagreements() {
            told += &format!("{}: {line}\n", case.name);
        }
    }
    let path = folder.join("disagreements.txt");
    if std::env::var_os("ROWKEY_REWRITE").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(path).unwrap(), "if this is better, run it with ROWKEY_REWRITE=1");
}
