//! Traces and logs.

use std::ops::ControlFlow;

use proptest::prelude::*;
use rowkey::LayoutBuf;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::{Design, Engine};
use rowkey_simulate::event::{Event, Op};
use rowkey_simulate::load::{Ahead, Drawn, Load, LoadError, Log, Options, Sampled, Trace};
use rowkey_simulate::run::Generated;

use super::{Kept, all, design, events};

const TEXT: &str = r#"
format = 1
[table.t]
key = ["host: text", "at: i64 desc"]
salt = { buckets = 4, by = ["host"] }
means.at = "milliseconds"
stats.host = { distinct = 30, skew = "zipf 1" }
[table.t.family.v]
columns = ["a"]
sizes.a = "100 B"
[[table.t.write]]
name = "w"
rate = "100/s"
[[table.t.write]]
name = "d"
kind = "delete"
rate = "9/s"
[[table.t.query]]
name = "newest"
fix = ["host"]
rate = "5/s"
"#;

fn trace(design: &Design, text: &str) -> Result<Vec<Kept>, LoadError> {
    let mut kept = Vec::new();
    Trace::new(text.as_bytes(), &design.tables["t"].layout, design.times_of("t")).events(&mut |event| {
        kept.push(Kept::of(&event));
        ControlFlow::Continue(())
    })?;
    Ok(kept)
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Events as a trace, with keys in hex or with the fields of the key.
fn written(events: &[Kept], layout: &LayoutBuf, json: bool, fields: bool) -> String {
    let mut text = String::new();
    if !json {
        text += if fields { "op,t_ms,host,at,bytes,batch,limit\n" } else { "t_ms,op,key,end,bytes,batch\n" };
    }
    for event in events {
        let Kept { t_ms, batch, op, bytes, .. } = event;
        let end = event.end.as_ref().map_or(String::new(), |end| hex(end));
        if fields {
            // Of a scan, the host alone.
            let values =
                layout.decode(&event.key).or_else(|_| layout.decode(&[&event.key[..], &[0; 8]].concat())).unwrap();
            let (host, at) = (values[0].to_json(), values[1].to_json());
            let at = if *op == "scan" { serde_json::Value::Null } else { at };
            text += &match json {
                true => format!(
                    "{{\"op\":\"{op}\",\"t_ms\":{t_ms},\"host\":{host},\"at\":{at},\"bytes\":{bytes},\"batch\":{batch}}}\n"
                ),
                false => format!(
                    "{op},{t_ms},{},{},{bytes},{batch},\n",
                    host.as_str().unwrap(),
                    at.as_str().unwrap_or_default()
                ),
            };
        } else {
            let key = hex(&event.key);
            text += &match json {
                true if end.is_empty() => {
                    format!(
                        "{{\"t_ms\":{t_ms},\"op\":\"{op}\",\"key\":\"{key}\",\"bytes\":{bytes},\"batch\":{batch}}}\n"
                    )
                }
                true => format!(
                    "{{\"t_ms\":{t_ms},\"op\":\"{op}\",\"key\":\"{key}\",\"end\":\"{end}\",\"batch\":{batch}}}\n"
                ),
                false => format!("{t_ms},{op},{key},{end},{bytes},{batch}\n"),
            };
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_trace_of_events_is_those_events(seed: u64, json: bool, fields: bool, rows_per_call in 1u64..4) {
        let events = events(TEXT, &Options { seed, seconds: 3.0, rows_per_call, ..Options::default() });
        prop_assert!(events.len() > 300);
        let design = design(TEXT);
        let read = trace(&design, &written(&events, &design.tables["t"].layout, json, fields)).unwrap();
        let other = read.iter().zip(&events).find(|(read, given)| read != given);
        prop_assert!(other.is_none() && read.len() == events.len(), "{:?}", other);
    }

    #[test]
    fn no_bytes_of_a_trace_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), json: bool) {
        let design = design(TEXT);
        let start: &[u8] = if json { b"{\"t_ms\": 1, \"op\":" } else { b"t_ms,op,key,end,host\n" };
        let text = [start, &bytes].concat();
        _ = Trace::new(&text[..], &design.tables["t"].layout, design.times_of("t")).events(&mut |_| ControlFlow::Continue(()));
    }
}

#[test]
fn a_bad_line_is_told_with_its_place() {
    let design = design(TEXT);
    let key =
        hex(&design.tables["t"].layout.encode(&[rowkey::Value::Text("a".into()), rowkey::Value::Signed(5)]).unwrap());
    let csv = |lines: &str| format!("t_ms,op,key\n5,put,{key}\n{lines}\n");
    let cases = [
        (csv("7,put,0g"), "line 3, column 3 (`key`): this is not hex: 'g' at 2"),
        (csv("7,put,000"), "line 3, column 3 (`key`): this is not hex: half a byte at its end"),
        (csv("7,put,00"), "line 3, `key`: it is no key of the design: "),
        (csv("7,upsert,00"), "line 3, column 2 (`op`): \"upsert\" is none of put, delete, get, scan, increment"),
        (csv("-1,put,00"), "line 3, column 1 (`t_ms`): \"-1\" is not a whole number"),
        (csv(&format!("4,put,{key}")), "line 3, `t_ms`: 4 is before 5, the time of the line before"),
        (csv(",put,00"), "line 3, `t_ms`: there is none"),
        (csv("7,put"), "line 3, column 3: the line has 2 columns, the first has 3"),
        (csv("7,put,"), "line 3, `key`: it is no key of the design: "),
        ("t_ms,op,kee\n".to_owned(), "line 1, column 3 (`kee`): there is no such column; known: t_ms, op, key, "),
        ("t_ms,op,host\n1,put,a\n".to_owned(), "line 2, the fields: "),
        (
            "t_ms,op,host,at\n1,put,a,2026-13-01\n".to_owned(),
            "line 2, column 4 (`at`): \"2026-13-01\" is not of its type, i64: write milliseconds since 1970, or \
             2026-01-31T12:00:00Z, or 2026-01-31",
        ),
        (
            "{\"t_ms\":1,\"op\":\"scan\",\"host\":\"a\",\"at\":\"today\"}".to_owned(),
            "line 1, `at`: \"today\" is not of its type, i64: write milliseconds since 1970, or ",
        ),
        (csv(&format!("7,put,{}", "0".repeat(1 << 20))), "line 3, column 1: the line has 1048576 bytes or more"),
        (
            format!("t_ms,op,key\n5,put,\"{}", "\n".repeat(1 << 21)),
            "line 2, column 1: the line has 1048576 bytes or more",
        ),
        ("x".repeat(1 << 20), "line 1, column 1: the line has 1048576 bytes or more"),
        ("t_ms,op,bytes\n1,put,3\n".to_owned(), "line 2, the fields: the line has no `key`, and no field of it"),
        ("t_ms,op,key\n".to_owned(), "the trace has no events"),
        (String::new(), "the trace has no events"),
        ("{\"t_ms\": 1, \"op\": \"put\", \"kee\": 1}".to_owned(), "line 1, column 30: `kee`: there is no such column"),
        ("\n{\"t_ms\": 1, \"op\": 3}".to_owned(), "line 2, column 19: `op`: invalid type: integer `3`"),
        ("{\"t_ms\": 1".to_owned(), "line 1, column 11: the line ends in an object: write one object a line"),
        ("{\n\"t_ms\": 1,\n".to_owned(), "line 1, column 2: the line ends in an object: write one object a line"),
        ("{\"t_ms\": 1, \"op\":\n".to_owned(), "line 1, column 18: the line ends in an object"),
        ("\n[{\"t_ms\": 1}]".to_owned(), "line 1, column 1: this is an array: write one object a line"),
        (
            "{\"t_ms\": \"0\"}".to_owned(),
            "line 1, column 12: `t_ms`: invalid type: string \"0\", expected a whole number",
        ),
        ("{\"t_ms\": 1, \"bytes\": -1}".to_owned(), "line 1, column 23: `bytes`: invalid value"),
        (
            format!("{{\"t_ms\":1,\"op\":\"scan\",\"key\":\"{key}\",\"end\":\"00\"}}"),
            "line 1, `end`: it is not after `key`",
        ),
        (
            format!("{{\"t_ms\":1,\"op\":\"put\",\"key\":\"{key}\",\"host\":\"a\"}}"),
            "line 1, `key`: the line has fields",
        ),
        ("t_ms,op,host,at\n1,scan,,7\n".to_owned(), "line 2, the fields: `host` is missing"),
        ("{\"t_ms\":1,\"op\":\"scan\",\"at\":7}".to_owned(), "line 1, the fields: `host` is missing"),
        (
            "t_ms,op,host,at,end\n1,scan,a,,ff\n".to_owned(),
            "line 2, `end`: a scan by fields reads all rows that have them",
        ),
        (format!("t_ms,op,key,end\n1,get,{key},ff\n"), "line 2, `end`: a scan alone has one"),
        (format!("t_ms,op,key,limit\n1,put,{key},3\n"), "line 2, `limit`: a scan alone has one"),
        (format!("\u{feff}\u{feff}{}", csv("")), "line 1, column 1: this is a second byte order mark"),
        ("null\n{\"t_ms\":1}".to_owned(), "line 1, column 4: invalid type: null, expected an object with `t_ms`"),
        ("\n 12 \n".to_owned(), "line 2, column 3: invalid type: integer `12`, expected an object"),
        ("\n \nt_ms,op,kee\n".to_owned(), "line 3, column 3 (`kee`): there is no such column"),
    ];
    for (text, expected) in cases {
        let error = trace(&design, &text).expect_err(&text).to_string();
        assert!(error.starts_with(expected), "{expected}: {error}");
    }
}

/// A trace is read in blocks on several threads: records of several lines stay whole, and lines are counted on.
#[test]
fn a_long_trace_is_read_as_a_short_one() {
    const LINES: usize = 60_000;
    let design = design(TEXT);
    let host = |n: usize| {
        if n.is_multiple_of(3) { format!("a{n},\n\"b\"\r\n{}", "c".repeat(n % 90)) } else { format!("d{n}") }
    };
    let batch = |n: usize| n / 5;
    let json = |n: usize| {
        let host = serde_json::Value::from(host(n));
        format!("{{\"t_ms\":{n},\"op\":\"put\",\"host\":{host},\"at\":7,\"batch\":{}}}", batch(n))
    };
    let csv = |n: usize| format!("{n},put,\"{}\",7,{}", host(n).replace('"', "\"\""), batch(n));
    let head = "t_ms,op,host,at,batch".to_owned();
    let text = |end: &str, lines: &mut dyn Iterator<Item = String>| {
        lines.flat_map(|line| [line, end.to_owned()]).collect::<String>()
    };
    let of_json = trace(&design, &text("\n", &mut (0..LINES).map(json))).unwrap();
    assert!(of_json.len() == LINES && of_json.last().unwrap().batch == batch(LINES) as u64 - 1);
    for end in ["\n", "\r\n", "\r", "\n\n"] {
        let text = text(end, &mut std::iter::once(head.clone()).chain((0..LINES).map(csv)));
        assert!(text.len() > 2 << 20);
        assert_eq!(
            trace(&design, &text).unwrap().iter().zip(&of_json).position(|(csv, json)| csv != json),
            None,
            "{end:?}"
        );
        let lines = text.matches('\n').count() + 1;
        let error = trace(&design, &format!("{text}7,put,e,7,")).unwrap_err().to_string();
        assert_eq!(error, format!("line {lines}, `t_ms`: 7 is before 59999, the time of the line before"), "{end:?}");
    }
}

/// A byte order mark is one of the text, but for the first of a trace.
#[test]
fn a_byte_order_mark_in_a_trace_is_one_of_a_value() {
    let design = design(TEXT);
    let keys = |text: &str| trace(&design, text).unwrap().into_iter().map(|event| event.key).collect::<Vec<_>>();
    let text = "host,at,t_ms,op\n\u{feff}a,1,0,put\n\u{feff}a,1,9,get\n";
    let [put, get] = &keys(text)[..] else { panic!("{text}") };
    assert!(put == get && put[1..].starts_with("\u{feff}a".as_bytes()), "{put:?} {get:?}");
    let error = trace(&design, "t_ms,op,host,at\n\u{feff}0,put,a,1\n").unwrap_err().to_string();
    assert!(error.starts_with("line 2, column 1 (`t_ms`): "), "{error}");
    let error = trace(&design, &("\n".repeat(1 << 20) + "t_ms,op,host,at\n0,put,a,1\n")).unwrap_err().to_string();
    assert_eq!(error, "line 1, column 1: the line has 1048576 bytes or more");
}

#[test]
fn blanks_are_cut_off_all_but_text() {
    let design = design(TEXT);
    let plain = "t_ms,op,host,at,bytes,limit\n5,put,a,7,3,\n6,scan,a,,,2\n";
    let blanks = "\u{feff} t_ms , op,host, at,bytes , limit\n \n 5, put ,a, 7 , 3 ,\n\t\n6 ,scan,a, , , 2\n  \n";
    let read = |text: &str| trace(&design, text).unwrap();
    assert_eq!(read(plain), read(blanks));
    // A host may begin with a blank.
    assert_ne!(read(plain), read(&plain.replace("put,a", "put, a")));
    let key = hex(&read(plain)[0].key);
    let by_key = |key: &str| read(&format!("t_ms,op,key\n1,put,{key}\n"));
    assert_eq!(by_key(&key), by_key(&format!(" {key} ")));
}

/// In a scan as in a put, an optional field that has no value before one that has is none.
#[test]
fn first_fields_of_a_scan_may_be_none() {
    let design = design("format = 1\n[table.t]\nkey = [\"team: option<u8>\", \"user: u8\", \"at: u8\"]\n");
    let keys = |lines: &str| {
        let events = trace(&design, &format!("t_ms,op,team,user,at\n{lines}")).unwrap();
        events.into_iter().map(|event| (event.op, event.key)).collect::<Vec<_>>()
    };
    let read = keys("1,put,,4,5\n2,scan,,4,\n3,scan,3,4,\n");
    assert!(read.len() == 3 && read[0].1.starts_with(&read[1].1) && read[1].1.len() == read[0].1.len() - 1, "{read:?}");
    assert!(!read[0].1.starts_with(&read[2].1), "{read:?}");
}

#[test]
fn keys_are_no_longer_than_those_of_the_engine() {
    let design = design("format = 1\n[table.t]\nkey = [\"name: text\"]\n");
    let layout = &design.tables["t"].layout;
    let told = |engine, text: &str| {
        let mut trace = Trace::new(text.as_bytes(), layout, design.times_of("t")).engine(engine);
        trace.events(&mut |_| ControlFlow::Continue(())).err().map(|error| error.to_string())
    };
    let csv = |line: &str| format!("t_ms,op,key,name,end\n{line}\n");
    // The last field of a key has all bytes to its end.
    let overhead = layout.encode(&[rowkey::Value::Text(String::new())]).unwrap().len();
    for (engine, most) in [(Engine::HBase, 32_767), (Engine::Bigtable, 4096), (Engine::TiKv, 200_000)] {
        for (bytes, is_taken) in [(most, true), (most + 1, engine == Engine::TiKv)] {
            let name = "a".repeat(bytes - overhead);
            let key = hex(&layout.encode(&[rowkey::Value::Text(name.clone())]).unwrap());
            let fields = format!("{{\"t_ms\":0,\"op\":\"put\",\"name\":\"{name}\"}}");
            for text in [csv(&format!("0,get,{key},,")), csv(&format!("0,scan,00,,{key}")), fields] {
                let error = told(engine, &text);
                assert_eq!(error.is_none(), is_taken, "{engine} {bytes}: {error:?}");
                assert!(error.is_none_or(|error| error.contains(&format!("the key has {bytes} bytes, and one of "))));
            }
        }
    }
}

/// Events of so many kinds of rows: one that is written each other time, others that are written and deleted once.
struct Queue(u64);

impl Load for Queue {
    fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
        for n in 0..self.0 {
            let (op, number) = match n % 4 {
                0 | 2 => (Op::Put, 0),
                1 => (Op::Put, n),
                _ => (Op::Delete, n - 2),
            };
            let event = |op, key| Event { t_ms: n, batch: n, op, key, bytes: 1, weight: 1 };
            let read = event(Op::Scan { end: None, limit: None, reverse: false, few: None, most: None }, &[]);
            if n % 8 == 0 && sink(read).is_break() || sink(event(op, &u64::to_be_bytes(number))).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[test]
fn a_sample_has_rows_with_their_deletes_and_as_many_events() {
    const ALL: u64 = 400_000;
    let sample = |most, expected| all(&mut Sampled::new(Queue(ALL), most, expected));
    assert_eq!(sample(ALL * 2, 0), all(&mut Queue(ALL)));
    for (most, expected) in [(20_000, ALL), (20_000, 0), (1, 0), (50_000, ALL / 4)] {
        let kept = sample(most, expected);
        assert_eq!(kept, sample(most, expected));
        let levels = u64::from((ALL / most).ilog2());
        assert!((kept.len() as u64) < most * 2 + most * levels / 4 + 2 * levels, "{most}: {}", kept.len());
        if most == 1 {
            continue;
        }
        let weight = |is: &dyn Fn(&Kept) -> bool| kept.iter().filter(|event| is(event)).map(|event| event.weight).sum();
        let near = |found: u64, expected: u64| assert!(found.abs_diff(expected) < expected / 20, "{found} {expected}");
        let is_hot = |event: &Kept| event.key == [0; 8];
        near(weight(&|event| event.op == "scan"), ALL / 8);
        near(weight(&|event| is_hot(event) && event.op == "put"), ALL / 2);
        near(weight(&|event| !is_hot(event) && event.op == "put"), ALL / 4);
        near(weight(&|event| event.op == "delete"), ALL / 4);
        if expected == ALL {
            let keys = |op| kept.iter().filter(move |event| event.op == op && !is_hot(event)).map(|event| &event.key);
            assert!(keys("put").eq(keys("delete")));
        }
    }
}

/// Rows that are put and deleted again and again: what is there at a time is as much in a sample.
#[test]
fn a_sample_has_the_deletes_of_the_rows_that_are_written_most() {
    const KEYS: u64 = 99;
    struct Ring;
    impl Load for Ring {
        fn events(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Result<(), LoadError> {
            for n in 0..400_000 {
                let (op, number) = if n % 2 == 0 { (Op::Put, n / 2) } else { (Op::Delete, n / 2) };
                let key = (number % KEYS).to_be_bytes();
                if sink(Event { t_ms: n, batch: n, op, key: &key, bytes: 1, weight: 1 }).is_break() {
                    break;
                }
            }
            Ok(())
        }
    }
    for most in [10_000, 100_000] {
        let (mut there, mut puts) = (std::collections::HashMap::new(), 0);
        for event in all(&mut Sampled::new(Ring, most, 400_000)) {
            let of_key = there.entry(event.key).or_insert(0_i64);
            let weight = event.weight as i64;
            *of_key += if event.op == "put" { weight } else { -weight };
            puts += if event.op == "put" { weight } else { 0 };
            // One may be left of before the row was known as one of these.
            assert!((0..=2 * weight).contains(of_key), "{most}: {of_key}");
        }
        assert!((puts - 200_000).abs() < 10_000, "{most}: {puts}");
    }
}

#[test]
fn a_log_has_the_times_of_its_keys() {
    let mut of_design = events(TEXT, &Options { seconds: 20.0, writes_alone: true, ..Options::default() });
    of_design.retain(|event| event.op == "put");
    let mut lines: Vec<String> = of_design.iter().map(|event| format!("{}\t12", hex(&event.key))).collect();
    let design = design(TEXT);
    let table = &design.tables["t"];
    let facts = KeyFacts::of(table, None);
    let read = |lines: &[String], most| {
        let text = lines.join("\n");
        let parse = |text: &str, key: &mut Vec<u8>| {
            KeyForm::Hex.parse_to(text, &table.layout, key).map_err(|error| error.to_string())
        };
        Log::read(text.as_bytes(), parse, &facts, 10.0, most, |_, _| {})
    };
    let keys = |events: &[Kept]| events.iter().map(|event| (event.t_ms, event.key.clone())).collect::<Vec<_>>();
    let as_written = all(&mut read(&lines, 10_000).unwrap());
    assert_eq!(keys(&as_written), keys(&of_design));
    assert!(as_written.iter().all(|event| event.bytes == 12 && event.weight == 1));
    // A scan of the table has its rows in another order.
    lines.sort();
    assert_eq!(keys(&all(&mut read(&lines, 10_000).unwrap())), keys(&of_design));
    let some = all(&mut read(&lines, 1000).unwrap());
    let rows: u64 = some.iter().map(|event| event.weight).sum();
    assert!(some.len() <= 1000 && rows.abs_diff(2000) < 300 && some.is_sorted_by_key(|event| event.t_ms), "{rows}");
    assert!(read(&["00".to_owned()], 10).is_err_and(|error| error.to_string().contains("1 do not decode")));
    assert!(read(&["0g".to_owned()], 10).is_err_and(|error| error.to_string().starts_with("line 1, the key: ")));
}

#[test]
fn a_log_without_times_goes_at_the_rate() {
    let text = "format = 1\n[table.t]\nkey = [\"id: u64\"]\n";
    let design = design(text);
    let table = &design.tables["t"];
    let facts = KeyFacts::of(table, None);
    let parse = |text: &str, key: &mut Vec<u8>| {
        KeyForm::Json.parse_to(text, &table.layout, key).map_err(|error| error.to_string())
    };
    let mut log = Log::read(&b"[9]\n[4]\n[7]\n"[..], parse, &facts, 4.0, 10, |_, _| {}).unwrap();
    assert!(!log.has_times);
    let given: Vec<_> = all(&mut log).iter().map(|event| (event.t_ms, event.key[7])).collect();
    assert_eq!(given, [(0, 9), (250, 4), (500, 7)]);
}

#[test]
fn keys_that_are_made_are_the_same_each_time() {
    let made = Generated::of(TEXT, 3, 500).unwrap();
    let keys = made.keys().unwrap();
    assert_eq!(keys.len(), 500);
    let mut written = events(TEXT, &Options { seed: 3, seconds: 10.0, ..Options::default() });
    written.retain(|event| event.op == "put");
    assert!(written.iter().map(|event| &event.key).take(500).eq(&keys));
    let more = Generated::of(TEXT, 3, 501).unwrap();
    assert!(more.digest != made.digest && more.keys().unwrap()[..500] == keys);
    assert!(Generated { seed: 4, ..made.clone() }.keys().is_err_and(|error| error.to_string().contains("digest")));
    assert!(Generated::of("format = 2", 0, 1).is_err());
    // Sorted rows are sorted among these.
    let sorted = TEXT.replace("rate = \"100/s\"", "rate = \"100/s\"\norder = \"key\"");
    let sorted = Generated::of(&sorted, 3, 500).unwrap().keys().unwrap();
    assert!(sorted.is_sorted() && sorted.len() == 500 && sorted[0][0] == 0 && sorted[499][0] == 3);
}

#[test]
fn the_traces_of_the_documentation_are_read() {
    let page = include_str!("../../../../docs/design-tool.md");
    let block = |language: &str| {
        let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
        rest.split_once("```").unwrap().0
    };
    let design = design("format = 1\n[table.t]\nkey = [\"host: text\", \"at: i64\"]\nmeans.at = \"milliseconds\"\n");
    let csv = trace(&design, block("csv")).unwrap();
    let of: Vec<_> = csv.iter().map(|event| (event.op, event.t_ms, event.batch, event.bytes)).collect();
    assert_eq!(of, [("put", 0, 0, 120), ("put", 0, 0, 80), ("get", 40, 1, 0), ("scan", 55, 2, 0)]);
    assert!(csv[0].key == csv[2].key && csv[0].key.starts_with(&csv[3].key));
    assert_eq!(trace(&design, block("json")).unwrap()[0].bytes, 120);
}

#[test]
fn a_load_on_a_thread_of_its_own_is_the_same() {
    let options = Options { seconds: 3000.0, ..Options::default() };
    let design = design(TEXT);
    let cluster = design.clusters.values().next().map(|cluster| &cluster.value);
    let drawn = || Drawn::new(&design, "t", None, cluster, None, &options).unwrap();
    let alone = all(&mut drawn());
    assert!(alone.len() > 10_000 && alone.iter().any(|event| event.op != "put"), "{}", alone.len());
    assert_eq!(all(&mut Ahead(drawn())), alone);
    let mut taken = 0;
    let some = Ahead(drawn()).events(&mut |_| {
        taken += 1;
        if taken == 5000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(some.is_ok() && taken == 5000);
    // What was read before a line that is none is given.
    let (mut given, text) = (0, "t_ms,op,key\n0,put,00\n");
    let layout = "u8".parse().unwrap();
    let error =
        Ahead(Trace::new(format!("{text}1,put,zz\n").as_bytes(), &layout, design.times_of("t"))).events(&mut |_| {
            given += 1;
            ControlFlow::Continue(())
        });
    assert!(matches!(error, Err(LoadError::Line { line: 3, .. })) && given == 1, "{error:?}, {given}");
}
