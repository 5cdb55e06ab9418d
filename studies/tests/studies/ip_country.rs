use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::{nobody_reads, number, output, real, run, temporary, told};

const SAMPLE: &str = include_str!("../../data/ip-country.csv");

type Range<'l> = (IpAddr, IpAddr, &'l str);

fn ranges(lines: &str) -> Vec<Range<'_>> {
    let range = |line| <[&str; 3]>::try_from(str::split(line, ',').collect::<Vec<_>>()).unwrap();
    let ranges = lines.lines().skip(1).map(range);
    ranges.map(|[start, end, country]| (start.parse().unwrap(), end.parse().unwrap(), country)).collect()
}

/// The range around an address, found by looking at every one: the last to begin, of these the shortest, the last line.
fn around<'l>(ranges: &[Range<'l>], address: IpAddr) -> Option<Range<'l>> {
    let mut around: Vec<_> = ranges.iter().filter(|(start, end, _)| *start <= address && address <= *end).collect();
    around.sort_by_key(|(start, end, _)| (*start, Reverse(*end)));
    around.last().map(|range| **range)
}

/// The first and last addresses of some ranges, and those beside them.
fn edges(lines: &str) -> Vec<String> {
    let beside = |address: &str, up: bool| match address.parse().unwrap() {
        IpAddr::V4(address) => {
            let bits = address.to_bits();
            IpAddr::from(if up { bits.wrapping_add(1) } else { bits.wrapping_sub(1) }.to_be_bytes())
        }
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            IpAddr::from(if up { bits.wrapping_add(1) } else { bits.wrapping_sub(1) }.to_be_bytes())
        }
    };
    let count = lines.lines().count();
    let mut edges = vec!["0.0.0.0".to_owned(), "255.255.255.255".into(), "::".into(), "ffff::ffff".into()];
    // A range within another, and one over its end, in the sample.
    edges.extend(["17.67.231.255", "17.67.232.0", "17.67.232.255", "17.67.233.0", "17.67.240.0"].map(Into::into));
    for line in lines.lines().skip(1).step_by(count / 40).chain(lines.lines().skip(count - 5)) {
        let [start, end, _] = line.split(',').collect::<Vec<_>>()[..] else { unreachable!() };
        edges.extend([start.to_owned(), end.to_owned()]);
        edges.extend([beside(start, false).to_string(), beside(end, true).to_string()]);
    }
    edges
}

fn check(out: &str, lines: &str, addresses: &[String]) {
    let ranges = ranges(lines);
    let shown = told(out, "Addresses");
    assert_eq!(shown.lines.len(), addresses.len());
    let mut found = 0;
    for (row, text) in shown.lines.iter().zip(addresses) {
        let words: Vec<_> = row.split_whitespace().collect();
        assert_eq!(words[0], text);
        let address = text.parse().unwrap();
        match around(&ranges, address) {
            None => assert_eq!(words[1..], ["none"], "{address}"),
            Some((start, end, country)) => {
                found += 1;
                assert_eq!((words[1], words[3]), (country, "to"), "{address}");
                // What is told may be cut where another range lies within.
                let (from, to): (IpAddr, IpAddr) = (words[2].parse().unwrap(), words[4].parse().unwrap());
                assert!(start <= from && from <= address && address <= to && to <= end, "{address}");
            }
        }
    }
    assert_eq!((shown.rows, shown.cells, shown.seeks), (found, found, addresses.len() as u64), "a seek each");
    assert!(found > 0 && found < addresses.len() as u64, "some in a range, some in a gap");
    // One row for each, except after the last range.
    assert!(shown.rows_read <= addresses.len() as u64 && shown.rows_read >= found);
    designs(out, &ranges, shown.rows_read);
}

/// How many ranges each country has where they are cut so that none overlap: whose turn it is changes at starts and
/// ends.
fn cut(ranges: &[Range]) -> BTreeMap<String, u64> {
    let (mut starts, mut ends) = (BTreeMap::<IpAddr, Vec<usize>>::new(), BTreeMap::<IpAddr, Vec<usize>>::new());
    for (n, (start, end, _)) in ranges.iter().enumerate() {
        starts.entry(*start).or_default().push(n);
        // No range of a family begins after its last address, but ranges of the other family do.
        let behind = match end {
            IpAddr::V4(end) => {
                end.to_bits().checked_add(1).map_or("::".parse().unwrap(), |bits| IpAddr::from(bits.to_be_bytes()))
            }
            IpAddr::V6(end) => match end.to_bits().checked_add(1) {
                Some(bits) => IpAddr::from(bits.to_be_bytes()),
                None => continue,
            },
        };
        ends.entry(behind).or_default().push(n);
    }
    let (mut open, mut counts, mut last) = (BTreeSet::new(), BTreeMap::new(), None);
    for at in starts.keys().chain(ends.keys()).copied().collect::<BTreeSet<_>>() {
        let key = |n: &usize| (ranges[*n].0, Reverse(ranges[*n].1), *n);
        ends.get(&at).into_iter().flatten().for_each(|n| _ = open.remove(&key(n)));
        open.extend(starts.get(&at).into_iter().flatten().map(key));
        let now = open.last().map(|(_, _, n)| *n);
        if now != last {
            now.into_iter().for_each(|n| *counts.entry(ranges[n].2.to_owned()).or_default() += 1);
            last = now;
        }
    }
    counts
}

fn designs(out: &str, ranges: &[Range], looked_up: u64) {
    let countries = cut(ranges);
    let count: u64 = countries.values().sum();
    let words: Vec<_> = out.lines().next().unwrap().split(' ').collect();
    assert_eq!((number(words[0]), number(words[2])), (ranges.len() as u64, count), "{words:?}");

    let most = told(out, "Countries with most ranges, from their column");
    assert_eq!((most.rows, most.cells, most.rows_read, most.seeks), (count, count, count, 1));
    let mut due: Vec<_> = countries.into_iter().collect();
    due.sort_by_key(|(country, count)| (Reverse(*count), country.clone()));
    let shown: Vec<_> = most.lines.iter().map(|line| line.rsplit_once(' ').unwrap()).collect();
    let shown: Vec<_> = shown.into_iter().map(|(country, count)| (country.trim().to_owned(), number(count))).collect();
    assert_eq!(shown, due[..due.len().min(5)]);

    let lines = out.lines().skip_while(|line| *line != "One value, and a column a field").skip(4);
    let lines = lines.take_while(|line| line.starts_with('│')).map(|line| {
        let [what, numbers @ ..] = &line.trim_matches('│').split('┆').map(str::trim).collect::<Vec<_>>()[..] else {
            unreachable!()
        };
        let numbers: Vec<_> = numbers.iter().map(|text| number(text)).collect();
        (*what, <[u64; 4]>::try_from(numbers).unwrap())
    });
    let costs: BTreeMap<_, _> = lines.collect();
    let [cells, bytes, column_cells, column_bytes] = costs["written: all ranges"];
    assert_eq!((cells, column_cells), (count, 2 * count));
    assert!(bytes < column_bytes);
    assert_eq!(costs["read: everything, as it is stored"], [cells, bytes, column_cells, column_bytes]);
    assert_eq!(
        costs["read: every country"],
        [cells, bytes, column_cells, column_bytes],
        "the other column is passed over"
    );
    assert_eq!(costs["read: the addresses above"][0], looked_up);
    assert!(costs["read: the addresses above"][2] >= 2 * looked_up);
    let ([one, .., column, _], [read, .., column_read, _]) =
        (costs["written: one country"], costs["read: to write one country"]);
    assert_eq!([one, column, read, column_read], [1, 1, 1, 0]);
}

fn agrees(out: &str, lookups: &str) {
    let random = told(out, "Random addresses");
    assert!(random.lines[0].starts_with(&format!("{lookups} lookups agree with a sorted vector, ")), "{out}");
    assert!(!random.lines[0].ends_with(", 0 of them none"));
    assert_eq!(random.seeks, number(lookups));
    assert!(random.rows > 0 && random.rows < random.rows_read);
}

#[test]
fn answers_are_those_of_every_line() {
    let addresses = edges(SAMPLE);
    let out = output("ip_country", &addresses);
    check(&out, SAMPLE, &addresses);
    agrees(&out, "20,000");
    assert!(out.starts_with("3,401 ranges, "));
    assert!(addresses.iter().any(|address| address == "17.67.232.0"));
}

#[test]
fn the_same_of_real_ranges() {
    let Some((path, lines)) = real("ipv4-country.csv.gz") else { return };
    let addresses = edges(&lines);
    let mut args = vec!["--random=10000".to_owned(), "--table".into(), path.to_str().unwrap().to_owned()];
    args.extend(addresses.iter().cloned());
    let out = output("ip_country", &args);
    check(&out, &lines, &addresses);
    agrees(&out, "10,000");
}

#[test]
fn ranges_that_overlap() {
    let lines = "start,end,country\n\
        1.0.0.0,1.0.0.255,AA\n1.0.0.16,1.0.0.31,BB\n1.0.0.16,1.0.0.17,CC\n1.0.0.250,1.0.1.5,DD\n1.0.1.0,1.0.1.5,EE\n\
        1.0.1.0,1.0.1.5,FF\n255.0.0.0,255.255.255.255,GG\n255.255.255.255,255.255.255.255,HH\n::,::5,II\n::5,::5,JJ\n";
    let path = temporary("overlaps.csv", lines.as_bytes());
    let v4 = (0..=255u8).flat_map(|last| [[1, 0, 0, last], [1, 0, 1, last], [255, 255, 255, last]]).map(IpAddr::from);
    let v6 = (0..8u128).map(|last| IpAddr::from(last.to_be_bytes()));
    let addresses: Vec<_> = v4.chain(v6).map(|address| address.to_string()).collect();
    let mut args = vec!["--random=1000".to_owned(), "--table".into(), path.to_str().unwrap().to_owned()];
    args.extend(addresses.iter().cloned());
    check(&output("ip_country", &args), lines, &addresses);
}

#[test]
fn what_is_no_range_is_told() {
    for (name, lines, due) in [
        (
            "no_range.csv",
            "start,end,country\n1.0.0.0,1.0.0.255,AU\n1.0.1.0,CN\n",
            ":3: not start,end,country: \"1.0.1.0,CN\"",
        ),
        ("no_titles.csv", "1.0.0.0,1.0.0.255,AU,more\n", ":1: not start,end,country"),
        ("turned.csv", "1.0.0.0,1.0.0.1,AU\n1.0.0.255,1.0.0.2,AU\n", ":2: not start,end,country"),
        ("families.csv", "\n1.0.0.255,::1,AU\n", ":2: not start,end,country"),
    ] {
        let path = temporary(name, lines.as_bytes());
        let run = run("ip_country", &["--table".as_ref(), path.as_os_str()], b"");
        assert_eq!(run.status.code(), Some(1));
        assert!(run.stderr.contains(due) && run.stderr.trim_end().lines().count() == 1, "{}", run.stderr);
    }
}

#[test]
fn no_ranges_and_one() {
    let out = |name, lines: &[u8], addresses: &[&str]| {
        let path = temporary(name, lines);
        output("ip_country", &[&["--random=10", "--table", path.to_str().unwrap()], addresses].concat())
    };
    let none = out("no_ranges.csv", b"start,end,country\n", &[]);
    assert!(none.starts_with("0 ranges, 0 where they overlap no more\n"));
    assert_eq!(told(&none, "Random addresses").rows_read, 0);
    let marked = out("marked.csv", "\u{feff}1.0.0.0,1.0.0.255,AU\r\n".as_bytes(), &["1.0.0.7"]);
    assert_eq!(told(&marked, "Addresses").lines, ["1.0.0.7                                 AU   1.0.0.0 to 1.0.0.255"]);
    let one = out("one_range.csv", "::1,::1,Åland".as_bytes(), &["::", "::1", "::2"]);
    assert!(one.contains("  ::1") && one.contains(" Åland ::1 to ::1\n"), "{one}");
    assert_eq!(told(&one, "Addresses").rows, 1);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("ip_country", &["--random=10"]);
}
