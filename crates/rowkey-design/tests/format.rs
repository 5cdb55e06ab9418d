//! Formatting: the same design with the same comments, in one form.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rowkey_design::{File, format};

fn formatted(text: &str) -> String {
    format(&File { name: "a".to_owned(), text: text.to_owned() })
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn same(text: &str) {
    let after = formatted(text);
    let meaning = |text: &str| text.parse::<toml_edit::DocumentMut>().map(|it| without_decor(it.as_item())).unwrap();
    assert_eq!(meaning(text), meaning(&after), "{text}\n{after}");
    assert_eq!(formatted(&after), after, "{text}");
    assert!(!after.contains("\n\n\n") || text.contains("\"\"\"") || text.contains("'''"), "{after}");
}

/// The values of a document, in order.
fn without_decor(item: &toml_edit::Item) -> String {
    if let Some(table) = item.as_table_like() {
        let mut parts: Vec<_> = table.iter().map(|(key, item)| format!("{key:?}:{}", without_decor(item))).collect();
        parts.sort();
        return format!("{{{}}}", parts.join(","));
    }
    if let Some(tables) = item.as_array_of_tables() {
        let parts: Vec<_> = tables.iter().map(|table| without_decor(&toml_edit::Item::Table(table.clone()))).collect();
        return format!("[{}]", parts.join(","));
    }
    match item.as_value() {
        Some(toml_edit::Value::Array(items)) => {
            let parts: Vec<_> =
                items.iter().map(|value| without_decor(&toml_edit::Item::Value(value.clone()))).collect();
            format!("[{}]", parts.join(","))
        }
        Some(value) => value.clone().decorated("", "").to_string(),
        None => String::new(),
    }
}

fn comments(text: &str) -> Vec<String> {
    let mut comments: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once('#').map(|(_, comment)| comment.trim_end().to_owned()))
        .collect();
    comments.sort();
    comments
}

#[test]
fn every_design_of_the_repository_keeps_meaning_and_comments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut read = 0;
    for folder in ["tests/designs", "../../studies/designs"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let text = fs::read_to_string(&path).unwrap();
                same(&text);
                assert_eq!(comments(&text), comments(&formatted(&text)), "{}", path.display());
                read += 1;
            }
        }
    }
    assert!(read > 10);
}

#[test]
fn one_form() {
    let text = "\n\n# a\n\n\n# b\nformat=1# c\n\t[ table . t ]  # d\n key = [ # e\n\"a: u64\" , # f\n      # g\n  \"b: u64\"\n]\nsalt={buckets=4,by=[ \"a\" ]}\n# h";
    let expected = "# a\n\n# b\nformat = 1# c\n[ table . t ]  # d\nkey = [ # e\n  \"a: u64\" , # f\n  # g\n  \"b: u64\",\n]\nsalt = { buckets = 4, by = [\"a\"] }\n# h\n";
    assert_eq!(formatted(text), expected.replace("\"a: u64\" ,", "\"a: u64\","));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_toml_keeps_its_meaning(text in r#"([ \t]{0,2}(\[a\]|\[\[b\.c\]\]|x\.y|k[0-9])?[ \t]?=?[ ]?(1|"a # b"|\[[ \n]?1, ?(# c\n)?2,?[ \n]?\]|\[(\n| |# e\n){0,3}1(\n| |# e\n){0,3},?(\n| |# e\n){0,3}\]|\{ ?p = 1, q=2 ?\}|\{\}|\[\]|"""a  \n\n\n b""")?[ ]{0,2}(# d)?\r?\n){0,8}"#) {
        if text.parse::<toml_edit::DocumentMut>().is_ok() {
            same(&text);
        } else {
            let refused = format(&File { name: "a".to_owned(), text }).is_err();
            prop_assert!(refused);
        }
    }
}
