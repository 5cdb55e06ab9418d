//! Keys, values, regions and pictures: back and forth, and no hostile text panics.

use proptest::prelude::*;
use rowkey::untyped::FieldBuf;
use rowkey::{KeyRange, LayoutBuf, Value};
use rowkey_design::internal::explain::{
    self, Boundary, CostLevel, Plan, Snippets, Times, key_of_line, regions, stream, value_of, values_as_json, values_of,
};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::{quote, report};
use rowkey_design::{CheckOptions, Date, Design, File};

fn options() -> CheckOptions {
    CheckOptions::new(Date { year: 2026, month: 1, day: 31 })
}

fn layout(shape: &str) -> LayoutBuf {
    shape.parse().expect("a shape")
}

const SHAPE: &str =
    "salt(7 xxh3 by 0) text, i64 desc, bytes, option<u32>, list<text>, enum{3: (), 7: (u16)}, instant, f64";

fn values() -> impl Strategy<Value = Vec<Value>> {
    let text = ".*";
    let option = prop::option::of(any::<u32>());
    let tag = prop::option::of(any::<u16>());
    let moment = (any::<i64>(), 0..1_000_000_000u32);
    let parts =
        (text, any::<i64>(), any::<Vec<u8>>(), option, prop::collection::vec(text, 0..3), tag, moment, -1e9..1e9f64);
    parts.prop_map(|(text, at, bytes, option, list, tag, (seconds, nanos), float)| {
        vec![
            Value::Text(text),
            Value::Signed(at.into()),
            Value::Bytes(bytes),
            Value::Option(option.map(|n| Box::new(Value::Unsigned(n.into())))),
            Value::List(list.into_iter().map(Value::Text).collect()),
            tag.map_or(Value::Enum(3, vec![]), |n| Value::Enum(7, vec![Value::Unsigned(n.into())])),
            Value::Instant(seconds, nanos),
            Value::F64(float),
        ]
    })
}

fn safe(text: &str) {
    assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
    assert!(!text.contains(['\u{202e}', '\u{2028}']), "{text:?}");
}

proptest! {
    #[test]
    fn values_and_keys_go_back_and_forth(values in values()) {
        let layout = layout(SHAPE);
        let key = layout.encode(&values).unwrap();
        // As one array, and field by field.
        let array = values_as_json(&values);
        safe(&array);
        prop_assert_eq!(values_of(&layout, &[&array], &Times::default()).unwrap(), values.clone());
        let json: serde_json::Value = serde_json::from_str(&array).unwrap();
        let all: serde_json::Value = values.iter().map(Value::to_json).collect();
        prop_assert_eq!(&json, &all);
        let given: Vec<String> = (0..values.len()).map(|i| format!("_{i}={}", json[i])).collect();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        prop_assert_eq!(values_of(&layout, &given, &Times::default()).unwrap(), values);
        for (form, text) in report::forms(&key, &layout) {
            safe(&text);
            prop_assert_eq!(form.parse(&text, &layout).unwrap(), key.clone());
        }
        let mut told = Vec::new();
        let hex = KeyForm::Hex.write(&key, &layout).unwrap();
        stream(hex.as_bytes(), &mut told, Ok(KeyForm::Hex), &layout).unwrap();
        prop_assert_eq!(String::from_utf8(told).unwrap(), array + "\n");
    }

    #[test]
    fn any_key_has_a_picture_and_a_text(key: Vec<u8>, text in ".*") {
        for layout in [layout(SHAPE), layout("text raw"), layout("text, bytes raw")] {
            for key in [&key[..], text.as_bytes()] {
                let svg = report::svg(&[key], &layout);
                roxmltree::Document::parse(&svg).unwrap();
                safe(&report::key_as_text(key, &layout, &Times::default()));
                safe(&quote::json_text(&report::key_as_json(key, &layout, &Times::default()), true));
                Boundary::of(key, &layout).to_string();
            }
        }
    }

    #[test]
    fn hostile_text_is_read_or_refused(text in "(?s).*", line: Vec<u8>, table in r"[ |,\-A-Z_\n]{0,80}") {
        let layout = layout(SHAPE);
        _ = values_of(&layout, &[&text], &Times::default());
        _ = values_of(&layout, &[&format!("_6={text}")], &Times::default());
        _ = key_of_line(&line);
        _ = key_of_line(&[text.as_bytes(), b" column=", &line].concat());
        _ = regions(&text, KeyForm::Shell, &layout);
        _ = regions(&format!("START_KEY | END_KEY |\n{table}\n{text}"), KeyForm::Hex, &layout);
        _ = stream(&line[..], std::io::sink(), Err(key_of_line), &layout);
    }

    #[test]
    fn a_row_of_a_scan_has_its_key(mut key: Vec<u8>, value: Vec<u8>) {
        key.push(b'.');
        let printed = format!(" {:30} column=f:q, timestamp=1, value={}", quote::hbase_binary(&key), quote::hbase_binary(&value));
        prop_assume!(!key.starts_with(b"column="));
        prop_assert_eq!(key_of_line(printed.as_bytes()), Ok(Some(key)));
    }

    /// The arguments of cbt contain the range.
    #[test]
    fn a_wider_range_has_the_range(start in prop::collection::vec(0..3u8, 0..4), end in prop::collection::vec(0..3u8, 1..4), key in prop::collection::vec(0..3u8, 0..5)) {
        let Some(range) = KeyRange::new(start, Some(end)) else { return Ok(()) };
        let cbt = Snippets::of_range("t", &range, None, false).cbt;
        let bound = |name: &str| {
            let text = cbt.split(&format!("$'{name}=")).nth(1)?.split('\'').next()?;
            Some(text.split('\\').skip(1).map(|octal| u8::from_str_radix(octal, 8).unwrap()).collect::<Vec<_>>())
        };
        let wider = KeyRange::new(bound("start").unwrap_or_default(), bound("end")).unwrap();
        prop_assert!(!range.contains(&key) || wider.contains(&key), "{} {:?}", cbt, range);
    }
}

#[test]
fn regions_of_list_regions() {
    // As the shell prints it: each column as wide as its widest cell, keys without the spaces at their ends.
    let rows = [
        ["SERVER_NAME", "REGION_NAME", "START_KEY", "END_KEY"],
        ["------------------", "-----------------------------------", "----------", "----------"],
        ["a,16020,170000", "t,,1700000000000.0a1b.", "", "a|\\x00"],
        ["b,16020,170000", "t,a|\\x00 ,1700000000000.0a1c.", "a|\\x00", ""],
    ];
    let row = |[a, b, c, d]: [&str; 4]| format!(" {a:>18} | {b:>35} | {c:>10} | {d:>10} |\n");
    let text = format!("hbase:001:0> list_regions 't'\n{} 2 rows\nTook 0.1 seconds\n", rows.map(row).concat());
    let list = regions(&text, KeyForm::Hex, &layout("text, u16")).unwrap().list;
    assert_eq!(list.len(), 2);
    assert_eq!((&list[0].start[..], &list[0].end[..]), (&b""[..], &b"a|\0 "[..]));
    assert_eq!(list[1].start, b"a|\0 ");
    assert_eq!(list[0].columns, [("SERVER_NAME".to_owned(), "a,16020,170000".to_owned())]);
    let error = regions("00\nzz\n", KeyForm::Hex, &layout("u8")).unwrap_err();
    assert_eq!((error.line, error.column), (2, 1));
}

#[test]
fn regions_of_get_splits() {
    // As the shell prints it: a point may be a space, and the shell returns the points as Ruby has them after all.
    let text = "hbase:014:0> get_splits \"t\"\nTotal number of splits = 4\n \na\\x00| \n\\xFF\r\nTook 0.0159 seconds\n\
                => [\" \", \"a\\\\x00| \", \"\\\\xFF\"]\n";
    for &form in KeyForm::ALL {
        let list = regions(text, form, &layout("text")).unwrap().list;
        let starts: Vec<&[u8]> = list.iter().map(|region| &region.start[..]).collect();
        assert_eq!(starts, [&b""[..], b" ", b"a\0| ", b"\xff"]);
    }
    assert_eq!(regions("Total number of splits = 1\n", KeyForm::Hex, &layout("text")).unwrap().list.len(), 1);
    for (text, line, column) in [
        ("\nTotal number of splits = 3\na\n", 2, 1),
        ("Total number of splits = 3\na\nTook 0.0159 seconds\n=> [\"a\"]\n", 1, 1),
        ("Total number of splits = x\n", 1, 26),
        ("Total number of splits = 18446744073709551615\n", 1, 1),
        ("Total number of splits = 3\na\nb\u{e9}\n", 3, 2),
    ] {
        let error = regions(text, KeyForm::Hex, &layout("text")).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
    }
}

#[test]
fn cut_keys_are_explained_to_where_they_end() {
    let layout = layout("salt(16 xxh3 by 0) u32, text, i64 desc");
    for (key, told) in [
        (&b"\x03"[..], "salt 3"),
        (b"\x03\0\x01", "salt 3, _0 from 65536"),
        (b"\x03\0\x01\0\x02bo", "salt 3, _0 65538, _1 from \"bo\""),
    ] {
        assert_eq!(Boundary::of(key, &layout).to_string(), told);
    }
}

#[test]
fn cut_hosts_and_texts_are_explained_as_far_as_they_go() {
    for (shape, key, told) in [
        ("host_path, u8", &b"example.hos"[..], "_0 from \"example.hos\""),
        ("host_path, u8", b"org.apache.hbase/bo", "_0 from \"hbase.apache.org/bo\""),
        ("host_path, u8", b"org.caf\xc3", "_0 from \"org.caf\", then c3"),
        ("text, u8", b"caf\xc3", "_0 from \"caf\", then c3"),
        ("text desc, u8", b"\x9d\x90", "_0 from \"bo\""),
        ("text raw", b"caf\xc3", "_0 from \"caf\", then c3"),
        ("u8, option<url>", b"\x07\x01org.apache", "_0 7, _1 Some, _1 from \"org.apache\""),
        // What is whole and no host is none.
        ("host_path, u8", b"Org/\0\x01", "then 4f72672f0001"),
        ("uuid, u8", b"", ""),
    ] {
        assert_eq!(Boundary::of(key, &layout(shape)).to_string(), told, "{shape}");
    }
}

#[test]
fn a_long_key_of_a_scan_is_on_several_lines() {
    let text = b"ROW        COLUMN+CELL\n abcdefgh column=f:q, timestamp=1, value\n ij       =1\n          23\n";
    assert_eq!(key_of_line(text), Ok(Some(b"abcdefghij".to_vec())));
    assert!(key_of_line(b" f:q     timestamp=1, value=2").is_err());
}

#[test]
fn queries_of_the_worked_designs() {
    let name = "three.rowkey.toml";
    let text = include_str!("designs/three.rowkey.toml").to_owned();
    let design = Design::parse([File { name: name.to_owned(), text }]).unwrap();
    let plan = |table, query, given: &[&str]| Plan::of(&design, table, query, given, &options()).unwrap();

    let all = plan("tsdb", "one metric over all tags, an hour", &["metric=0000ab", "hour=3600..7200"]);
    let starts: Vec<_> = all.cost.ranges.iter().flatten().map(|range| range.start().to_vec()).collect();
    assert_eq!((all.level, starts.len(), all.made_up.len()), (CostLevel::Range, 20, 0));
    assert_eq!(starts[19], [19, 0, 0, 0xab, 0, 0, 14, 16]);

    let id = "id=00112233445566778899aabbccddeeff";
    assert_eq!(plan("crashes", "one report by id", &[id]).table, "crash_by_id");
    let one = plan("mail", "one mail", &["user=1", "at=2"]);
    assert_eq!((one.level, one.made_up.clone()), (CostLevel::Get, vec!["message"]));
    assert!(one.snippets()[0].hbase.starts_with(r#"get "mail", "\x00"#));
    let inbox = plan("mail", "inbox, first page", &["user=7"]).snippets();
    assert!(inbox[0].prefix && inbox[0].hbase.ends_with("LIMIT => 50}"), "{inbox:?}");

    for (given, told) in [
        (&["hour=5"][..], "write hour=FROM..TO"),
        (&["hours=5"], "did you mean `hour`"),
        (&["metric=xyz"], "is not hex"),
        (&["metric=000001", "metric=000002"], "two values"),
    ] {
        let error =
            Plan::of(&design, "tsdb", "one metric over all tags, an hour", given, &options()).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

/// The commands and notes are those of the engine's clients; all, where no cluster says which it is.
#[test]
fn a_query_is_shown_in_the_words_of_its_engine() {
    let words = ["HBase's shell", "ROWPREFIXFILTER", "// Java", "cbt", "// Go", "in hex"];
    for (engine, told) in [
        ("", [true, true, true, true, true, false]),
        ("hbase", [true, true, true, false, false, false]),
        ("bigtable", [false, false, false, true, true, false]),
        ("tikv", [false, false, false, false, false, true]),
        ("rocksdb", [false, false, false, false, false, true]),
    ] {
        let cluster = if engine.is_empty() { String::new() } else { format!("[cluster.c]\nengine = \"{engine}\"\n") };
        let text = format!(
            "format = 1\n{cluster}[table.t]\nkey = [\"a: u16\", \"at: instant\"]\nsalt = {{ buckets = 3, by = [\"at\"] }}\n\
             [[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\norder = \"newest\"\nlimit = 3\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap();
        let text = report::query_as_text(&Plan::of(&design, "t", "q", &["a=1"], &options()).unwrap());
        assert_eq!(words.map(|word| text.contains(word)), told, "{engine}\n{text}");
        assert!(text.matches("It is no filter").count() <= 1, "{text}");
        assert!(engine != "tikv" || text.ends_with("000001  000002\n010001  010002\n020001  020002\n"), "{text}");
    }
}

/// A long stream, which threads divide, is told as its keys are one by one: those that decode, those that do not, and
/// the line that is no key.
#[test]
fn a_stream_is_told_as_its_keys_one_by_one() {
    let (mut random, mut told_bad) = (fastrand::Rng::with_seed(1), 0);
    for shape in
        ["text, i64 desc", "salt(16 xxh3 by 0) u64, option<text>, instant", "md5(4 by 0) url, list<u8>", "bytes raw"]
    {
        let layout = layout(shape);
        let (mut lines, mut expected) = (String::new(), String::new());
        while lines.len() < 5 << 20 {
            let mut key: Vec<u8> = (0..random.usize(1..60)).map(|_| random.u8(..)).collect();
            if let Some(lead) = layout.fields().first().filter(|_| shape.starts_with("text") && random.bool()) {
                let number = Value::Signed(random.i64(..).into());
                key = layout.encode(&[Value::Text(format!("{}\u{1b}\u{e9}\"", lead.name)), number]).unwrap();
            }
            lines += &(KeyForm::Hex.write(&key, &layout).unwrap() + "\n");
            expected += &match layout.decode(&key) {
                Ok(values) => values_as_json(&values) + "\n",
                Err(error) => {
                    told_bad += 1;
                    let key = KeyForm::Hex.write(&key, &layout).unwrap();
                    format!(
                        "{{\"error\":{},\"key\":\"{key}\"}}\n",
                        values_as_json(&[Value::Text(error.to_string())]).trim_matches(['[', ']'])
                    )
                }
            };
        }
        let mut told = Vec::new();
        stream(lines.as_bytes(), &mut told, Ok(KeyForm::Hex), &layout).unwrap();
        assert!(told == expected.as_bytes(), "{shape}");
        told.clear();
        let keys = lines.lines().count();
        let stopped = stream((lines + "0g\n00\n").as_bytes(), &mut told, Ok(KeyForm::Hex), &layout).unwrap_err();
        assert!(stopped.unwrap().to_string().starts_with(&format!("line {}: ", keys + 1)));
        assert!(told == expected.as_bytes(), "{shape}");
    }
    assert!(told_bad > 10_000);
}

#[test]
fn a_range_without_values_is_refused() {
    let text = "format = 1\n[table.t]\nkey = [\"a: u8\", \"at: i64 desc\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\nrange = { at = 10 }\n";
    let file = rowkey_design::File { name: "a".into(), text: text.into() };
    let design = rowkey_design::Design::parse([file]).unwrap();
    let plan = |at: &str| Plan::of(&design, "t", "q", &["a=1", at], &options());
    assert!(plan("at=3..7").is_ok() && plan("at=3..").is_ok() && plan("at=..7").is_ok());
    for empty in ["at=7..3", "at=3..3"] {
        let error = plan(empty).unwrap_err().to_string();
        assert!(error.contains("the range has no values"), "{error}");
    }
}

/// A domain is all that is under it: `name_under` of a derived prefix.
#[test]
fn the_beginning_of_a_page_is_a_domain() {
    let text = r#"
format = 1
[table.pages]
key = ["page: host_path"]
[[table.pages.query]]
name = "a domain"
starts_with = { page = 10 }
[table.urls]
key = ["url: url desc"]
[[table.urls.query]]
name = "a domain"
starts_with = { url = 10 }
"#;
    let design = Design::parse([File { name: "a.rowkey.toml".into(), text: text.into() }]).unwrap();
    let ranges = |table: &str, given: &[&str]| -> Vec<KeyRange> {
        Plan::of(&design, table, "a domain", given, &options()).unwrap().cost.ranges.concat()
    };
    let under = KeyRange::new(*b"org.apache.", Some(*b"org.apache0")).unwrap();
    assert_eq!(ranges("pages", &["page=apache.org"]), [under]);
    let [urls] = &ranges("urls", &["url=apache.org"])[..] else { panic!("one range") };
    assert!(urls.start().starts_with(&b"org.apache0".map(|byte| !byte)[..10]));
    // Made up, it is a domain too, and more than one page.
    let [made_up] = &ranges("pages", &[])[..] else { panic!("one range") };
    assert!(made_up.start().ends_with(b".") && made_up.end().unwrap().ends_with(b"0"));
    let plan = Plan::of(&design, "pages", "a domain", &["page=apache.org"], &options()).unwrap();
    assert_eq!(plan.by, [("page", "\"apache.org\" and under it".to_owned())]);
    let error = Plan::of(&design, "pages", "a domain", &["page=apache.org/x"], &options()).unwrap_err();
    assert!(error.to_string().contains("page: "), "{error}");
}

const TIMES: &str =
    "format = 1\n[table.t]\nkey = [\"user: u64\", \"at: i64 desc\", \"seen: instant\", \"to: option<u32>\"]
means = { at = \"milliseconds\", to = \"seconds\" }
[[table.t.query]]\nname = \"latest\"\nfix = [\"user\"]\norder = \"newest\"\nlimit = 20
[[table.t.query]]\nname = \"oldest\"\nfix = [\"user\"]\norder = \"oldest\"\nlimit = 20
[[table.t.query]]\nname = \"between\"\nfix = [\"user\"]\nrange = { at = \"1 hour\" }
[[table.t.query]]\nname = \"those\"\nfix = [\"user\"]\namong = { at = 2 }
[[table.t.query]]\nname = \"one\"\nfix = [\"user\", \"at\", \"seen\", \"to\"]\n";

fn times() -> Design {
    Design::parse([File { name: "a".into(), text: TIMES.into() }]).unwrap()
}

#[test]
fn times_that_are_numbers_are_dates_too() {
    let design = times();
    let (layout, times) = (&design.tables["t"].layout, design.times_of("t"));
    let field = |name: &str| layout.fields().iter().find(|field| field.name == name).unwrap();
    let (ms, some) = (Value::Signed(1_700_000_000_148), |n| Value::Option(Some(Box::new(Value::Unsigned(n)))));
    for (name, text, value) in [
        ("at", "1700000000148", ms.clone()),
        ("at", "2023-11-14T22:13:20.148Z", ms.clone()),
        ("at", "\"2023-11-15T00:13:20.148+02:00\"", ms.clone()),
        ("at", "1969-12-31", Value::Signed(-86_400_000)),
        ("to", "2023-11-14T22:13:20Z", some(1_700_000_000)),
        ("seen", "2023-11-14", Value::Instant(1_699_920_000, 0)),
        ("user", "1700", Value::Unsigned(1700)),
    ] {
        assert_eq!(explain::value_of(field(name), text, &times), Ok(value), "{name}={text}");
    }
    for (name, text, told) in [
        ("at", "2023-11-14T22:13:20.1485Z", "write milliseconds since 1970, or 2026-01-31T12:00:00Z"),
        ("at", "2023-11-14T22:13:20", "write milliseconds since 1970"),
        ("at", "yesterday", "write milliseconds since 1970"),
        ("to", "1960-01-01", "write seconds since 1970"),
        ("seen", "2023-11-14 22:13", "write seconds since 1970"),
        ("user", "2023-11-14", "the field is u64"),
    ] {
        let error = explain::value_of(field(name), text, &times).unwrap_err().to_string();
        assert!(error.contains(told), "{name}={text}: {error}");
    }
    let given = r#"[7, "2023-11-14T22:13:20.148Z", "2023-11-14", null]"#;
    let key = layout.encode(&values_of(layout, &[given], &times).unwrap()).unwrap();
    let text = report::key_as_text(&key, layout, &times);
    assert!(text.contains("  2023-11-14T22:13:20.148Z\n"), "{text}");
    assert_eq!(report::key_as_json(&key, layout, &times)["parts"][1]["note"], "2023-11-14T22:13:20.148Z");

    let dates = |query: &str, given: &[&str]| {
        let plan = Plan::of(&design, "t", query, given, &options()).unwrap();
        plan.dates.iter().map(|(field, date)| format!("{field} = {date}")).collect::<Vec<_>>()
    };
    let between = dates("between", &["user=7", "at=2023-11-14..1700000000148"]);
    assert_eq!(between, ["at = 2023-11-14T00:00:00Z..2023-11-14T22:13:20.148Z"]);
    assert_eq!(dates("between", &["user=7", "at=2023-11-14.."]), ["at = 2023-11-14T00:00:00Z.."]);
    let those = dates("those", &["user=7", "at=0", "at=1970-01-02"]);
    assert_eq!(those, ["at = 1970-01-01T00:00:00Z or 1970-01-02T00:00:00Z"]);
    let one = dates("one", &["user=7", "at=0", "seen=1970-01-02", "to=3600"]);
    assert_eq!(one, ["at = 1970-01-01T00:00:00Z", "seen = 1970-01-02T00:00:00Z", "to = 1970-01-01T01:00:00Z"]);
}

/// Each client is told the limit, where it counts the rows of the range alone.
#[test]
fn every_snippet_has_the_limit() {
    let design = times();
    let of = |query: &str, user: &str| {
        let plan = Plan::of(&design, "t", query, &[user], &options()).unwrap();
        plan.snippets().remove(0)
    };
    let all = "user=72340172838076673";
    let latest = of("latest", all);
    assert!(latest.hbase.contains("LIMIT => 20") && latest.java.contains(".setLimit(20)"), "{latest:?}");
    assert!(latest.cbt.ends_with(" count=20") && !latest.cbt_wider, "{latest:?}");
    assert!(latest.go.starts_with("table.ReadRows(ctx, bigtable.NewRange(\"\\x01\\x01"), "{latest:?}");
    assert!(latest.go.ends_with("), f, bigtable.LimitRows(20))"), "{latest:?}");
    let oldest = of("oldest", all);
    assert!(oldest.go.ends_with("), f, bigtable.LimitRows(20), bigtable.ReverseScan())"), "{oldest:?}");
    // The range begins with a zero byte, and rows before it are read.
    let zeros = of("latest", "user=7");
    assert!(zeros.cbt_wider && !zeros.cbt.contains("count=") && zeros.go.contains("LimitRows(20)"), "{zeros:?}");
    // Only its end has one: the first rows are those of the range. Backwards the end comes first.
    let range = KeyRange::new([1], Some([2, 0, 1])).unwrap();
    for (reverse, counted) in [(false, true), (true, false)] {
        let snippets = Snippets::of_range("t", &range, Some(3), reverse);
        assert!(snippets.cbt_wider && snippets.cbt.contains(" count=3") == counted, "{snippets:?}");
    }
    let one = Plan::of(&design, "t", "one", &["user=72340172838076673"], &options()).unwrap().snippets().remove(0);
    assert!(one.go.starts_with("table.ReadRow(ctx, \""), "{one:?}");
}

/// Each of several ranges of a field is shown, of values that are given or made up.
#[test]
fn a_plan_shows_each_range_of_a_field() {
    let text = "format = 1\n[table.t]\nkey = [\"host: text\", \"at: u32\"]\n\
                [[table.t.query]]\nname = \"q\"\nfix = [\"host\"]\nrange = { at = 10 }\nparts.at = 3\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let plan = |given: &[&str]| Plan::of(&design, "t", "q", given, &options());
    let given = ["host=ada", "at=10..20", "at=40..50"];
    let two = plan(&given).unwrap();
    assert_eq!((two.cost.range_count(), two.snippets().len(), two.made_up.len()), (2, 2, 0));
    assert!(
        report::query_as_text(&two).contains("at = \"10\"..\"20\" or \"40\"..\"50\"\n"),
        "{}",
        report::query_as_text(&two)
    );
    let made_up = plan(&["host=ada"]).unwrap();
    assert_eq!((made_up.cost.range_count(), made_up.snippets().len()), (3, 3));
    let four = [given[0], given[1], given[2], "at=60..", "at=0..5"];
    assert!(plan(&four).unwrap_err().to_string().contains("3 `parts`"));
}

/// Each of several values, given or made up, is the beginning of the ranges of the field behind it.
#[test]
fn a_plan_has_the_range_of_each_of_several_values() {
    let text = "format = 1\n[table.t]\nkey = [\"tenant: u8\", \"kind: u8\", \"n: u8\"]\n\
                [[table.t.query]]\nname = \"q\"\namong.tenant = 3\nfix = [\"kind\"]\nrange.n = 4\n";
    let design = Design::parse([File { name: "a".into(), text: text.into() }]).unwrap();
    let plan = |given: &[&str]| Plan::of(&design, "t", "q", given, &options()).unwrap();
    let given = plan(&["tenant=1", "tenant=9", "kind=2", "n=3..7"]);
    let starts: Vec<_> = given.cost.ranges.iter().flatten().map(|range| range.start().to_vec()).collect();
    assert_eq!((starts, given.made_up), (vec![vec![1, 2, 3], vec![9, 2, 3]], vec![]));
    let some = plan(&["kind=2"]);
    assert_eq!((some.cost.range_count(), some.made_up), (3, vec!["tenant", "n"]));
}

/// An engine that hashes the partition key has pages of its own, and no ranges of whole keys.
#[test]
fn a_hashed_partition_key_has_no_range() {
    let text = |engine: &str, query: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"a: u16\", \"day: u16\", \"at: u32\"]\n\
             partition = [\"a\", \"day\"]\nmeans.day = \"time bucket\"\nstats.day.bucket = \"1 day\"\nrows = \"1M\"\n\
             [[table.t.query]]\nname = \"q\"\n{query}\n"
        );
        let design = Design::parse([File { name: "a".into(), text }]).unwrap();
        report::query_as_text(&Plan::of(&design, "t", "q", &[], &options()).unwrap())
    };
    let one = "fix = [\"a\", \"day\"]\nlimit = 3000";
    for (engine, calls) in
        [("dynamodb", "1 MB a call"), ("cassandra", "5000 rows a call"), ("tikv", "1000 rows a call")]
    {
        let told = text(engine, one);
        assert!(told.contains(calls), "{engine}\n{told}");
        assert_eq!(told.contains("in hex"), engine == "tikv", "{engine}\n{told}");
    }
    let days = text("cassandra", "fix = [\"a\"]\namong.day = 3");
    assert!(days.contains("3 partitions, one for each value of a, day"), "{days}");
    assert!(text("dynamodb", "fix = [\"day\"]").contains("every partition"));
}

#[test]
fn a_uuid_is_sixteen_bytes() {
    let read = |shape: &str, text: &str| value_of(&FieldBuf::new("f", shape).unwrap(), text, &Times::default());
    let uuid = "01234567-89ab-cdef-0123-456789abcdef";
    assert_eq!(read("bytes[16]", uuid), read("bytes[16]", &uuid.replace('-', "")));
    assert!(read("bytes[16]", uuid).is_ok());
    assert_eq!(read("option<bytes[16]>", uuid), read("option<bytes[16]>", &uuid.replace('-', "")));
    for other in ["0123456-789ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdeg"] {
        assert!(read("bytes[16]", other).is_err(), "{other}");
    }
    assert!(read("bytes[8]", uuid).is_err());
}
