use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use crate::weblogs::grouped;
use crate::{MALFORMED, Visit, logs, made_log, nobody_reads, number, output, run, temporary, told, visits};

/// One visitor's visits, the newest first; of those of one second the later line first.
fn newest_first<'v>(visits: &'v [Visit], visitor: &str) -> Vec<&'v Visit> {
    let mut theirs: Vec<_> = visits.iter().enumerate().filter(|(_, visit)| visit.visitor == visitor).collect();
    theirs.sort_by_key(|(line, visit)| Reverse((visit.at, *line)));
    theirs.into_iter().map(|(_, visit)| visit).collect()
}

/// All that the study prints of a log, but for the lines' summary.
fn check(out: &str, visits: &[Visit], visitor: Option<&str>, window: Option<(Timestamp, Timestamp)>) {
    let mut counts = BTreeMap::<_, u64>::new();
    for visit in visits {
        *counts.entry(visit.visitor.as_str()).or_default() += 1;
    }
    let mut busiest: Vec<_> = counts.into_iter().map(|(visitor, count)| (Reverse(count), visitor)).collect();
    busiest.sort();
    let line = out.lines().find(|line| line.contains(" visits by ")).unwrap();
    let numbers: Vec<_> = line.split(' ').filter(|word| word.starts_with(char::is_numeric)).map(number).collect();
    assert_eq!(numbers, [visits.len() as u64, busiest.len() as u64]);

    for drawn in ["The key of the busiest visitor\n0 ", "The key of a visit\n0 ", "Table visits\n┌"] {
        assert!(out.contains(drawn), "{drawn}");
    }
    let shown = told(out, "Busiest visitors");
    let rows: Vec<_> = shown.lines.iter().map(|row| row.split_once("  ").unwrap()).collect();
    let rows: Vec<_> = rows.into_iter().map(|(count, visitor)| (Reverse(number(count)), visitor)).collect();
    let some = busiest.len().min(5);
    assert_eq!(rows, busiest[..some]);
    assert_eq!((shown.rows_read, shown.rows, shown.seeks), (some as u64, some as u64, 1));

    let visitor = visitor.unwrap_or(busiest[0].1);
    let theirs = newest_first(visits, visitor);
    same(out, &format!("All of {visitor}"), &theirs);
    same(out, &format!("The latest of {visitor}"), &theirs[..1]);
    let (from, to) = window.unwrap_or_else(|| (theirs[0].at - SignedDuration::from_hours(24), Timestamp::MAX));
    let within: Vec<_> = theirs.into_iter().filter(|visit| (from..to).contains(&visit.at)).collect();
    let on = window.map_or_else(|| "on".to_owned(), |(_, to)| format!("until {to}"));
    same(out, &format!("{visitor} from {from} {on}"), &within);
}

/// An answer returned these visits, read no others, and shows the first five.
fn same(out: &str, title: &str, due: &[&Visit]) {
    let shown = told(out, title);
    assert_eq!((shown.rows_read, shown.rows, shown.seeks), (due.len() as u64, due.len() as u64, 1), "{title}");
    for (row, visit) in shown.lines.iter().take(5).zip(due) {
        let words: Vec<_> = row.split_whitespace().collect();
        assert_eq!(words[0].parse::<Timestamp>().unwrap(), visit.at, "{title}");
        assert_eq!(number(words[2]), visit.size, "{title}");
        assert_eq!(words[3..].join(" "), visit.request.escape_debug().to_string(), "{title}");
    }
    let more = due.len().saturating_sub(5);
    assert_eq!(shown.lines.len(), due.len().min(5) + usize::from(more > 0));
    if more > 0 {
        assert_eq!(shown.lines[5], format!("and {more} more"));
    }
}

#[test]
fn answers_are_those_of_sort_and_filter() {
    let (log, visits) = made_log();
    let path = temporary("visits.log", &log);
    let path = path.to_str().unwrap();
    let out = output("visits", &[path]);
    assert!(out.starts_with("707 lines read, 7 malformed\n"), "{out}");
    check(&out, &visits, None, None);

    let (from, to) = ("2015-05-02T08:00:07Z".parse().unwrap(), "2015-05-02T16:00:07Z".parse().unwrap());
    let ends = |end| visits.iter().any(|visit| visit.visitor == "2001:db8::7" && visit.at == end);
    assert!(ends(from) && ends(to), "the test should try the window's ends");
    let window = ["--from", "2015-05-02T08:00:07Z", "--to", "2015-05-02T18:00:07+02:00"];
    let args = [&[path, "--visitor", "2001:db8::7"], &window[..]].concat();
    check(&output("visits", &args), &visits, Some("2001:db8::7"), Some((from, to)));
}

#[test]
fn malformed_lines_are_counted_and_the_first_told() {
    let path = temporary("malformed.log", &made_log().0);
    let out = output("visits", &[&path]);
    let told: Vec<_> = out.lines().skip(1).take(4).map(str::trim).collect();
    let due = |n: usize| format!("{}:{}: {}", path.display(), 8 + 101 * n, MALFORMED[n].1);
    assert_eq!(told, [due(0), due(1), due(2), "and 4 more".to_owned()]);
    for (line, reason) in MALFORMED {
        let path = temporary("malformed_one.log", &[line, b"\n"].concat());
        let out = output("visits", &[&path]);
        let due = format!("1 lines read, 1 malformed\n  {}:1: {reason}\n0 visits by 0 visitors\n", path.display());
        assert!(out.starts_with(&due), "{out}");
    }
}

#[test]
fn files_and_standard_input_plain_and_compressed() {
    let (log, visits) = made_log();
    let gzip = |bytes: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    };
    let half = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(350).unwrap().0 + 1;
    let (first, second) = log.split_at(half);
    let plain = temporary("first.log", first);
    let compressed = temporary("second.log", &gzip(second));
    let two = output("visits", &[&plain, &compressed]);
    check(&two, &visits, None, None);
    assert!(two.starts_with("707 lines read, 7 malformed\n"), "{two}");

    // Two gzip files in a row are one, as `cat a.gz b.gz` makes them.
    for input in [log.clone(), gzip(&log), [gzip(first), gzip(second)].concat()] {
        let run = run("visits", &["-"], &input);
        assert!(run.status.success(), "{}", run.stderr);
        check(&run.stdout, &visits, None, None);
    }
}

#[test]
fn a_log_that_cannot_be_read_is_told() {
    for args in [&["no_such.log"][..], &["-", "no_such.log"]] {
        let run = run("visits", args, b"");
        assert_eq!(run.status.code(), Some(1));
        assert!(run.stderr.starts_with("error: cannot read no_such.log: "), "{}", run.stderr);
        assert_eq!((run.stderr.lines().count(), run.stdout.as_str()), (1, ""));
    }
    let cut = run("visits", &["-"], b"\x1f\x8b\x08\0");
    assert_eq!(cut.status.code(), Some(1));
    assert!(cut.stderr.starts_with("error: cannot read -: "), "{}", cut.stderr);
    // Called wrongly.
    assert_eq!(run("visits", &["-", "--from", "yesterday"], b"").status.code(), Some(2));
    let none: &[&Path] = &[&temporary("empty.log", b"")];
    assert!(output("visits", none).starts_with("0 lines read, 0 malformed\n0 visits by 0 visitors\n"));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("visits", &[temporary("left.log", &made_log().0)]);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        let visits = visits(&log);
        let out = output("visits", &args);
        assert!(out.starts_with(&format!("{} lines read, 0 malformed\n", grouped(visits.len() as u64))), "{out}");
        check(&out, &visits, None, None);
    }
}
