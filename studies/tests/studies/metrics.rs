use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use proptest::collection::vec;
use proptest::prelude::*;
use rowkey::List;
use rowkey::wide::{Columns, Mutation};
use rowkey_studies::engine::Db;
use rowkey_studies::series::tsdb;

use crate::{
    NONE, Visit, log_files, made_log, nobody_reads, number, output, place, real, run, temporary, told, visits,
};

const SAMPLE: &str = include_str!("../../data/temperatures.tsv");
const DAY: i64 = 86_400;

type Tag = (String, String);
/// Metric and tags → second → value.
type All = BTreeMap<(String, Vec<Tag>), BTreeMap<i64, f64>>;
/// The tags of a point, the first second that it is summed up with, its value.
type Point<'a> = (&'a Vec<Tag>, i64, f64);

fn tag(name: &str, value: &str) -> Tag {
    (name.to_owned(), value.to_owned())
}

fn temperatures(lines: &str) -> All {
    let mut all = All::new();
    for line in lines.lines().skip(1) {
        let [city, at, value] = line.split('\t').collect::<Vec<_>>()[..] else { unreachable!() };
        let at = at.parse::<DateTime>().unwrap().to_zoned(TimeZone::UTC).unwrap().timestamp().as_second();
        let series = ("temperature".to_owned(), vec![tag("city", city), tag("unit", "fahrenheit")]);
        all.entry(series).or_default().insert(at, value.parse().unwrap());
    }
    all
}

fn hits<'v>(visits: impl IntoIterator<Item = (&'v Visit, &'v str)>, all: &mut All) {
    for (visit, status) in visits {
        let method = visit.request.split(' ').next().unwrap();
        for (metric, value) in [("web.hits", 1.0), ("web.bytes", visit.size as f64)] {
            let series = (metric.to_owned(), vec![tag("status", status), tag("method", method)]);
            *all.entry(series).or_default().entry(visit.at.as_second()).or_default() += value;
        }
    }
}

/// A line that sums up the points of some hours, and what was printed for it.
fn same(printed: &str, group: &str, from: &str, points: &[f64]) {
    let rest = printed
        .strip_prefix(&format!("{group}{from}  "))
        .unwrap_or_else(|| panic!("{printed:?} not of {group:?}, {from}"));
    let words: Vec<_> = rest.split_whitespace().collect();
    let [count, "points", "min", min, "mean", mean, "max", max, "sum", sum] = words[..] else { panic!("{rest:?}") };
    assert_eq!(count, points.len().to_string(), "{printed}");
    let total: f64 = points.iter().sum();
    let least = points.iter().copied().fold(f64::INFINITY, f64::min);
    let most = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (printed, due) in [(min, least), (mean, total / points.len() as f64), (max, most), (sum, total)] {
        let found: f64 = printed.parse().unwrap();
        assert!((found - due).abs() <= 0.0501 + due.abs() * 1e-9, "{found} for {due} in {rest:?}");
    }
}

fn check(out: &str, all: &All, from: Option<i64>, days: i64) {
    check_every(out, all, from, days, DAY);
}

fn check_every(out: &str, all: &All, from: Option<i64>, days: i64, every: i64) {
    let metrics: BTreeSet<_> = all.keys().map(|(metric, _)| metric).collect();
    for metric in metrics {
        let of: Vec<_> = all.iter().filter(|(series, _)| series.0 == *metric).map(|((_, tags), p)| (tags, p)).collect();
        let first = of.iter().map(|(_, points)| *points.keys().next().unwrap()).min().unwrap();
        let start = from.unwrap_or(first - first.rem_euclid(DAY));
        let window = start..start + days * DAY;
        let tags = of[0].0;
        let title =
            format!("{metric}, {days} days from {}", Timestamp::from_second(start).unwrap().strftime("%Y-%m-%d"));

        // Rows of so many seconds that have points in the window, and these.
        let inside = |width: i64, wanted: &dyn Fn(&[Tag]) -> bool| {
            let mut rows = BTreeSet::new();
            let mut points = Vec::new();
            for (tags, all) in of.iter().filter(|(tags, _)| wanted(tags)) {
                for (at, value) in all.range(window.clone()) {
                    rows.insert((*tags, at.div_euclid(width)));
                    points.push((*tags, at - at.rem_euclid(every), *value));
                }
            }
            (rows.len() as u64, points)
        };
        let (all_rows, all_points) = inside(3600, &|_| true);
        let alone = |found: &[Point<'_>], by: bool| {
            let mut days = BTreeMap::<(String, i64), Vec<f64>>::new();
            for (tags, day, value) in found {
                let group = if by { format!("{}={}  ", tags[0].0, tags[0].1) } else { String::new() };
                days.entry((group, *day)).or_default().push(*value);
            }
            let mut days: Vec<_> = days.into_iter().collect();
            days.sort_by_key(|((group, day), _)| format!("{group}{}", Timestamp::from_second(*day).unwrap()));
            days
        };
        let some = format!("{}={}", tags[0].0, tags[0].1);
        let whole: Vec<_> = tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for (title, seeks, by, (rows, points)) in [
            (title.clone(), 8, false, (all_rows, all_points.clone())),
            (format!("{title}, {some}"), 8, false, inside(3600, &|other| other[0] == tags[0])),
            (format!("{title}, all tags: {}", whole.join(" ")), 1, false, inside(3600, &|other| other == tags)),
            (format!("{title}, by {}", tags[0].0), 8, true, (all_rows, all_points.clone())),
        ] {
            let told = told(out, &title);
            assert_eq!((told.seeks, told.rows, told.cells), (seeks, rows, points.len() as u64), "{title}");
            if seeks == 8 {
                assert_eq!((told.rows_read, told.cells_read), (all_rows, all_points.len() as u64), "{title}");
            } else {
                // Of the other series those that share the bucket.
                assert!((rows..=all_rows).contains(&told.rows_read), "{title}: {told:?}");
            }
            let due = alone(&points, by);
            assert_eq!(told.lines.len(), due.len(), "{title}");
            for (printed, ((group, day), points)) in told.lines.iter().zip(due) {
                let format = if every % DAY == 0 { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
                same(printed, &group, &Timestamp::from_second(day).unwrap().strftime(format).to_string(), &points);
            }
        }

        if metric == "temperature" {
            continue;
        }
        let stored: u64 = of.iter().map(|(_, points)| points.len() as u64).sum();
        let filled: BTreeSet<_> =
            of.iter().flat_map(|(tags, points)| points.keys().map(move |at| (tags, at.div_euclid(3600)))).collect();
        let (cells, in_window) = (filled.len() as u64, all_rows);
        let costs = costs(out, &format!("{metric} in rows of hours, and what the first query reads"));
        let [written, cells_stored, bytes, cells_read, bytes_read] = costs["a cell a point"];
        assert_eq!([written, cells_stored, cells_read], [stored, stored, all_points.len() as u64], "{metric}");
        let [.., compacted_cells_read, _] = costs["compacted"];
        assert!(compacted_cells_read >= cells_read, "what is deleted is read until it is purged");
        let purged = costs["and purged"];
        assert_eq!([purged[1], purged[3]], [cells, in_window], "a cell a row");
        assert!(purged[2] <= bytes && purged[4] <= bytes_read && (cells == stored || purged[2] < bytes));
        let again = costs["compacted once more"];
        assert_eq!((again[0], &again[1..]), (0, &purged[1..]), "nothing is left to do");
        let mixed = costs["the first tenth sent again"];
        assert_eq!([mixed[0], mixed[1]], [stored / 10, cells + stored / 10]);
        assert_eq!(costs["compacted and purged"][1..], purged[1..], "as if it had not been sent again");
        assert!(out.contains("\n  the answer is the same each time\n"));
    }
}

/// The lines of a table by their first column.
fn costs(out: &str, title: &str) -> BTreeMap<String, [u64; 5]> {
    let lines = out.lines().skip_while(|line| *line != title).skip(4).take_while(|line| line.starts_with('│'));
    let line = |line: &str| {
        let [step, numbers @ ..] = &line.trim_matches('│').split('┆').map(str::trim).collect::<Vec<_>>()[..] else {
            unreachable!()
        };
        ((*step).to_owned(), numbers.iter().map(|text| number(text)).collect::<Vec<_>>().try_into().unwrap())
    };
    lines.map(line).collect()
}

#[test]
fn the_sample() {
    let out = output("metrics", &NONE);
    let all = temperatures(SAMPLE);
    check(&out, &all, None, 7);
    for due in ["│ salt ", "│ metric ", "│ hour ", "│ tags._1 ", "temperature  2010-01-01 00:00  city="] {
        assert!(out.contains(due), "no {due:?} in\n{out}");
    }
    // Ids in the order in which the names came: the first line is of san-francisco.
    for (kind, name, id) in [("metric", "temperature", 1), ("tagk", "unit", 2), ("tagv", "san-francisco", 1)] {
        let line = out.lines().find(|line| line.contains(kind) && line.contains(name)).unwrap();
        assert!(line.contains(&format!("00 00 {id:02x}")), "{line}");
    }
    let from = "2010-03-30T00:00:00Z".parse::<Timestamp>().unwrap().as_second();
    check(&output("metrics", &["--from=2010-03-30", "--days=3"]), &all, Some(from), 3);
    for every in [1, 6, 5, 48, 100_000] {
        let out = output("metrics", &["--from=2010-03-30".to_owned(), "--days=3".into(), format!("--every={every}")]);
        check_every(&out, &all, Some(from), 3, every * 3600);
    }
    // Days that have no points.
    let from = "2012-01-01T00:00:00Z".parse::<Timestamp>().unwrap().as_second();
    check(&output("metrics", &["--from=2012-01-01", "--days=1"]), &all, Some(from), 1);
}

#[test]
fn a_whole_year() {
    let Some((path, lines)) = real("temperatures.tsv.gz") else { return };
    let from = "2010-07-04T00:00:00Z".parse::<Timestamp>().unwrap().as_second();
    let out = output("metrics", &[path.to_str().unwrap(), "--from=2010-07-04", "--days=2"]);
    check(&out, &temperatures(&lines), Some(from), 2);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (path, log) in log_files() {
        let visits = visits(&log);
        let statuses = log.lines().map(|line| line.split('"').nth(2).unwrap().split(' ').nth(1).unwrap());
        let day = visits[0].at.strftime("%Y-%m-%d");
        let one = format!("city\ttime\tfahrenheit\nhere\t{day}T00:00:00\t1\n");
        let mut all = temperatures(&one);
        hits(visits.iter().zip(statuses), &mut all);
        let one = temporary("one_reading.tsv", one.as_bytes());
        let out = output("metrics", &[one.as_os_str(), "--log".as_ref(), path.as_ref()]);
        assert!(out.starts_with("1 readings, "));
        check(&out, &all, None, 7);
        let costs = costs(&out, "web.hits in rows of hours, and what the first query reads");
        // The sample has fewer points an hour than a log of some thousand lines a day.
        let less = if visits.len() < 5000 { 5 } else { 10 };
        assert!(costs["a cell a point"][1] > less * costs["and purged"][1], "many points an hour");
    }
}

#[test]
fn a_made_log() {
    let (log, visits) = made_log();
    let mut all = temperatures(SAMPLE);
    hits(visits.iter().map(|visit| (visit, "200")), &mut all);
    let path = temporary("metrics.log", &log);
    let out = output("metrics", &["--log".as_ref(), path.as_os_str()]);
    assert!(out.contains("\n707 lines read, 7 malformed\n"), "{out}");
    check(&out, &all, None, 7);
}

#[test]
fn odd_readings() {
    let lines = "city\ttime\tfahrenheit\n\
        Zürich 東京\t1970-01-01T00:00:00\t-0.5\n\tcity\n\t2106-02-07T06:28:15\t7\nb\t1999-12-31T23:59:59\t1\nb\t1999-12-31T23:59:59\t2.25\n";
    let path = temporary("odd.tsv", lines.replace("\tcity\n", "").as_bytes());
    let out = output("metrics", &[path.as_os_str()]);
    check(&out, &temperatures(&lines.replace("\tcity\n", "")), None, 7);
    assert!(out.contains("city=Zürich 東京"));

    let lines = "here\t2106-02-07T06:28:15\t7\n";
    let path = temporary("last_second.tsv", lines.as_bytes());
    check(&output("metrics", &[path.as_os_str()]), &temperatures(&format!("\n{lines}")), None, 7);

    let lines = "\nb\t1970-01-01T00:00:00\t1\nb\t2106-02-07T06:28:15\t7\n";
    let path = temporary("first_and_last_second.tsv", lines.as_bytes());
    for days in [49_711, 100_000] {
        let out = output("metrics", &[path.as_os_str(), format!("--days={days}").as_ref()]);
        check(&out, &temperatures(lines), None, days);
    }

    for (name, lines) in [("no_readings.tsv", "city\ttime\tfahrenheit\n"), ("nothing.tsv", "")] {
        let path = temporary(name, lines.as_bytes());
        let out = output("metrics", &[path.as_os_str()]);
        assert_eq!(out, "0 readings, their times taken as UTC\nThere are no points.\n");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let missing = place("not_there");
    let failed = |args: &[&std::ffi::OsStr], due: &str| {
        let run = run("metrics", args, b"");
        assert_eq!(run.status.code(), Some(1), "{due}");
        assert!(run.stderr.contains(due) && run.stderr.trim_end().lines().count() == 1, "{}", run.stderr);
    };
    failed(&[missing.as_os_str()], "cannot read ");
    failed(&["--log".as_ref(), missing.as_os_str()], "cannot read ");
    for (name, lines, due) in [
        (
            "metrics_words.tsv",
            "city\ttime\tfahrenheit\nhere\tnow\t1\n",
            ":2: not city, time, degrees: \"here\\tnow\\t1\"",
        ),
        (
            "metrics_nan.tsv",
            "here\t2010-01-01T00:00:00\t1\nhere\t2010-01-01T00:00:00\tNaN\n",
            ":2: not city, time, degrees",
        ),
        ("metrics_early.tsv", "here\t1969-12-31T23:59:59\t1\n", ":1: the time is not from 1970 to 2106"),
        ("metrics_late.tsv", "\nhere\t2106-02-07T06:28:16\t1\n", ":2: the time is not from 1970 to 2106"),
    ] {
        failed(&[temporary(name, lines.as_bytes()).as_os_str()], due);
    }
    for from in ["1960-01-01", "2106-02-08", "9999-12-31", "-009999-01-01"] {
        failed(&[format!("--from={from}").as_ref()], &format!("--from {from} is not from 1970 to 2106"));
    }
}

#[test]
fn cells_of_opentsdb_are_read_and_others_refused() {
    let tsdb = tsdb::Tsdb::<3600>::open(Db::in_memory(), "tsdb").unwrap();
    let key = tsdb::SeriesHour { metric: [0, 0, 1], hour: 0, tags: List::default() };
    let row = || tsdb.rows.get(&key, &Columns::all()).unwrap();
    // -300 at second 1, in two bytes; 0.5 at 1500 milliseconds, in four.
    let two = Mutation::new().put(("t", [0x00, 0x11]), [0xfe, 0xd4]);
    tsdb.rows.mutate(&key, &two.put(("t", [0xf0, 0x01, 0x77, 0x0b]), [0x3f, 0, 0, 0])).unwrap();
    let due = BTreeMap::from([(1000, -300.0), (1500, 0.5)]);
    assert_eq!(tsdb::points(&row()).unwrap(), due);
    tsdb.compact().unwrap();
    let (one, whole) = (row(), [0x00, 0x11, 0xf0, 0x01, 0x77, 0x0b]);
    assert_eq!((one.cells().count(), one.value(("t", whole))), (1, Some(&[0xfe, 0xd4, 0x3f, 0, 0, 0, 1][..])));
    assert_eq!(tsdb::points(&one).unwrap(), due);

    let refused: [(&[u8], &[u8]); 7] = [
        (&[], &[0]),
        (&[0], &[1]),
        (&[0x00, 0x11], &[1]),
        (&[0x00, 0x12], &[1, 2, 3]),
        (&[0x00, 0x10, 0x00, 0x20], &[1, 2]),
        (&[0xf0, 0, 0], &[1]),
        (&[0x01, 0, 0], b"{}"),
    ];
    for (qualifier, value) in refused {
        tsdb.rows.delete(&key).unwrap();
        tsdb.rows.mutate(&key, &Mutation::new().put(("t", qualifier), value)).unwrap();
        assert!(tsdb::points(&row()).is_err(), "{qualifier:?} {value:?}");
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("metrics", &NONE);
}

/// An operation on an hour of a series.
#[derive(Debug, Clone)]
enum Step {
    Put(u32, f64),
    Compact,
    /// It is read, more points come, and only then the cell is written; perhaps by two at once.
    CompactLate(Vec<(u32, f64)>, bool),
    Purge,
}

fn step() -> impl Strategy<Value = Step> {
    let point = || (0..12u32, 0..100u32).prop_map(|(at, value)| (at, f64::from(value)));
    prop_oneof![
        6 => point().prop_map(|(at, value)| Step::Put(at, value)),
        1 => Just(Step::Compact),
        1 => (vec(point(), 0..4), any::<bool>()).prop_map(|(points, twice)| Step::CompactLate(points, twice)),
        1 => Just(Step::Purge),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn points_in_any_form_are_the_last_written(steps in vec(step(), 0..40)) {
        let tsdb = tsdb::Tsdb::<4>::open(Db::in_memory(), "tsdb").unwrap();
        let series = ("metric", vec![("tag", "value".to_owned())]);
        let mut model = BTreeMap::new();
        let put = |model: &mut BTreeMap<u32, f64>, at, value| {
            tsdb.write(&[(&series, at, value)]).unwrap();
            model.insert(at, value);
        };
        for step in steps {
            match step {
                Step::Put(at, value) => put(&mut model, at, value),
                Step::Compact => tsdb.compact().unwrap(),
                Step::CompactLate(points, twice) => {
                    let read = || tsdb.rows.scan(.., Columns::all()).map(Result::unwrap).filter_map(|(key, row)| {
                        tsdb::compacted(&row).unwrap().map(|mutation| (key, mutation))
                    });
                    let mut late: Vec<_> = read().collect();
                    for (at, value) in points {
                        put(&mut model, at, value);
                    }
                    if twice {
                        // Who has read later writes first.
                        let more: Vec<_> = read().collect();
                        late.splice(0..0, more);
                    }
                    for (key, mutation) in late {
                        tsdb.rows.mutate(&key, &mutation).unwrap();
                    }
                }
                Step::Purge => {
                    tsdb.purge().unwrap();
                }
            }
            let mut found = BTreeMap::new();
            for row in tsdb.rows.scan(.., Columns::all()) {
                let (key, row) = row.unwrap();
                found.extend(tsdb::points(&row).unwrap().into_iter().map(|(at, value)| (key.hour + at / 1000, value)));
            }
            prop_assert_eq!(&found, &model);
        }
        // All in one cell a row, and nothing else there.
        tsdb.compact().unwrap();
        let rows: Vec<_> = tsdb.rows.scan(.., Columns::all()).map(|row| row.unwrap().1).collect();
        prop_assert!(rows.iter().all(|row| row.cells().count() == 1));
        prop_assert_eq!(rows.len(), model.keys().map(|at| at / 4).collect::<BTreeSet<_>>().len());
    }
}
