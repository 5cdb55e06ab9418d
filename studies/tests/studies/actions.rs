use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::{MALFORMED, Visit, logs, made_log, nobody_reads, number, output, run, temporary, told, visits};

const KINDS: [&str; 4] = ["View", "Search", "Load", "Other"];

fn kind(visit: &Visit) -> &'static str {
    let Some(rest) = visit.request.strip_prefix("GET ") else { return "Other" };
    let path = rest.split(' ').next().unwrap();
    let name = path.split('/').next_back().unwrap();
    KINDS[if path.contains('?') { 1 } else { 2 * usize::from(name.contains('.')) }]
}

/// A user's actions with their places, the newest first; of those of one second the later one first.
fn newest_first<'v>(visits: &'v [Visit], user: &str) -> Vec<(u64, &'v Visit)> {
    let mut theirs: Vec<_> = (1..).zip(visits).filter(|(_, visit)| visit.visitor == user).collect();
    theirs.sort_by_key(|(event, visit)| Reverse((visit.at, *event)));
    theirs
}

/// The user with most actions, the first by name among equals.
fn most_active(visits: &[Visit]) -> &str {
    let mut counts = BTreeMap::<_, usize>::new();
    visits.iter().for_each(|visit| *counts.entry(visit.visitor.as_str()).or_default() += 1);
    let most = *counts.values().max().unwrap();
    counts.into_iter().find(|(_, count)| *count == most).unwrap().0
}

/// A query returned these actions, in one seek, read so many, and shows the first.
fn same(out: &str, title: &str, due: &[(u64, &Visit)], read: usize, show: usize) {
    let found = told(out, title);
    let rows = due.len() as u64;
    assert_eq!((found.rows, found.cells), (rows, rows), "{title}");
    assert_eq!((found.rows_read, found.cells_read, found.seeks), (read as u64, read as u64, 1), "{title}");
    let mut lines: Vec<_> = due
        .iter()
        .take(show)
        .map(|(event, visit)| format!("{}  {event:>6}  {}", visit.at, visit.request.escape_debug()).trim().to_owned())
        .collect();
    if due.len() > show {
        lines.push(format!("and {} more", due.len() - show));
    }
    let told: Vec<_> = found
        .lines
        .iter()
        .map(|line| if line.starts_with("and ") { line.replace(',', "") } else { line.to_string() })
        .collect();
    assert_eq!(told, lines, "{title}");
}

/// The rows of a drawn table, as words.
fn drawn<'o>(out: &'o str, title: &str) -> Vec<Vec<&'o str>> {
    let lines = out.lines().skip_while(|line| *line != title).skip(4).take_while(|line| line.starts_with('│'));
    lines.map(|line| line.trim_matches('│').split('┆').map(str::trim).collect()).collect()
}

struct Asked<'a> {
    user: &'a str,
    offset: usize,
    limit: usize,
    kind: &'a str,
    range: (Timestamp, Timestamp),
    /// The name of the range.
    said: String,
}

impl<'a> Asked<'a> {
    /// The default query.
    fn by_default(visits: &'a [Visit]) -> Self {
        let user = most_active(visits);
        let from = newest_first(visits, user)[0].1.at - SignedDuration::from_hours(24);
        Self {
            user,
            offset: 20,
            limit: 10,
            kind: "Search",
            range: (from, Timestamp::MAX),
            said: format!(" from {from}"),
        }
    }

    fn check(&self, out: &str, visits: &[Visit]) {
        let Self { user, offset, limit, kind: of, range, said } = self;
        let users: BTreeMap<_, _> = visits.iter().map(|visit| (&visit.visitor, ())).collect();
        let line = out.lines().find(|line| line.contains(" actions by ")).unwrap();
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!((number(words[0]), number(words[3])), (visits.len() as u64, users.len() as u64));

        let theirs = newest_first(visits, user);
        let rest = &theirs[(*offset).min(theirs.len())..];
        let page = &rest[..(*limit).min(rest.len())];
        let read = theirs.len().min(offset + limit);
        same(out, &format!("Actions of {user}, newest first, offset {offset} limit {limit}"), page, read, *limit);

        let within: Vec<_> =
            theirs.iter().copied().filter(|(_, visit)| (range.0..range.1).contains(&visit.at)).collect();
        same(out, &format!("Actions of {user}{said}"), &within, within.len(), 5);

        let of_kind: Vec<_> = theirs.iter().copied().filter(|(_, visit)| kind(visit) == *of).collect();
        same(out, &format!("{of} actions of {user}, picked out of all"), &of_kind, theirs.len(), 5);
        same(out, &format!("{of} actions of {user}, under a key of their own"), &of_kind, of_kind.len(), 5);

        let title = format!("Pages of {limit}, as the offset grows");
        let mut told = drawn(out, &title).into_iter();
        let pages = theirs.len().div_ceil(*limit).max(1);
        for page in (0..pages).filter(|page| *page == 0 || page.is_power_of_two() || page + 1 == pages) {
            let (offset, left) = (page * limit, theirs.len() - page * limit);
            let numbers: Vec<_> = told.next().unwrap().into_iter().map(number).collect();
            let due = [offset, theirs.len().min(offset + limit), left.min(limit + 1)].map(|number| number as u64);
            assert_eq!(numbers[..3], due, "an offset is read, a cursor is not");
        }
        assert_eq!(told.next(), None);
    }
}

#[test]
fn answers_are_those_of_sort_and_filter() {
    let (log, visits) = made_log();
    let path = temporary("actions.log", &log);
    let path = path.to_str().unwrap();
    let out = output("actions", &[path]);
    assert!(out.starts_with("707 lines read, 7 malformed\n"), "{out}");
    Asked::by_default(&visits).check(&out, &visits);

    let from: Timestamp = "2015-05-02T08:00:07Z".parse().unwrap();
    let to: Timestamp = "2015-05-02T16:00:07Z".parse().unwrap();
    let ends = |end| visits.iter().any(|visit| visit.visitor == "2001:db8::7" && visit.at == end);
    assert!(ends(from) && ends(to), "the test should try the range's ends");
    for (kind, offset, limit) in [("View", 0, 1), ("Search", 3, 7), ("Load", 100_000, 10), ("Other", 5, 1000)] {
        let (skip, most, small) = (offset.to_string(), limit.to_string(), kind.to_lowercase());
        let asked = ["--user", "2001:db8::7", "--offset", &skip, "--limit", &most, "--kind", &small];
        let range = ["--from", "2015-05-02T08:00:07Z", "--to", "2015-05-02T18:00:07+02:00"];
        let out = output("actions", &[&[path], &asked[..], &range].concat());
        let said = format!(" from {from} until {to}");
        Asked { user: "2001:db8::7", offset, limit, kind, range: (from, to), said }.check(&out, &visits);
    }
    let out = output("actions", &[path, "--user", "nobody", "--to", "2015-05-02T08:00:07Z"]);
    let said = format!(" until {from}");
    let range = (Timestamp::MIN, from);
    Asked { user: "nobody", offset: 20, limit: 10, kind: "Search", range, said }.check(&out, &visits);
}

#[test]
fn the_key_of_the_newest_action_is_drawn() {
    let (log, visits) = made_log();
    let out = output("actions", &[temporary("actions_key.log", &log)]);
    let user = most_active(&visits);
    let (event, newest) = newest_first(&visits, user)[0];
    let bytes = |number: u64| number.to_be_bytes().map(|byte| format!("{byte:02x}")).join(" ");
    let line = out.lines().skip_while(|line| *line != "The key of an action").nth(5).unwrap();
    let boxes: Vec<_> = line.trim_matches('│').split('│').map(str::trim).collect();
    let name = user.bytes().chain([0]).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    // HBase's Long.MAX_VALUE - time.
    assert_eq!(boxes, [name, bytes((i64::MAX - newest.at.as_second()) as u64), bytes(u64::MAX - event)]);
}

#[test]
fn small_logs() {
    let none = output("actions", &[temporary("actions_none.log", b"")]);
    assert_eq!(none, "0 lines read, 0 malformed\n0 actions by 0 users\n");
    let malformed = output("actions", &[temporary("actions_malformed.log", &[MALFORMED[0].0, b"\n"].concat())]);
    assert!(malformed.ends_with(": the line is empty\n0 actions by 0 users\n"), "{malformed}");

    let line = "zürich.example - - [17/May/2015:12:05:03 +0200] \"GET /\u{fc}.png HTTP/1.1\" 200 1 \"-\" \"-\"";
    let visits = [Visit {
        visitor: "zürich.example".to_owned(),
        at: "2015-05-17T10:05:03Z".parse().unwrap(),
        size: 1,
        request: "GET /\u{fc}.png HTTP/1.1".to_owned(),
    }];
    let out = output("actions", &[temporary("actions_one.log", line.as_bytes())]);
    Asked::by_default(&visits).check(&out, &visits);
}

#[test]
fn what_cannot_be_read_is_told() {
    let run_with = |args: &[&str]| run("actions", args, b"");
    let missing = run_with(&["no_such.log"]);
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.log: "), "{}", missing.stderr);
    assert_eq!(missing.stderr.lines().count(), 1);
    for args in [["-", "--limit", "0"], ["-", "--kind", "none"]] {
        assert_eq!(run_with(&args).status.code(), Some(2));
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("actions", &[temporary("actions_left.log", &made_log().0)]);
}

#[test]
fn on_the_sample_and_a_log_of_ones_own() {
    for (args, log) in logs() {
        let visits = visits(&log);
        let out = output("actions", &args);
        Asked::by_default(&visits).check(&out, &visits);
        for kind in KINDS {
            let out = output("actions", &[&args[..], &["--kind".to_owned(), kind.to_lowercase()]].concat());
            Asked { kind, ..Asked::by_default(&visits) }.check(&out, &visits);
        }
    }
}
