//! The reads that a simulation counts: those of the declared rate, whatever its events stand for.

use rowkey_design::{CheckOptions, Date};
use rowkey_simulate::recording::Run;
use rowkey_simulate::simulation::{Declared, Options};

use super::design;

/// The runs of a design's table with so many events each, and the ranges of its first query.
fn runs(text: &str, options: &[Options]) -> (Vec<Run>, f64) {
    let design = design(text);
    let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
    let declared = Declared::of(&design, "t", None, &check).unwrap_or_else(|error| panic!("{error}"));
    let run = |options| declared.simulate(options, |_| {}).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (_, costs) = design.query_costs(&check).next().unwrap();
    (options.iter().map(run).collect(), costs.first().map_or(0, |cost| cost.range_count()) as f64)
}

fn reads(run: &Run) -> f64 {
    run.intervals.iter().flat_map(|interval| &interval.servers).map(|server| server.reads as f64).sum()
}

fn text(cluster: &str, servers: u32, table: &str, rate: f64, query: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\n{cluster}\nservers = {servers}\n[table.t]\n{table}\n\
         [[table.t.write]]\nname = \"w\"\nrate = \"{rate}/s\"\n{query}"
    )
}

#[test]
fn reads_are_those_of_the_rate_whatever_the_events_stand_for() {
    const SECONDS: f64 = 4000.0;
    let salted = |buckets: u32, key: &str| {
        format!(
            "key = [{key}]\nsalt = {{ buckets = {buckets} }}\nsplits = \"buckets\"\nstats.host = {{ distinct = 300 }}"
        )
    };
    let time_first = salted(16, "\"at: instant\", \"host: u32\"");
    let within = salted(4, "\"host: u32\", \"at: instant\"");
    let queries = [
        (&time_first, "order = \"newest\"\nrecent = \"1 h\"\nlimit = 1"),
        (&time_first, "order = \"oldest\"\nlimit = 1"),
        (&time_first, "range.at = \"5 min\"\norder = \"newest\"\nlimit = 1"),
        (&within, "fix = [\"host\"]\norder = \"newest\"\nrecent = \"10 min\"\nlimit = 1"),
        (&within, "fix = [\"host\"]\nrange.at = \"1 h\"\nlimit = 1"),
        (&within, "among.host = 300\norder = \"newest\"\nlimit = 1"),
        (&within, "among.host = 7\nrecent = \"1 s\"\nlimit = 1"),
        (&within, "limit = 1"),
    ];
    for (at, (table, query)) in queries.into_iter().enumerate() {
        // Regions are split and expire while it is read.
        let more = "\n[table.t.family.v]\nttl = \"30 min\"\ncolumns = [\"x\"]\nsizes = { x = \"100 B\" }\n";
        let query = format!("[[table.t.query]]\nname = \"q\"\nrate = \"3/s\"\n{query}\n");
        let table = format!("{table}{more}");
        let text =
            text("engine = \"hbase\"\nregion.max = \"200 kB\"\nregion.flush = \"20 kB\"", 4, &table, 5.0, &query);
        // The last are row by row.
        let events = [1000, 4000, 1_000_000];
        let options = events.map(|most| Options { most, seconds: SECONDS, ..Options::default() });
        let (runs, ranges) = runs(&text, &options);
        for (run, most) in runs.iter().zip(events) {
            let part = reads(run) / (3.0 * SECONDS * ranges);
            // The first event finds no row yet.
            assert!((0.998..=1.0001).contains(&part), "{at} with {most} events: {part} of {ranges} ranges");
        }
    }
}

#[test]
fn an_even_load_is_even_however_many_servers_have_it() {
    for servers in [16, 64, 256] {
        let table = format!(
            "key = [\"host: u64\", \"at: instant\"]\nsalt = {{ buckets = {servers} }}\nsplits = \"buckets\"\n\
             stats.host = {{ distinct = \"100M\" }}"
        );
        let query = "[[table.t.query]]\nname = \"q\"\nfix = [\"host\", \"at\"]\nrate = \"5k/s\"\n";
        let text = text("engine = \"hbase\"\nregion.split = \"disabled\"", servers, &table, 5000.0, query);
        let design = design(&text);
        let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
        let (report, (_, costs)) = (design.check(&check), design.query_costs(&check).next().unwrap());
        let declared = Declared::of(&design, "t", None, &check).unwrap();
        let run = declared.simulate(&Options { most: 150_000, ..Options::default() }, |_| {}).unwrap();
        let found = rowkey_simulate::answer::answer(&declared, &run, &[], &report, &costs, &[]);
        for share in [found.busiest_server, found.busiest_reader.unwrap()] {
            let part = share.of_run * f64::from(servers);
            // By chance alone one of 256 would have an eighth more.
            assert!((0.98..1.02).contains(&part), "{servers}: {part}");
        }
    }
}

#[test]
fn ranges_of_an_engine_that_is_not_simulated_are_the_same_however_long_the_run() {
    let table = |rows: &str| format!("key = [\"user: u64\"]\nmeans.user = \"random\"\nrows = \"{rows}\"");
    let of = |rows: &str, more: &str, seconds: f64| {
        let text = text(&format!("engine = \"bigtable\"\n{more}"), 4, &table(rows), 100.0, "");
        let (mut runs, _) = runs(&text, &[Options { seconds, most: 2000, ..Options::default() }]);
        let regions = runs.remove(0).intervals.pop().unwrap().regions;
        regions.into_iter().map(|region| region.start).collect::<Vec<_>>()
    };
    let day = of("1G", "", 86_400.0);
    assert!(day.len() > 10, "{}", day.len());
    for seconds in [600.0, 3600.0, 7.0 * 86_400.0] {
        assert_eq!(of("1G", "", seconds), day, "{seconds}");
    }
    assert_eq!(of("250", "", 3600.0).len(), 1);
    // Of half the size there are twice as many.
    let half = of("1G", "region.max = \"100 MB\"", 3600.0).len();
    assert!(half.abs_diff(2 * day.len()) <= 1, "{half} {}", day.len());
}

/// Counters are incremented, not added: a range has no more rows than its keys can have values, however many writes
/// they got, in one region or in several, in one scan or in one of all.
#[test]
fn a_range_has_no_more_rows_than_keys() {
    const SECONDS: f64 = 1000.0;
    let counters = |unique: &str, splits: &str| {
        format!(
            "key = [\"shop: u32\", \"day: i64\"]\nmeans.day = \"time bucket\"\nrows = \"20k\"\n{unique}\n{splits}\n\
             stats.shop = {{ distinct = 40 }}\nstats.day = {{ distinct = 500, bucket = \"1 day\" }}"
        )
    };
    let month = "fix = [\"shop\"]\nrange.day = \"30 days\"\norder = \"newest\"";
    for engine in ["hbase", "cockroachdb"] {
        let cluster = format!("engine = \"{engine}\"");
        for (unique, splits) in
            [("unique = \"upsert\"", ""), ("", ""), ("", "splits = { keys = [\"0000000a\", \"00000014\"] }")]
        {
            for (query, rows) in [(month, 31.0), ("", 20_000.0), ("range.shop = 20", 10_000.0)] {
                let query = format!("[[table.t.query]]\nname = \"q\"\nrate = \"0.1/s\"\n{query}\n");
                let text = text(&cluster, 4, &counters(unique, splits), 200.0, &query);
                let design = design(&text);
                let check = CheckOptions::new(Date { year: 2026, month: 1, day: 31 });
                let counted = design.query_costs(&check).next().unwrap().1[0].rows_read.unwrap();
                assert!(counted <= rows, "{counted} rows of {rows}\n{text}");
                for most in [4000, 1_000_000] {
                    let options = Options { most, seconds: SECONDS, ..Options::default() };
                    let (runs, _) = runs(&text, &[options]);
                    let servers = runs[0].intervals.iter().flat_map(|interval| &interval.servers);
                    let read: f64 = servers.map(|server| server.rows_read as f64).sum();
                    let each = read / (0.1 * SECONDS);
                    assert!(each <= 1.02 * counted, "{each} rows of {counted}, {most} events\n{text}");
                }
            }
        }
    }
}
