//! Answers about the events of a trace: judged and told with the trace's own rates.

use rowkey_design::internal::cost::bytes_per_row;
use rowkey_design::internal::facts::KeyFacts;
use rowkey_design::internal::forms::Times;
use rowkey_design::{CheckOptions, Date, Design, File};
use rowkey_simulate::answer::{NOTHING, answer, rates};
use rowkey_simulate::load::Trace;
use rowkey_simulate::run::Answer;
use rowkey_simulate::simulation::Declared;

use super::design;

/// The answer about a trace of so many events, one each so many milliseconds, after one before the other.
fn of_trace(text: &str, events: u32, each_ms: f64, op: &str) -> Answer {
    of_keys(text, events, each_ms, op, u64::from)
}

/// The same of other keys.
fn of_keys(text: &str, events: u32, each_ms: f64, op: &str, key: fn(u32) -> u64) -> Answer {
    let line = |n: u32| format!("{},{op},{:016x}\n", (f64::from(n) * each_ms) as u64, key(n));
    let csv: String = std::iter::once("t_ms,op,key\n".to_owned()).chain((0..events).map(line)).collect();
    let (found, label) = of_csv(text, &csv);
    let rate = if op == "put" { found.writes } else { 0.0 };
    assert!((label - rate).abs() < 1e-9, "{label}");
    found
}

/// The answer about a trace, and the rate that it is labelled with.
fn of_csv(text: &str, csv: &str) -> (Answer, f64) {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let declared = Declared::of(&design, "t", None, &check).unwrap();
    let mut trace = Trace::new(csv.as_bytes(), declared.key.layout, Times::default());
    let mut run = declared.run(&mut trace, 0, 1, |_| {}).unwrap();
    let assumed = rates::by_events(&declared, &mut run, "trace");
    assert_eq!(run.settings.load, "t by its trace");
    let costs = design.query_costs(&check).next().unwrap().1;
    let report = rates::of_events(&design, &declared, &run, &costs).check(&check);
    (answer(&declared, &run, &[], &report, &costs, &assumed), run.settings.rows_per_second)
}

/// A sequence, which all goes to one server that takes a hundred a second.
fn sequence(rate: &str) -> String {
    design("\"id: u64\"", "means = { id = \"sequence\" }", 4, rate).replace("10k/s", "100/s")
}

#[test]
fn a_trace_is_judged_by_its_own_rates() {
    // Ten a second, where the design says five thousand; and five hundred, where it says one.
    let calm = of_trace(&sequence("5k/s"), 300, 100.0, "put");
    assert!(calm.sentence.starts_with(NOTHING) && calm.rules.is_empty(), "{}", calm.sentence);
    for declared in ["1/s", "5k/s"] {
        let hot = of_trace(&sequence(declared), 5000, 2.0, "put");
        assert!(hot.saturates.is_some() && hot.rules.contains(&"H03".to_owned()), "{:?}", hot.rules);
        assert!(hot.sentence.contains("(501/s at the peak)") && !hot.sentence.contains("5k/s"), "{}", hot.sentence);
    }
    // A design that says none.
    let unsaid = sequence("5k/s").replace("rate = \"5k/s\"\n", "");
    assert!(of_trace(&unsaid, 300, 100.0, "put").sentence.starts_with(NOTHING));
    assert!(of_trace(&unsaid, 5000, 2.0, "put").sentence.contains("(501/s at the peak)"));
}

#[test]
fn a_trace_is_shared_out_among_writes_and_queries() {
    let more = "[[table.t.write]]\nname = \"other\"\nrate = \"15k/s\"\n\
                [[table.t.query]]\nname = \"q\"\nfix = [\"id\"]\nrate = \"9k/s\"\nskew.id = \"one value\"\n";
    let text = sequence("5k/s").replace("region.writes", "region.reads = \"100/s\"\nregion.writes") + more;
    let written = of_trace(&text, 5000, 2.0, "put");
    assert!(written.sentence.contains("501/s at the peak, all writes together"), "{}", written.sentence);
    // Nothing is read, and so is nothing said of reads.
    assert!(!written.rules.contains(&"H26".to_owned()), "{:?}", written.rules);
    assert!(written.unjudged.is_empty(), "{:?}", written.unjudged);
    let text = text.replace("means = { id = \"sequence\" }", "stats.id = { distinct = \"1M\" }");
    let read = of_trace(&text, 5000, 2.0, "get");
    assert_eq!(read.rules, ["H26"], "{}", read.sentence);
    assert!(read.sentence.contains("H26: \"q\" (501/s) makes 501/s reads"), "{}", read.sentence);
}

#[test]
fn the_table_is_said_to_be_empty_before_a_trace() {
    let found = of_trace(&sequence("5k/s"), 300, 100.0, "put");
    let told = |words: &str| found.assumed.iter().any(|assumed| assumed.contains(words));
    assert!(told("the table is empty before the first event of the trace"), "{:?}", found.assumed);
    assert!(told("at the rates of the trace") && !told("reads a second"), "{:?}", found.assumed);
    // It reads, though no query says a rate.
    let read = of_trace(&sequence("5k/s"), 300, 100.0, "get");
    let unsaid = "a server takes any number of reads a second: say `region.reads = …`";
    assert!(read.assumed.iter().any(|assumed| assumed == unsaid), "{:?}", read.assumed);
}

/// Ids in sixteen ranges, written one after the other, so that chance is the only difference between these.
#[test]
fn a_trace_takes_what_the_server_with_most_ranges_takes() {
    let more = "means.id = \"random\"\nsplits = { uniform = 16 }";
    for (servers, busiest) in [(5, 0.25_f64), (13, 0.125), (30, 0.0625)] {
        for times in [0.8, 1.2] {
            let capacity = (500.0 * busiest / times).round();
            let text = design("\"id: u64\"", more, servers, "1/s").replace("\"hbase\"", "\"bigtable\"");
            let text = text.replace("10k/s", &format!("{capacity}/s"));
            let found = of_keys(&text, 30_000, 2.0, "put", |n| mixed(n.into()));
            let case = format!("{servers} servers, {times} times: {}", found.sentence);
            let taken = found.sustained.unwrap().of_run;
            assert!((taken * busiest / capacity - 1.0).abs() < 0.02, "{case}: {taken}");
            assert_eq!(found.saturates.is_some(), times > 1.0, "{case}");
            assert!(found.saturates.is_none_or(|found| found.part > 0.9 && !found.passes), "{case}");
        }
    }
}

/// A number that looks random, by the finalizer of SplitMix64.
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Keys are of 8 bytes, beside 20 of each cell's lengths, time and type: two columns have both twice, and their names.
#[test]
fn keys_are_a_part_of_the_bytes_of_a_trace() {
    let columns = "[table.t.family.v]\ncolumns = [\"a\", \"b\"]\nsizes = { a = \"50 B\", b = \"50 B\" }\n";
    for (cells, names, columns) in [(1.0, 0.0, ""), (2.0, 4.0, columns)] {
        let text = sequence("5k/s") + columns;
        let of = |bytes: u32| {
            let line = |n: u32| format!("{},put,{n:016x},{bytes}\n", 10 * n);
            let csv: String = std::iter::once("t_ms,op,key,bytes\n".to_owned()).chain((0..300).map(line)).collect();
            of_csv(&text, &csv).0
        };
        for bytes in [1, 8, 100, 1000] {
            let (found, cell) = (of(bytes), 8.0 + 20.0);
            let due = cells * 8.0 / (cells * cell + names + f64::from(bytes));
            assert!((found.keys.unwrap() - due).abs() < 1e-9, "{:?} {due}", found.keys);
            assert_eq!(found.keys_written, found.keys);
        }
    }
    // A trace that says no bytes has those of the design.
    let text = sequence("5k/s") + columns;
    let found = of_trace(&text, 300, 10.0, "put");
    assert!((found.keys.unwrap() - 2.0 * 8.0 / row_bytes(&text)).abs() < 1e-9, "{:?}", found.keys);
}

/// The bytes of all regions after 300 rows a trace says so much of the values of.
fn stored(text: &str, bytes: &str) -> u64 {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let declared = Declared::of(&design, "t", None, &check).unwrap();
    let line = |n: u32| format!("{},put,{n:016x},{bytes}\n", 60_000 * n);
    let csv: String = std::iter::once("t_ms,op,key,bytes\n".to_owned()).chain((0..300).map(line)).collect();
    let run =
        declared.run(&mut Trace::new(csv.as_bytes(), declared.key.layout, Times::default()), 0, 1, |_| {}).unwrap();
    run.intervals.last().unwrap().regions.iter().map(|region| region.bytes).sum()
}

#[test]
fn a_row_of_a_trace_has_the_bytes_of_the_designs_row_with_its_values() {
    for families in [
        "[table.t.family.v]\ncolumns = [\"a\", \"b\"]\nsizes = { a = \"50 B\", b = \"70 B\" }\n",
        "[table.t.family.family]\ncolumns = [\"a long name\"]\nsizes = { \"a long name\" = \"120 B\" }\n",
        "[table.t.family.v]\nsizes = { a = \"20 B\", bcd = \"30 B\" }\n[table.t.family.w]\nsizes = { e = \"70 B\" }\n",
    ] {
        let text = sequence("5k/s") + families;
        let (said, unsaid) = (stored(&text, "120"), stored(&text, ""));
        assert!(said > 0 && said == unsaid, "{families}: {said} {unsaid}");
        assert!(stored(&text, "121") > said);
    }
}

fn row_bytes(text: &str) -> f64 {
    let design = Design::parse([File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() }]).unwrap();
    let table = &design.tables["t"];
    bytes_per_row(table, &KeyFacts::of(table, None), &[])
}

#[test]
fn a_trace_is_as_long_as_its_events_are() {
    for (rows, apart_ms) in [(2700, 11.13), (300, 100.0), (700, 1500.0), (50, 1.0), (1, 1.0)] {
        let found = of_trace(&sequence("5k/s"), rows, apart_ms, "put");
        let due = f64::from(rows) / (f64::from(rows - 1) * apart_ms / 1000.0).max(1.0);
        assert!((found.writes / due - 1.0).abs() < 2e-3, "{rows} {apart_ms}: {} {due}", found.writes);
    }
}
