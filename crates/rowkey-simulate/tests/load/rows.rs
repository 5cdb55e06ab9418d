//! The rows that a query's runs read: those that `check` says, whatever the run is like.

use rowkey_design::{CheckOptions, Date, Design};
use rowkey_simulate::answer::rates::times;
use rowkey_simulate::recording::Run;
use rowkey_simulate::run::Server;
use rowkey_simulate::simulation::{Declared, Options};

use super::design;

const CHECK: Date = Date { year: 2026, month: 1, day: 31 };

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

/// A design of one table with a write and a query.
fn text(table: &str, write: &str, query: &str) -> String {
    format!(
        "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\nregion.max = \"1 MB\"\nregion.flush = \"100 kB\"\n\
         [table.t]\n{table}\n[[table.t.write]]\nname = \"w\"\n{write}\n\
         [[table.t.query]]\nname = \"q\"\nrate = \"60/h\"\n{query}\n"
    )
}

fn run(design: &Design, options: &Options) -> Run {
    let check = CheckOptions::new(CHECK);
    let declared = Declared::of(design, "t", None, &check).unwrap_or_else(|error| panic!("{error}"));
    declared.simulate(options, |_| {}).unwrap_or_else(|error| panic!("{error}"))
}

fn sum(run: &Run, of: impl Fn(&Server) -> u64) -> f64 {
    run.intervals.iter().flat_map(|interval| &interval.servers).map(|server| of(server) as f64).sum()
}

/// The rows that one run of the query reads, by `check`.
fn checked(design: &Design) -> Option<f64> {
    design.query_costs(&CheckOptions::new(CHECK)).next().unwrap().1[0].rows_read
}

/// The rows that one run of the query reads in a simulation.
fn simulated(design: &Design, options: &Options) -> f64 {
    sum(&run(design, options), |server| server.rows_read) / (60.0 / HOUR * options.times * options.seconds)
}

#[test]
fn a_run_reads_the_rows_that_check_says() {
    let by_time = "key = [\"at: i64\", \"seq: u32\"]\nmeans.at = \"milliseconds\"\nstats.seq = { distinct = 1000 }";
    let by_host = "key = [\"host: u32\", \"at: i64 desc\"]\nmeans.at = \"seconds\"\nstats.host = { distinct = 20 }\nsplits = { uniform = 3 }";
    let by_date = "key = [\"day: date['yyyyMMdd']\", \"id: bytes[16]\"]\nmeans.id = \"uuid4\"\n\
                   salt = { buckets = 4, format = \"hex\", by = [\"id\"] }\nsplits = \"buckets\"";
    let kept = "[table.t.family.f]\nttl = \"30 days\"\ncolumns = [\"v\"]\nsizes.v = \"10 B\"";
    let (steady, by_day) = ("rate = \"1/s\"", "rate = \"1/s\"\nshape = \"by day\"");
    let bursts = "rate = \"6/s\"\nshape = \"bursts of 10 min every 1 h\"";
    let cases = [
        (by_time, by_day, "range.at = \"1 h\"\nrecent = \"1 h\"", 2.0 * DAY),
        (by_time, by_day, "range.at = \"1 h\"", 4.0 * DAY),
        (by_time, steady, "range.at = \"1 h\"", 2.0 * DAY),
        (by_time, bursts, "range.at = \"20 min\"\nrecent = \"1 h\"", DAY),
        (by_time, bursts, "range.at = \"20 min\"", DAY),
        (by_host, steady, "fix = [\"host\"]\nrange.at = \"1 h\"\nrecent = \"1 h\"", DAY),
        (by_host, by_day, "fix = [\"host\"]\nrange.at = \"6 h\"", 3.0 * DAY),
        (by_host, steady, "fix = [\"host\"]\nrange.at = \"6 h\"", 2.0 * DAY),
        // Longer than the run.
        (by_host, steady, "fix = [\"host\"]\nrange.at = \"1 day\"\nrecent = \"1 day\"", DAY),
        (by_host, steady, "fix = [\"host\"]\nrange.at = \"7 days\"", 6.0 * HOUR),
        (by_date, steady, "range.day = \"1 day\"", 4.0 * DAY),
        (by_date, steady, "range.day = \"3 days\"", 10.0 * DAY),
    ];
    let mut others = Vec::new();
    for (at, (table, write, query, seconds)) in cases.into_iter().enumerate() {
        let design = design(&text(&format!("{table}\n{kept}"), write, query));
        for factor in [1.0, 2.0] {
            let due = checked(&times(&design, factor)).unwrap();
            for most in [2000, 20_000, 1_000_000] {
                let found = simulated(&design, &Options { most, seconds, times: factor, ..Options::default() });
                let part = found / due;
                if !(0.93..1.07).contains(&part) {
                    others.push(format!("{at} {factor} times, {most} events: {found} rows of {due}"));
                }
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// Few runs read as many rows on average as many do: their times are spread over those of the rate.
#[test]
fn few_runs_read_the_rows_of_many() {
    let write = "rate = \"1/s\"\npeak = \"4/s\"\nshape = \"by day\"";
    let query = |rate: &str| {
        let table = "key = [\"at: i64\", \"seq: u32\"]\nmeans.at = \"milliseconds\"\nstats.seq = { distinct = 1000 }";
        text(table, write, "range.at = \"1 h\"").replace("60/h", rate)
    };
    for (rate, runs) in [("1/h", 24.0), ("2/h", 48.0), ("6/h", 144.0)] {
        let design = design(&query(rate));
        let due = checked(&design).unwrap();
        for seed in 0..5 {
            let run = run(&design, &Options { most: 20_000, seconds: DAY, seed, ..Options::default() });
            let part = sum(&run, |server| server.rows_read) / runs / due;
            assert!((0.9..1.1).contains(&part), "{rate}, seed {seed}: {part}");
        }
    }
}

#[test]
fn a_range_in_which_nothing_is_written_has_no_rows() {
    let table = "key = [\"at: i64\", \"seq: u32\"]\nmeans.at = \"milliseconds\"";
    let write = "rate = \"100/s\"\nshape = \"bursts of 1 h every 6 h\"";
    let text = text(table, write, "range.at = \"20 min\"\nrecent = \"20 min\"");
    let design = design(&text);
    for most in [2000, 100_000] {
        let options = Options { most, seconds: DAY, ..Options::default() };
        let run = run(&design, &options);
        let each = DAY / run.intervals.len() as f64;
        let (mut silent, mut read) = (0, 0);
        for interval in &run.intervals {
            let end = interval.t_ms as f64 / 1000.0;
            let rows: u64 = interval.servers.iter().map(|server| server.rows_read).sum();
            let [start, end] = [end - each, end].map(|time| time.rem_euclid(6.0 * HOUR));
            if start >= 2.0 * HOUR && end > start {
                silent += 1;
                assert_eq!(rows, 0, "{most} events, {} ms", interval.t_ms);
            }
            read += rows;
        }
        assert!(silent > 40 && read > 0, "{silent} {read}");
        // It is looked for all the same.
        let part = sum(&run, |server| server.reads) / (60.0 * 24.0);
        assert!(part > 1.0, "{part}");
    }
}

#[test]
fn rows_that_check_does_not_know_do_not_hang_on_the_events() {
    let sequence = "key = [\"order: u64\", \"line: u16\"]\nmeans.order = \"sequence\"\n\
                    stats.line = { distinct = 4, per = \"order\" }\nsalt = { buckets = 8, by = [\"order\"] }\n\
                    splits = \"buckets\"\nkeep = \"forever\"";
    let host = |stats: &str| {
        format!("key = [\"host: u32\", \"at: i64\"]\nmeans.at = \"seconds\"\nkeep = \"forever\"\n{stats}")
    };
    let cases = [
        (sequence.to_owned(), "fix = [\"order\"]", Some(1.0)),
        (host("stats.host = { distinct = 400 }"), "fix = [\"host\"]", None),
        (host(""), "fix = [\"host\"]", None),
    ];
    for (table, query, due) in cases {
        let design = design(&text(&table, "rate = \"40/s\"", query));
        assert_eq!(checked(&design), due, "{query}");
        let of = |most| simulated(&design, &Options { most, seconds: 4.0 * HOUR, ..Options::default() });
        // The last is row by row.
        let all = [1000, 10_000, 100_000, 1_000_000].map(of);
        let last = all[3];
        assert!(all.iter().all(|rows| (rows / last - 1.0).abs() < 0.07), "{query}: {all:?}");
        assert!(due.is_none_or(|due| (last / due - 1.0).abs() < 0.01), "{query}: {all:?} of {due:?}");
    }
}

/// Numbers that are anywhere among those of the type: a range of a million of them has next to nothing.
#[test]
fn a_range_of_scattered_ids_has_its_part_of_the_rows() {
    let table = "key = [\"id: u64\"]\nmeans.id = \"random\"\nrows = \"10M\"\nunique = \"upsert\"";
    for (ids, least, most) in [("1M", 0.0, 0.001), ("2T", 1.0, 1.2), ("20T", 10.0, 11.0)] {
        let design = design(&text(table, "rate = \"1/s\"\norder = \"random\"", &format!("range.id = \"{ids}\"")));
        let due = checked(&design).unwrap();
        assert!((least..most).contains(&due), "{due} rows of {ids}");
        for events in [1000, 100_000] {
            let found = simulated(&design, &Options { most: events, seconds: DAY, ..Options::default() });
            assert!((found - due).abs() <= 0.05 * due + 1e-3, "{found} of {due} rows, {events} events");
        }
    }
}
