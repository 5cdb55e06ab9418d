//! HBase's shell.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use rowkey::untyped::FieldValues;
use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::Design;
use rowkey_design::internal::quote;
use rowkey_testkit::hbase::shell_cells;

use super::{Numbers, ddl_of_import, design, path, printed, programs, root, rowkey, variable, with, within};

fn names(design: &Design) -> Vec<String> {
    let of = |table: &rowkey_design::internal::TableDesign| {
        let secondary = table.table.secondary.iter().map(|secondary| secondary.name.to_string());
        [table.name.to_string()].into_iter().chain(secondary).collect::<Vec<_>>()
    };
    design.tables.values().flat_map(of).collect()
}

/// Creates the tables of a design, which may be there from before.
fn create(names: &[String], ddl: &str) -> String {
    let mut script = String::new();
    for name in names {
        let name = quote::jruby(name.as_bytes());
        script += &format!("if exists({name}) then disable({name}); drop({name}) end\n");
    }
    script += ddl;
    for name in names {
        let name = quote::jruby(name.as_bytes());
        script += &format!("describe {name}\nget_splits {name}\n");
    }
    programs().shell(&script)
}

/// The row keys that the shell's scans of these ranges print.
pub(super) fn scanned(printed: &str) -> BTreeSet<Vec<u8>> {
    shell_cells(printed).into_iter().map(|cell| cell.row).collect()
}

/// Commands that scan ranges of a table.
pub(super) fn scans(table: &str, ranges: &[KeyRange]) -> String {
    let scan = |range: &KeyRange| {
        let stop = range.end().map(|end| format!(", STOPROW => {}", quote::jruby(end))).unwrap_or_default();
        format!("scan {}, {{STARTROW => {}{stop}}}\n", quote::jruby(table.as_bytes()), quote::jruby(range.start()))
    };
    ranges.iter().map(scan).collect()
}

#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn the_shell_creates_each_design_and_describe_gives_it_back() {
    let three = root().join("crates/rowkey-design/tests/designs/three.rowkey.toml").display().to_string();
    let all = design(three.as_ref());
    let hostile = path("hbase.rowkey.toml").display().to_string();
    for (names, ddl) in [
        (vec!["tsdb".to_owned()], rowkey(&["ddl", "--for", "hbase", "--table", "tsdb", &three])),
        (
            vec!["crashes".into(), "crash_by_id".into()],
            rowkey(&["ddl", "--for", "hbase", "--table", "crashes", &three]),
        ),
        (names(&all), rowkey(&["ddl", "--for", "hbase", "--no-splits", &three])),
        (names(&design(hostile.as_ref())), rowkey(&["ddl", "--for", "hbase", &hostile])),
    ] {
        let described = create(&names, &ddl);
        assert_eq!(ddl_of_import(&described, "describe", &[]), ddl);
    }
}

/// The shell breaks its rows at the width of its terminal.
#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn descriptions_of_terminals_of_several_widths_are_the_same_design() {
    let ddl = "create \"pasted.widths\",\n  {NAME => \"f\", VERSIONS => 1, IS_MOB => true, MOB_THRESHOLD => 5},\n  \
        {NAME => \"one family\", VERSIONS => 5, TTL => 86400, COMPRESSION => \"GZ\"},\n  \
        MAX_FILESIZE => 1073741824,\n  \
        SPLIT_POLICY => \"org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy\"\n";
    create(&["pasted.widths".to_owned()], ddl);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("describe.rb");
    std::fs::write(&path, "describe \"pasted.widths\"\nexit\n").expect("a file");
    let shell = root().join("servers/hbase/shell").display().to_string();
    for width in [40, 79, 120, 200] {
        let command = format!("stty cols {width}; {shell} {} {}", variable("ROWKEY_HBASE"), path.display());
        // The program `script` gives the shell a terminal.
        let log = folder.path().join("log");
        let described = printed(Command::new("script").args(["-qec", &command]).arg(log).stdin(Stdio::null()));
        let trimmed: String = described.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        for text in [described, trimmed] {
            assert_eq!(ddl_of_import(&text, "describe", &[]), ddl, "{width}: {text}");
        }
    }
}

/// Keys of a layout, of few values, so that each query finds some and leaves some.
fn keys(layout: &LayoutBuf, values: &[Vec<Value>], numbers: &mut Numbers) -> BTreeSet<Vec<u8>> {
    let key = |_| {
        let values: Vec<_> = values.iter().map(|values| numbers.pick(values)).collect();
        layout.encode(&values).expect("a key")
    };
    (0..150).map(key).collect()
}

fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::Text((*text).to_owned())).collect()
}

#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn scans_of_a_querys_ranges_find_its_rows_and_no_others() {
    use Value::{Bytes, Decimal, Signed, Unsigned};

    let design = design(&path("hbase.rowkey.toml"));
    let mut numbers = Numbers(7);
    let hostile = ["", "a", "ab", "#{exit}", "\"\\x41", "é\u{0}", "\u{1}'", "b"];
    let tables = [
        (
            "Zähler.1",
            vec![
                [0, 7, 0x2223, u64::MAX].map(|n| Unsigned(n.into())).to_vec(),
                [i64::MIN, -1, 0, 1_700_000_000_000].map(|n| Signed(n.into())).to_vec(),
                texts(&hostile),
            ],
        ),
        (
            "options",
            vec![
                texts(&hostile),
                ["0", "-12.5", "100"].map(|n| Decimal(n.to_owned())).to_vec(),
                [&b""[..], b"\0", b"\xff\xff", b"#{1}"].map(|bytes| Bytes(bytes.to_vec())).to_vec(),
            ],
        ),
    ];
    for (name, values) in tables {
        let table = &design.tables[name];
        let copy = format!("rows.{name}");
        let family = table.table.family.keys().next().expect("a family");
        let keys = keys(&table.layout, &values, &mut numbers);
        let quoted = quote::jruby(copy.as_bytes());
        let mut script = format!("if exists({quoted}) then disable({quoted}); drop({quoted}) end\n");
        let family_name = quote::jruby(family.as_bytes());
        script += &format!("create {quoted}, {{NAME => {family_name}}}\n");
        let column = quote::jruby(format!("{family}:q").as_bytes());
        for key in &keys {
            script += &format!("put {quoted}, {}, {column}, \"v\"\n", quote::jruby(key));
        }
        let mut queries = Vec::new();
        for _ in 0..6 {
            let leading: Vec<_> = values.iter().take(1 + numbers.below(2) as usize).map(|v| numbers.pick(v)).collect();
            let ranges = table.layout.ranges(&leading).expect("ranges");
            queries.push((ranges, with(&keys, &table.layout, &leading)));
        }
        // The rest of the last text, by its beginning.
        if name == "Zähler.1" {
            let leading = [values[0][1].clone(), values[1][2].clone()];
            let begins = FieldValues::StartsWith(Value::Text("a".to_owned()));
            let ranges = table.layout.ranges_by_bucket(&leading, Some(&begins)).expect("ranges").concat();
            let expected = with(&keys, &table.layout, &leading).into_iter().filter(|key| {
                matches!(&table.layout.decode(key).expect("a key")[2], Value::Text(text) if text.starts_with('a'))
            });
            queries.push((ranges.clone(), expected.collect()));
        }
        let marker = |i: usize| format!("puts \"query {i} begins\"\n");
        for (i, (ranges, _)) in queries.iter().enumerate() {
            script += &marker(i);
            script += &scans(&copy, ranges);
        }
        let printed = programs().shell(&script);
        // The shell prints each command before it runs it: the last marker of a query is its output.
        let mut found = 0;
        let mut rest = printed.as_str();
        for (i, (ranges, expected)) in queries.iter().enumerate() {
            let (_, after) = rest.split_once(&format!("\nquery {i} begins\n")).expect("the marker");
            let part = after.split_once(&format!("\nquery {} begins\n", i + 1)).map_or(after, |(part, _)| part);
            assert_eq!(scanned(part), *expected, "{name}: {ranges:?}");
            assert_eq!(within(&keys, ranges), *expected);
            found += expected.len();
            rest = after;
            rest = &printed[printed.len() - rest.len() - 1..];
        }
        assert!(found > 20 && found < queries.len() * keys.len(), "the queries tell rows apart: {found}");
    }
}
