//! What is pasted beside keys: lists of regions, rows as shells print them, values, queries' values, streams of keys. The
//! first byte says which. Each is read, or is an error that is located in the text.
#![no_main]

use rowkey_design::internal::explain::{self, Boundary, Plan, RegionsError, Times, key_of_line, regions, values_of};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::quote::json_text;
use rowkey_design::internal::report::{key_as_json, key_as_text, svg};
use rowkey_design::{CheckOptions, Date, Design, File};

const SHAPES: [&str; 4] = [
    "text, u16 desc",
    "salt(16 xxh3 by 0) u64, instant",
    "md5(4) bytes, option<i32> raw",
    "list<(u8, text)>, url desc",
];

const DESIGN: &str = r#"
format = 1
[table.t]
key = ["host: text", "at: i64 desc", "tag: option<bytes>"]
salt = { buckets = 3, by = ["host"] }
means.at = "microseconds"
[[table.t.query]]
name = "fixed"
fix = ["host", "at", "tag"]
[[table.t.query]]
name = "range"
fix = ["host"]
range = { at = 10 }
order = "newest"
limit = 5
[[table.t.query]]
name = "begins"
starts_with = { host = 2 }
[[table.t.query]]
name = "among"
among = { host = 3 }
order = "oldest"
"#;

/// What a terminal is sent has no control characters.
fn printable(text: &str) {
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let Ok(layout) = SHAPES[usize::from(kind) % SHAPES.len()].parse::<rowkey::LayoutBuf>() else { return };
    let form = KeyForm::ALL[usize::from(kind >> 2) % KeyForm::ALL.len()];
    match kind >> 5 {
        0 | 1 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            match regions(text, form, &layout) {
                Ok(regions) => {
                    assert!(regions.list.len() <= text.lines().count() + 1);
                    assert!(regions.list.is_sorted_by(|a, b| a.start <= b.start));
                    for region in &regions.list {
                        let _ = Boundary::of(&region.start, &layout).to_string();
                        let _ = Boundary::of(&region.end, &layout).to_json();
                    }
                }
                Err(RegionsError { line, column, reason, .. }) => {
                    let line = text.lines().nth(line - 1).unwrap_or("");
                    assert!(column >= 1 && column <= line.len() + 1, "{column} of {line:?}: {reason}");
                }
            }
        }
        2 => {
            let Ok(Some(key)) = key_of_line(rest) else { return };
            printable(&key_as_text(&key, &layout, &Times::default()));
        }
        3 => {
            let file = File { name: "t".to_owned(), text: DESIGN.to_owned() };
            let Ok(design) = Design::parse([file]) else { panic!("{DESIGN}") };
            for (layout, times) in [(&layout, Times::default()), (&design.tables["t"].layout, design.times_of("t"))] {
                printable(&key_as_text(rest, layout, &times));
                printable(&json_text(&key_as_json(rest, layout, &times), true));
            }
            let svg = svg(&[rest], &layout);
            assert!(svg.starts_with("<svg"), "{svg}");
        }
        4 | 5 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let arguments: Vec<&str> = text.split('\n').collect();
            let Ok(values) = values_of(&layout, &arguments, &Times::default()) else { return };
            // A value that can be written is one that the layout encodes, or says why not.
            if let Ok(key) = layout.encode(&values) {
                assert_eq!(layout.decode(&key).ok(), Some(values));
            }
        }
        6 => {
            let Ok(text) = std::str::from_utf8(rest) else { return };
            let file = File { name: "t".to_owned(), text: DESIGN.to_owned() };
            let Ok(design) = Design::parse([file]) else { return };
            let given: Vec<&str> = text.split('\n').collect();
            let query = ["fixed", "range", "begins", "among"][usize::from(kind) % 4];
            let options = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
            let Ok(plan) = Plan::of(&design, "t", query, &given, &options) else { return };
            for snippets in plan.snippets() {
                for text in [&snippets.hbase, &snippets.java, &snippets.go, &snippets.cbt] {
                    printable(text);
                }
            }
        }
        _ => {
            let mut told = Vec::new();
            let form = if kind & 1 == 0 { Ok(form) } else { Err(key_of_line as explain::ReadLine) };
            let _ = explain::stream(rest, &mut told, form, &layout);
            let Ok(told) = String::from_utf8(told) else { panic!("not UTF-8") };
            printable(&told);
        }
    }
});
