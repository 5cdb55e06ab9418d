use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::{Told, logs, made_log, nobody_reads, number, output, run, temporary, told};

/// A request, as plain code understands it; in order of time, server and count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    at: Timestamp,
    server: usize,
    count: usize,
    ip: String,
    request: Option<String>,
    status: Option<u16>,
    size: u64,
    columns: u64,
}

/// A log of well-formed lines without escapes.
fn requests(server: usize, log: &str) -> Vec<Request> {
    let given = |text: &str| (text != "-").then(|| text.to_owned());
    let request = |(count, line): (usize, &str)| {
        let quoted: Vec<_> = line.split('"').collect();
        let words: Vec<_> = quoted[0].split_whitespace().collect();
        let numbers: Vec<_> = quoted[2].split_whitespace().collect();
        let (request, status) = (given(quoted[1]), numbers[0].parse().ok());
        let optional = [given(words[2]), request.clone(), given(quoted[3]), given(quoted[5]), given(numbers[0])];
        Request {
            at: Timestamp::strptime("[%d/%b/%Y:%H:%M:%S %z]", format!("{} {}", words[3], words[4])).unwrap(),
            server,
            count,
            ip: words[0].to_owned(),
            request,
            status,
            size: numbers[1].parse().unwrap_or(0),
            columns: 2 + optional.iter().flatten().count() as u64,
        }
    };
    log.lines().enumerate().map(request).collect()
}

/// Some days of requests around an instant: mostly in order, now and then late, many at one time.
fn made(seed: u64, around: &str, lines: i64) -> String {
    let start = around.parse::<Timestamp>().unwrap().as_second();
    let mut random = seed;
    let mut below = |n: i64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as i64 % n
    };
    let mut log = String::new();
    for i in 0..lines {
        let late = if below(5) == 0 { below(2) * 86_400 + below(4000) } else { 0 };
        let second = start + (i - lines / 2) * 200_000 / lines / 40 * 40 - late;
        let at = Timestamp::from_second(second).unwrap().strftime("%d/%b/%Y:%H:%M:%S +0000").to_string();
        let status = ["200", "304", "404", "500", "400", "399", "-"][below(7) as usize];
        let (size, user) = ([&i.to_string(), "-"][below(2) as usize].to_owned(), ["-", "ada"][below(2) as usize]);
        let (request, agent) =
            ([&format!("GET /ü/{i}"), "-"][below(2) as usize].to_owned(), ["-", "Fox"][below(2) as usize]);
        log += &format!("10.0.0.{} - {user} [{at}] \"{request}\" {status} {size} \"-\" \"{agent}\"\n", below(4));
    }
    log
}

fn floor(at: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(at.as_second().div_euclid(seconds) * seconds).unwrap()
}

/// When an instant's five minutes, hour, day, week and month begin.
fn periods(at: Timestamp, zone: &TimeZone) -> [Timestamp; 5] {
    let day = zone.to_datetime(at).date();
    let mut monday = day;
    while monday.weekday() != jiff::civil::Weekday::Monday {
        monday -= 1.day();
    }
    let start = |date: jiff::civil::Date| date.to_zoned(zone.clone()).unwrap().timestamp();
    [floor(at, 300), floor(at, 3600), start(day), start(monday), start(day.first_of_month())]
}

/// Compares all that the study prints for these requests, given in this order.
fn check(out: &str, came: &[Request], zone: &str, every: usize) {
    let zone = TimeZone::get(zone).unwrap();
    let shown = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let mut rows = came.to_vec();
    rows.sort();
    let mut sums: [BTreeMap<Timestamp, (u64, u64, u64)>; 5] = Default::default();
    for Request { at, status, size, .. } in &rows {
        for (sums, start) in sums.iter_mut().zip(periods(*at, &zone)) {
            let sums = sums.entry(start).or_default();
            *sums = (sums.0 + 1, sums.1 + u64::from(status.is_some_and(|status| status >= 400)), sums.2 + size);
        }
    }
    let line = |start: Timestamp, kind: usize| {
        let (hits, errors, bytes) = sums[kind][&start];
        (shown(start), [hits, errors, bytes])
    };
    let lines = |told: &Told<'_>| {
        let line = |line: &&str| {
            let words: Vec<_> = line.split_whitespace().collect();
            let [start, hits, "hits", errors, "errors", bytes, "bytes"] = words[..] else { panic!("{line}") };
            (start.to_owned(), [hits, errors, bytes].map(number))
        };
        told.lines.iter().map(line).collect::<Vec<_>>()
    };

    // Rounds of so many rows, of each server's its own; who comes to five minutes that were summed is late.
    let (mut late, mut seen) = (0, BTreeSet::new());
    for log in came.chunk_by(|a, b| a.server == b.server) {
        for round in log.chunks(every) {
            let of: Vec<_> = round.iter().map(|row| floor(row.at, 300)).collect();
            late += of.iter().filter(|period| seen.contains(*period)).count();
            seen.extend(of);
        }
    }
    let said = out.lines().find(|line| line.ends_with(" that were summed already")).unwrap().replace(',', "");
    if !out.contains("\nstopped before ") {
        assert_eq!(said, format!("{} rows {late} of them late for periods that were summed already", rows.len()));
    }

    let (_, busiest) = sums[0].iter().map(|(start, sums)| (Reverse(sums.0), *start)).min().unwrap();
    let found = told(out, "The busiest five minutes");
    assert_eq!((found.seeks, found.rows_read, found.rows), (1, sums[0].len() as u64, 1));
    assert_eq!(lines(&found), [line(busiest, 0)]);
    let [_, hour, day, _, month] = periods(busiest, &zone);

    let same = |title: &str, due: &[&Request], reads_more: bool| {
        let found = told(out, title);
        let (rows, cells) = (due.len() as u64, due.iter().map(|row| row.columns).sum::<u64>());
        assert_eq!((found.seeks, found.rows, found.cells), (8, rows, cells), "{title}");
        // Batches of two rows and the beginning of a third, one of each of eight buckets and those after them.
        let most = if reads_more { 3 * (8 + rows / 2) } else { rows };
        assert!((rows..=most).contains(&found.rows_read), "{title}: {found:?}");
        assert!(reads_more || found.cells_read == cells, "{title}: {found:?}");
        let due = due.iter().map(|Request { at, server, count, ip, request, size, .. }| {
            let bytes = indicatif::HumanCount(*size);
            let request = request.as_deref().unwrap_or("-").escape_debug();
            format!("{} {server}.{count}  {ip}  {bytes} bytes  {request}", shown(*at))
        });
        assert_eq!(found.lines, due.collect::<Vec<_>>(), "{title}");
    };
    let within: Vec<_> = rows.iter().filter(|row| floor(row.at, 300) == busiest).collect();
    same(&format!("The rows of the five minutes from {}", shown(busiest)), &within, false);
    let of_second = |second| within.iter().filter(|row| row.at == second).copied().collect::<Vec<_>>();
    let fullest = within.iter().map(|row| (Reverse(of_second(row.at).len()), row.at)).min().unwrap().1;
    same(&format!("The rows of one second, {}", shown(fullest)), &of_second(fullest), false);
    same("The latest ten rows, the last first", &rows.iter().rev().take(10).collect::<Vec<_>>(), true);

    let of = |title: &str, kind: usize, keep: &dyn Fn(Timestamp) -> bool| {
        let due: Vec<_> = sums[kind].keys().filter(|start| keep(**start)).map(|start| line(*start, kind)).collect();
        let found = told(out, title);
        assert_eq!((found.seeks, found.rows_read, found.rows), (1, due.len() as u64, due.len() as u64), "{title}");
        assert_eq!(lines(&found), due, "{title}");
    };
    of(&format!("The five minutes of the hour from {}", shown(hour)), 0, &|at| periods(at, &zone)[1] == hour);
    of(&format!("The hours of the day from {}", shown(day)), 1, &|at| periods(at, &zone)[2] == day);
    of(&format!("The days of the month from {}", shown(month)), 2, &|at| periods(at, &zone)[4] == month);
    of("The weeks", 3, &|_| true);
    of("The months", 4, &|_| true);
    let found = told(out, &format!("The day from {}, by its rows", shown(day)));
    assert_eq!((found.seeks, found.rows_read, found.rows), (8, sums[2][&day].0, 1));
    assert_eq!(lines(&found), [line(day, 2)]);
}

/// The queries on the finished tables.
fn answers(out: &str) -> &str {
    &out[out.find("\nThe busiest five minutes\n").unwrap()..]
}

#[test]
fn two_servers_in_any_zone() {
    for (zone, around) in [
        ("UTC", "2015-05-17T12:00:00Z"),
        ("Asia/Kolkata", "2015-05-31T12:00:00Z"),
        ("America/Sao_Paulo", "2018-11-04T02:30:00Z"),
        ("Pacific/Apia", "2011-12-30T10:00:00Z"),
        ("Australia/Lord_Howe", "2024-04-06T15:00:00Z"),
    ] {
        let logs = [made(1, around, 100), made(2, around, 40)];
        let came: Vec<_> = logs.iter().enumerate().flat_map(|(server, log)| requests(server, log)).collect();
        let slug = zone.replace('/', "_");
        let [a, b] =
            [0, 1].map(|server| temporary(&format!("access_log_{slug}_{server}.log"), logs[server].as_bytes()));
        let args = [a.to_str().unwrap(), b.to_str().unwrap(), "--zone", zone, "--show", "1000000"];
        check(&output("access_log", &[&args[..], &["--every", "1000"]].concat()), &came, zone, 1000);
        let whole = output("access_log", &[&args[..], &["--every", "19"]].concat());
        check(&whole, &came, zone, 19);

        let stops = if zone == "UTC" { &["1", "2", "3", "5", "8", "21"][..] } else { &["3"] };
        for stop in stops {
            let out = output("access_log", &[&args[..], &["--every", "19", "--stop-after", stop]].concat());
            assert!(out.contains("\nstopped before "), "{out}");
            check(&out, &came, zone, 19);
            assert_eq!(answers(&out), answers(&whole), "as if it had never stopped");
        }
    }
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        let came = requests(0, &log);
        assert_eq!(came.len(), log.lines().count());
        let with = |more: &[&str]| {
            let more = more.iter().map(|&arg| arg.to_owned());
            output("access_log", &args.iter().cloned().chain(more).collect::<Vec<_>>())
        };
        check(&with(&["--show", "1000000"]), &came, "UTC", 500);
        let stopped = ["--show", "1000000", "--stop-after", "3", "--zone", "Asia/Kolkata"];
        check(&with(&stopped), &came, "Asia/Kolkata", 500);
    }
}

#[test]
fn one_row_none_and_lines_that_are_malformed() {
    let one = made(3, "2020-02-29T23:59:59Z", 1);
    let path = temporary("access_log_one.log", one.as_bytes());
    check(&output("access_log", &[path]), &requests(0, &one), "UTC", 500);
    // In an hour of which half is of the day before, and of the month before.
    let one = made(3, "2020-02-29T18:40:00Z", 1);
    let path = temporary("access_log_half.log", one.as_bytes());
    let out = output("access_log", &[path.to_str().unwrap(), "--zone", "Asia/Kolkata"]);
    check(&out, &requests(0, &one), "Asia/Kolkata", 500);
    assert!(told(&out, "The months").lines[0].starts_with("2020-03-01T00:00:00+05:30 "), "{out}");

    let path = temporary("access_log_none.log", b"");
    assert_eq!(output("access_log", &[&path]), format!("{}: 0 lines read, 0 malformed\n", path.display()));
    let path = temporary("access_log_made.log", &made_log().0);
    let out = output("access_log", &[&path]);
    assert!(out.starts_with(&format!("{}: 707 lines read, 7 malformed\n", path.display())), "{out}");
    assert!(out.contains("\n700 rows, "), "{out}");
}

#[test]
fn errors_are_told() {
    let log = temporary("access_log_errors.log", made(4, "2020-02-29T23:59:59Z", 9).as_bytes());
    let log = log.to_str().unwrap();
    for args in [&["no_such.log"][..], &[log, "no_such.log"], &[log, "--zone", "Mars/Olympus"]] {
        let run = run("access_log", args, b"");
        assert_eq!(run.status.code(), Some(1));
        assert!(run.stderr.starts_with("error: ") && run.stderr.lines().count() == 1, "{}", run.stderr);
        let wrong = args.iter().find(|arg| Path::new(arg) != Path::new(log) && **arg != "--zone").unwrap();
        assert!(run.stderr.contains(wrong), "{}", run.stderr);
    }
}

#[test]
fn what_the_calendar_has_no_month_for_is_told() {
    let line = |day: &str| format!("a - - [{day}:10:00:00 +0000] \"-\" 200 1 \"-\" \"-\"\n");
    let path = temporary("access_log_last.log", [line("31/Dec/9998"), line("29/Dec/9999")].concat().as_bytes());
    let run = run("access_log", &[&path], b"");
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stderr.starts_with(&format!("error: {}:2: ", path.display())), "{}", run.stderr);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("access_log", &[temporary("access_log_unread.log", &made_log().0)]);
}
