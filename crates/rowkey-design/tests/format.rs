//! Formatting: the same design with the same comments, in one form.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rowkey_design::{File, format};

const SCHEMA: &str = "#:schema ./rowkey.schema.json";

/// The formatted text, without the line of the schema that it adds.
fn formatted(text: &str) -> String {
    let formatted = with_schema(text);
    if text.contains("#:schema") {
        return formatted;
    }
    let added = format!("{SCHEMA}{}", end_of_lines(text.trim_start_matches('\u{feff}')));
    formatted.replacen(&added, "", 1)
}

fn with_schema(text: &str) -> String {
    format(&File { name: "a".to_owned(), text: text.to_owned() })
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn same(text: &str) {
    let after = formatted(text);
    let meaning = |text: &str| text.parse::<toml_edit::DocumentMut>().map(|it| without_decor(it.as_item())).unwrap();
    assert_eq!(meaning(text), meaning(&after), "{text}\n{after}");
    assert_eq!(formatted(&after), after, "{text}");
    // In strings, ends of lines are part of the value.
    let (end, strings) = (end_of_lines(text), text.contains("\"\"\"") || text.contains("'''"));
    let without = if end == "\r\n" { after.replace("\r\n", "") } else { after.replace('\n', "") };
    assert!(strings || !without.contains(['\r', '\n']), "{text:?}\n{after:?}");
    assert_eq!(text.starts_with('\u{feff}'), after.starts_with('\u{feff}'));
    assert_eq!(comments(text), comments(&after), "{text:?}\n{after:?}");
    assert!(!after.contains("\n\n\n") || text.contains("\"\"\"") || text.contains("'''"), "{after}");
}

fn end_of_lines(text: &str) -> &'static str {
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" }
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
    for folder in ["tests/designs", "../../studies/designs", "../../docs/simulation"] {
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
    let expected = "# a\n\n# b\nformat = 1# c\n[table.t]  # d\nkey = [ # e\n  \"a: u64\" , # f\n  # g\n  \"b: u64\",\n]\nsalt = { buckets = 4, by = [\"a\"] }\n# h\n";
    assert_eq!(formatted(text), expected.replace("\"a: u64\" ,", "\"a: u64\","));
}

#[test]
fn ends_of_lines_and_marks_of_byte_order() {
    for (text, expected) in [
        ("a=1\r\n# b\nc=2", "a = 1\r\n# b\r\nc = 2\r\n"),
        ("a=1\n# b\r\nc=[\r\n1]\r\n", "a = 1\n# b\nc = [\n  1,\n]\n"),
        ("a=1\r\nb=[\n1, # x\n2]\n", "a = 1\r\nb = [\r\n  1, # x\r\n  2,\r\n]\r\n"),
        ("\u{feff}a=1", "\u{feff}a = 1\n"),
        ("\u{feff}\r\n\r\n# a\r\n", "\u{feff}# a\r\n"),
        ("", ""),
        ("\u{feff}", "\u{feff}"),
        // A string's lines are its value.
        ("a=\"\"\"x\r\ny\n\"\"\"\nb=['''p\r\nq''']", "a = \"\"\"x\r\ny\n\"\"\"\r\nb = ['''p\r\nq''']\r\n"),
        ("# \"\"\"\r\na={b='''p\nq'''}\n\n", "# \"\"\"\r\na = {b='''p\nq'''}\r\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text:?}");
        same(text);
    }
    let problems = format(&File { name: "a".to_owned(), text: "\u{feff}a = \n".to_owned() }).unwrap_err();
    assert!(problems.to_string().starts_with("a:1:5: "), "{problems}");
}

#[test]
fn the_first_line_names_the_schema() {
    let own = "# a\n#:schema https://example.com/own.json\nformat = 1\n";
    for (text, expected) in [
        ("format=1", format!("{SCHEMA}\nformat = 1\n")),
        ("# a\n\nformat=1", format!("{SCHEMA}\n# a\n\nformat = 1\n")),
        ("\u{feff}format=1\r\n", format!("\u{feff}{SCHEMA}\r\nformat = 1\r\n")),
        ("a = \"#:schema x\"\n# #:schema x\n", format!("{SCHEMA}\na = \"#:schema x\"\n# #:schema x\n")),
        (own, own.to_owned()),
        ("# nothing yet\n", "# nothing yet\n".to_owned()),
    ] {
        assert_eq!(with_schema(text), expected, "{text:?}");
        assert_eq!(with_schema(&expected), expected, "{text:?}");
    }
}

#[test]
fn headers_and_dotted_keys_have_no_blanks() {
    for (text, expected) in [
        (
            "[ table . u ]\n[table . \"v w\"] # c\n[[ table.u.query ]]\n",
            "[table.u]\n[table.\"v w\"] # c\n[[table.u.query]]\n",
        ),
        ("# a\n x . y . z=1 # b\n# c\nx . v=2\n", "# a\nx.y.z = 1 # b\n# c\nx.v = 2\n"),
        ("[ a ]\n[ a . b ]\n[ a . c ]\nk . l = 1", "[a]\n[a.b]\n[a.c]\nk.l = 1\n"),
    ] {
        assert_eq!(formatted(text), expected, "{text:?}");
        same(text);
    }
}

/// Comments wherever TOML takes one.
#[test]
fn comments_stay_everywhere() {
    for text in [
        "#1\n[a] #2\n#3\nb = [ #4\n#5\n1 #6\n, #7\n#8\n2 #9\n#10\n] #11\n#12",
        "t = { #1\n#2\na = 1, #3\n#4\nb = [ #5\n1, #6\n], #7\nc = { #8\n d = 1 #9\n} #10\n#11\n} #12\n",
        "t = {\r\n  a = 1, # x\r\n  b = 2,\r\n}\r\n",
        "a = [{ b = 1, #1\n c = 2 #2\n}, #3\n{} #4\n]\n",
        "[[q]]#1\n#2\n[[q]] #3\nx.y=1#4\n#5\n[q.r]#6\n",
        "\u{feff}#1\r\n\r\n\r\n#2\r\na=1#3\r\n#4",
    ] {
        same(text);
        assert!(comments(text).len() > 2 || text.contains("\r\n"), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_toml_keeps_its_meaning(text in r#"\u{feff}?([ \t]{0,2}(\[a\]|\[ a \. b \]|[xv] \. y|\[\[b\.c\]\]|x\.y|k[0-9])?[ \t]?=?[ ]?(1|"a # b"|\[[ \n]?1, ?(# c\n)?2,?[ \n]?\]|\[(\n| |# e\n){0,3}1(\n| |# e\n){0,3},?(\n| |# e\n){0,3}\]|\{ ?p = 1, q=2 ?\}|\{(\r?\n| |# g\n){0,2}p = (1|\[2,(\n# h\n)?\])(\n| |# i\r?\n){0,2},(\n| |# j\n){0,2}q . r=2(\n| |# k\n)?,?\}|\{\}|\[\]|"""a  \n\n\n b""")?[ ]{0,2}(# d)?\r?\n){0,8}"#) {
        if text.parse::<toml_edit::DocumentMut>().is_ok() {
            same(&text);
        } else {
            let refused = format(&File { name: "a".to_owned(), text }).is_err();
            prop_assert!(refused);
        }
    }
}
