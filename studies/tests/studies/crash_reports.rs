use std::cmp::Reverse;

use jiff::Timestamp;

use crate::weblogs::grouped;
use crate::{Visit, log_files, made_log, nobody_reads, number, output, run, temporary, told, visits};

/// A report as it is printed: time, id, size.
type Report<'o> = (Timestamp, &'o str, u64);

/// The pages printed, each with the rows it read.
fn pages(out: &str) -> Vec<(u64, Vec<Report<'_>>)> {
    let titles = out.lines().filter(|line| line.starts_with("Page "));
    let page = |title: &str| {
        let told = told(out, title);
        let rows: Vec<_> = told.lines.iter().map(|line| report(line)).collect();
        assert_eq!(told.rows, rows.len() as u64);
        (told.rows_read, rows)
    };
    titles.map(page).collect()
}

fn report(line: &str) -> Report<'_> {
    let words: Vec<_> = line.split_whitespace().collect();
    (words[0].parse().unwrap(), words[1], number(words[2]))
}

/// Writes, share of the busiest region unsalted and salted, of each window; shares in percent as they are printed.
fn shares(out: &str) -> Vec<(Timestamp, u64, String, String)> {
    let lines = out.lines().skip_while(|line| !line.trim().starts_with("from ")).skip(1);
    let line = |line: &str| {
        let words: Vec<_> = line.split_whitespace().filter(|word| *word != "%").collect();
        (words[0].parse().unwrap(), number(words[1]), words[2].to_owned(), words[3].to_owned())
    };
    lines.take_while(|line| line.starts_with("  ")).map(line).collect()
}

/// The output of reports of which all pages are printed.
fn check(out: &str, visits: &[Visit], page_size: usize, windows: usize) {
    let pages = pages(out);
    let rows: Vec<_> = pages.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    assert!(rows.is_sorted_by_key(|(at, id, _)| (Reverse(*at), *id)));
    let of_log = |(at, size)| (Reverse(at), size);
    let mut found: Vec<_> = rows.iter().map(|(at, _, size)| of_log((*at, *size))).collect();
    let mut due: Vec<_> = visits.iter().map(|visit| of_log((visit.at, visit.size))).collect();
    found.sort();
    due.sort();
    assert_eq!(found, due);
    let (last, full) = pages.split_last().unwrap();
    assert!(full.iter().all(|(_, rows)| rows.len() == page_size) && (1..=page_size).contains(&last.1.len()));
    for (read, rows) in &pages {
        // Sixteen buckets, batches of two rows: what is read in vain has a bound.
        assert!((rows.len() as u64..=rows.len() as u64 + 2 * 16 + 2).contains(read), "{read} rows read");
    }
    let total: u64 = pages.iter().map(|(read, _)| read).sum();
    let title = out.lines().find(|line| line.starts_with("All ")).unwrap();
    assert_eq!(title.replace(',', ""), format!("All {} pages", pages.len()));
    let all = told(out, title);
    assert_eq!((all.rows_read, all.rows), (total, rows.len() as u64));
    assert!(out.contains("Put together they are exactly what a sort of all rows gives."));

    let times = || rows.iter().map(|(at, ..)| at.as_millisecond());
    // The salt is made from the rest of the key: the time, descending, and the id.
    let salt = |(at, id, _): &Report<'_>| {
        let at = !(at.as_millisecond() as u64 ^ 1 << 63);
        let id = id.parse::<uuid::Uuid>().unwrap();
        (xxhash_rust::xxh3::xxh3_64(&[&at.to_be_bytes()[..], id.as_bytes()].concat()) % 16) as usize
    };
    let (first, width) =
        (times().min().unwrap(), (times().max().unwrap() - times().min().unwrap()) / windows as i64 + 1);
    let mut counts = vec![([0u64; 16], [0u64; 16]); windows];
    for (index, row) in rows.iter().enumerate() {
        // Sixteen regions of as many rows each, in the order of the unsalted table.
        let region = (1..16).filter(|i| i * rows.len() / 16 <= index).count();
        let (unsalted, salted) = &mut counts[((row.0.as_millisecond() - first) / width) as usize];
        unsalted[region] += 1;
        salted[salt(row)] += 1;
    }
    let shown = shares(out);
    assert_eq!(shown.len(), windows);
    for ((i, (unsalted, salted)), (start, writes, shown_unsalted, shown_salted)) in counts.iter().enumerate().zip(shown)
    {
        let sum: u64 = unsalted.iter().sum();
        let share = |regions: &[u64; 16]| match sum {
            0 => "-".to_owned(),
            _ => format!("{:.1}", 100.0 * *regions.iter().max().unwrap() as f64 / sum as f64),
        };
        assert_eq!(start.as_second(), (first + width * i as i64).div_euclid(1000));
        assert_eq!((writes, shown_unsalted, shown_salted), (sum, share(unsalted), share(salted)));
    }
}

#[test]
fn made_up_reports_come_back_newest_first() {
    let out = output("crash_reports", &["--page-size", "7"]);
    assert!(out.starts_with("20,000 crash reports, all made up, with seed 2012\n"), "{out}");
    let pages = pages(&out);
    let rows: Vec<_> = pages.iter().flat_map(|(_, rows)| rows).collect();
    assert_eq!((pages.len(), rows.len()), (2, 14));
    assert!(rows.is_sorted_by_key(|(at, id, _)| (Reverse(*at), *id)));
    let windows = shares(&out);
    assert_eq!(windows.iter().map(|(_, writes, ..)| writes).sum::<u64>(), 20_000);
    for (_, _, unsalted, salted) in windows {
        assert!(unsalted.parse::<f64>().unwrap() > 50.0 && salted.parse::<f64>().unwrap() < 9.0);
    }
    assert!(out.contains("Put together they are exactly what a sort of all rows gives."));
    assert_eq!(out, output("crash_reports", &["--page-size", "7"]), "the seed is fixed");
}

#[test]
fn all_rows_are_those_of_a_log_sorted() {
    let (log, visits) = made_log();
    let path = temporary("crash_reports.log", &log);
    let out = output("crash_reports", &["--log", path.to_str().unwrap(), "--page-size", "9", "--pages", "1000"]);
    assert!(out.starts_with("707 lines read, 7 malformed\n"), "{out}");
    check(&out, &visits, 9, 12);
}

#[test]
fn windows_without_writes_and_one_row() {
    let line = |at: &str| format!("a - - [{at} +0000] \"-\" 200 1 \"-\" \"-\"\n");
    let visit = |at: &str| Visit {
        visitor: "a".to_owned(),
        at: format!("2015-05-{at}Z").parse().unwrap(),
        size: 1,
        request: "-".to_owned(),
    };
    let log = [line("17/May/2015:10:00:00"), line("17/May/2015:10:00:00"), line("18/May/2015:10:00:00")];
    let visits = [visit("17T10:00:00"), visit("17T10:00:00"), visit("18T10:00:00")];
    for rows in [1, 3] {
        let path = temporary("crash_reports_few.log", log[..rows].concat().as_bytes());
        let out = output("crash_reports", &["--log", path.to_str().unwrap(), "--pages", "9", "--page-size", "2"]);
        check(&out, &visits[..rows], 2, 12);
    }
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (path, log) in log_files() {
        let visits = visits(&log);
        let args = ["--log", &path, "--page-size", "100", "--pages", "1000", "--windows", "40"];
        let out = output("crash_reports", &args);
        assert!(out.starts_with(&format!("{} lines read, 0 malformed\n", grouped(visits.len() as u64))), "{out}");
        check(&out, &visits, 100, 40);
    }
}

#[test]
fn a_log_that_cannot_be_read_is_told() {
    let missing = run("crash_reports", &["--log", "no_such.log"], b"");
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.log: "), "{}", missing.stderr);
    let empty = run("crash_reports", &["--log", "-"], b"");
    assert!(empty.status.success() && empty.stdout.starts_with("0 lines read"), "{}", empty.stdout);
    assert_eq!(run("crash_reports", &["--page-size", "0"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("crash_reports", &["--page-size", "1000"]);
}
