use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use md5::{Digest, Md5};

use crate::weblogs::grouped;
use crate::{Visit, logs, made_log, nobody_reads, number, output, run, temporary, told, visits};

const DESIGNS: [&str; 4] = ["sequential", "salted", "promoted", "randomised"];

/// A visit and its line, ordered as the study says.
type Row<'v> = (Timestamp, &'v str, u64);

/// The lines of a drawn table by their cells, below the titles.
fn cells<'o>(out: &'o str, title: &str) -> Vec<Vec<&'o str>> {
    let lines = out.lines().skip_while(|line| !line.contains(title)).skip(4).take_while(|line| line.starts_with('│'));
    lines.map(|line| line.trim_matches('│').split('┆').map(str::trim).collect()).collect()
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// Start of the interval of `seconds` seconds.
fn floor(at: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(at.as_second().div_euclid(seconds) * seconds).unwrap()
}

/// The bytes of a key of time, visitor and line.
fn bytes(&(at, visitor, line): &Row<'_>) -> Vec<u8> {
    let at = (at.as_second() as u64) ^ 1 << 63;
    [&at.to_be_bytes()[..], visitor.as_bytes(), &[0], &line.to_be_bytes()].concat()
}

/// All that the study prints of a log, but for the lines' summary.
fn check(out: &str, visits: &[Visit], windows: i64) {
    let mut rows: Vec<Row<'_>> = (0..).zip(visits).map(|(line, v)| (v.at, v.visitor.as_str(), line)).collect();
    rows.sort();
    let all = rows.len() as u64;

    let (mut hours, mut counts) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new());
    for (at, visitor, _) in &rows {
        *hours.entry(floor(*at, 3600)).or_default() += 1;
        *counts.entry(*visitor).or_default() += 1;
    }
    let most = hours.values().max().unwrap();
    let hour = *hours.iter().find(|(_, count)| *count == most).unwrap().0;
    let most = counts.values().max().unwrap();
    let visitor = *counts.iter().find(|(_, count)| *count == most).unwrap().0;
    let day = floor(rows.iter().rfind(|row| row.1 == visitor).unwrap().0, 86_400);
    let one = rows[rows.len() / 2];

    let of_hour: Vec<_> = rows.iter().filter(|row| floor(row.0, 3600) == hour).copied().collect();
    let of_day: Vec<_> = rows.iter().filter(|row| floor(row.0, 86_400) == day).copied().collect();
    let theirs: Vec<_> = of_day.iter().filter(|row| row.1 == visitor).copied().collect();
    let newest: Vec<_> = rows.iter().rev().take(20).copied().collect();
    let (hours, days, some) = (of_hour.len() as u64, of_day.len() as u64, newest.len() as u64);
    let questions = [
        (format!("the hour from {hour}"), of_hour.clone(), [hours, hours, all, all]),
        (format!("{visitor} on the day from {day}"), theirs.clone(), [days, days, theirs.len() as u64, all]),
        (format!("the visit of line {}", one.2), vec![one], [1; 4]),
        ("the newest 20".into(), newest, [some, some, all, all]),
    ];
    let drawn = cells(out, "What each design costs");
    for (number_of, (title, due, read)) in questions.iter().enumerate() {
        for (at, design) in DESIGNS.into_iter().enumerate() {
            let told = told(out, &format!("{design}: {title}"));
            let get = title.starts_with("the visit ");
            assert_eq!(told.seeks, if design == "salted" && !get { 8 } else { 1 });
            assert_eq!((told.rows, told.cells), (due.len() as u64, due.len() as u64), "{title}");
            assert_eq!(told.rows_read, told.cells_read);
            if title == "the newest 20" && design == "salted" {
                // Of each of eight buckets a batch of three rows may be read in vain.
                assert!((some..=(some + 24).min(all)).contains(&told.rows_read), "{told:?}");
            } else {
                assert_eq!(told.rows_read, read[at], "{design}: {title}");
            }
            if at == 0 {
                let shown: Vec<_> = due.iter().map(|(at, who, line)| format!("{at}  {who}  line {line}")).collect();
                assert_eq!(told.lines, shown, "{title}");
            } else {
                assert_eq!(told.lines, ["the same visits"]);
            }
            let drawn = &drawn[at * 4 + number_of];
            assert_eq!(
                [drawn[0], drawn[2], drawn[3], drawn[4]].map(|cell| cell.replace(',', "")),
                [design.to_owned(), told.seeks.to_string(), told.rows_read.to_string(), told.rows.to_string()]
            );
        }
    }

    // Where each design writes what comes after the first quarter.
    let (past, rest) = rows.split_at(rows.len().div_ceil(4));
    let regions = past.len().min(8);
    // Where the promoted regions begin, by the past's keys in their order.
    let mut keys: Vec<_> = past.iter().map(|&(at, visitor, line)| (visitor, at, line)).collect();
    keys.sort();
    let promoted: Vec<_> = (1..regions).map(|region| keys[keys.len() * region / regions]).collect();
    let mut windows_due = BTreeMap::<i64, [HashMap<usize, u64>; 4]>::new();
    let mut total: [HashMap<usize, u64>; 4] = Default::default();
    let first = rest.first().map_or(0, |row| row.0.as_second());
    let width = rest.last().map_or(0, |row| row.0.as_second() - first) / windows + 1;
    for row in rest {
        let regions = [
            // What is newer than all before goes to the last region.
            regions - 1,
            (xxhash_rust::xxh3::xxh3_64(&bytes(row)) % 8) as usize,
            promoted.iter().filter(|first| **first <= (row.1, row.0, row.2)).count(),
            usize::from(Md5::digest(bytes(row))[0] >> 5),
        ];
        let window = windows_due.entry((row.0.as_second() - first) / width).or_default();
        for (design, region) in regions.into_iter().enumerate() {
            *window[design].entry(region).or_default() += 1;
            *total[design].entry(region).or_default() += 1;
        }
    }
    let writes = rest.len() as u64;
    let most = |regions: &HashMap<usize, u64>| regions.values().max().copied().unwrap_or(0);
    let drawn = cells(out, " writes by region ");
    assert_eq!(drawn.len(), 4);
    for ((design, regions), drawn) in DESIGNS.iter().zip(&total).zip(&drawn) {
        let due: Vec<_> = (0..8).map(|region| regions.get(&region).copied().unwrap_or(0)).collect();
        assert_eq!(drawn[1..9].iter().map(|cell| number(cell)).collect::<Vec<_>>(), due);
        assert_eq!((drawn[0], drawn[9]), (*design, percent(most(regions), writes).as_str()));
    }
    let drawn = cells(out, "share of the writes of a window");
    let due = windows_due.iter().map(|(window, regions)| {
        let writes = regions[0].values().sum::<u64>();
        let from = Timestamp::from_second(first + window * width).unwrap().to_string();
        let shares = regions.each_ref().map(|regions| percent(most(regions), writes));
        [vec![from, grouped(writes)], shares.to_vec()].concat()
    });
    assert_eq!(drawn, due.collect::<Vec<_>>());

    let drawn = cells(out, "The figure of the book");
    for (at, (design, drawn)) in DESIGNS.iter().zip(&drawn).enumerate() {
        let busiest = windows_due.values().map(|regions| most(&regions[at])).sum::<u64>().max(1);
        assert_eq!(drawn[0], *design);
        assert!(drawn[1].ends_with(&format!(" {}", percent(hours, questions[0].2[at]))), "{drawn:?}");
        assert!(drawn[2].ends_with(&format!(" {}", percent(theirs.len() as u64, questions[1].2[at]))), "{drawn:?}");
        assert!(drawn[3].ends_with(&format!(" {:.1} of 8", writes as f64 / busiest as f64)), "{drawn:?}");
    }
}

const ALL: [&str; 2] = ["--show", "1000000"];

#[test]
fn the_answers_and_writes_of_four_designs() {
    let (log, visits) = made_log();
    let path = temporary("four_designs.log", &log);
    let path = path.to_str().unwrap();
    let out = output("four_designs", &[&[path][..], &ALL].concat());
    assert!(out.starts_with("707 lines read, 7 malformed\n"), "{out}");
    for design in DESIGNS {
        assert!(out.contains(&format!("\nThe {design} key of a visit\n0  ")), "{out}");
    }
    check(&out, &visits, 12);
    check(&output("four_designs", &[&[path, "--windows", "1"][..], &ALL].concat()), &visits, 1);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        let visits = visits(&log);
        let out = output("four_designs", &[&args[..], &ALL.map(str::to_owned)].concat());
        check(&out, &visits, 12);
        // What the book's figure says, whatever the log if it is long enough: the time in front writes to one region, a
        // salt to many.
        let drawn = cells(&out, "The figure of the book");
        let at_work = |row: usize| drawn[row][3].split(' ').nth(1).unwrap().parse::<f64>().unwrap();
        if visits.len() >= 1000 {
            assert_eq!(at_work(0), 1.0);
            assert!(at_work(1) > 4.0 && at_work(3) > 4.0);
        }
    }
}

#[test]
fn a_few_lines_and_none() {
    let line = |visitor: &str, second: u32| {
        format!("{visitor} - - [17/May/2015:10:05:{second:02} +0000] \"GET / HTTP/1.1\" 200 7 \"-\" \"-\"\n")
    };
    let visit = |visitor: &str, second: u32| Visit {
        visitor: visitor.into(),
        at: format!("2015-05-17T10:05:{second:02}Z").parse().unwrap(),
        size: 7,
        request: "GET / HTTP/1.1".into(),
    };
    for visitors in [&["ä"][..], &["b", "a"], &["a", "a", "ab", "a", "b", "ü", "a", "a", "c", "b"]] {
        let log: String = visitors.iter().zip(0..).map(|(visitor, i)| line(visitor, i / 3)).collect();
        let visits: Vec<_> = visitors.iter().zip(0..).map(|(visitor, i)| visit(visitor, i / 3)).collect();
        let path = temporary("four_designs_few.log", log.as_bytes());
        check(&output("four_designs", &[&[path.to_str().unwrap()][..], &ALL].concat()), &visits, 12);
    }
    let path = temporary("four_designs_none.log", b"");
    assert_eq!(output("four_designs", &[path]), "0 lines read, 0 malformed\n");
    let run = run("four_designs", &["no_such.log"], b"");
    assert_eq!((run.status.code(), run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("error: cannot read no_such.log: ") && run.stderr.lines().count() == 1);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("four_designs", &[temporary("four_designs_unread.log", &made_log().0)]);
}
