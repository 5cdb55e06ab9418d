use std::cmp::Reverse;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;

use crate::{answer, nobody_reads, output, run, temporary};

const SAMPLE: &str = include_str!("../../examples/data/ip-country.csv");

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
    let shown = answer(out, "Addresses");
    assert_eq!(shown.rows.len(), addresses.len());
    let mut found = 0;
    for (row, text) in shown.rows.iter().zip(addresses) {
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
    assert_eq!(shown.returned, found);
    assert!(found > 0 && found < addresses.len() as u64, "some in a range, some in a gap");
    // One row for each, but for those behind the last range.
    assert!(shown.read <= addresses.len() as u64 && shown.read >= found);
}

fn agrees(out: &str, lookups: &str) {
    let random = answer(out, "Random addresses");
    assert!(random.rows[0].starts_with(&format!("{lookups} lookups agree with a sorted vector, ")), "{out}");
    assert!(!random.rows[0].ends_with(", 0 of them none"));
    assert!(random.returned > 0 && random.returned < random.read);
}

#[test]
fn answers_are_those_of_every_line() {
    let addresses = edges(SAMPLE);
    let out = output("ip_country", &addresses);
    check(&out, SAMPLE, &addresses);
    agrees(&out, "100,000");
    assert!(out.starts_with("3,401 ranges, "));
    assert!(addresses.iter().any(|address| address == "17.67.232.0"));
}

#[test]
fn the_same_of_real_ranges() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ipv4-country.csv.gz");
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: there is no {}", path.display());
        return;
    };
    let mut lines = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).unwrap();
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
    let mut args = vec!["--table".to_owned(), path.to_str().unwrap().to_owned()];
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
        ("turned.csv", "1.0.0.0,1.0.0.1,AU\n1.0.0.255,1.0.0.2,AU\n", ":2: not start,end,country"),
        ("families.csv", "\n1.0.0.255,::1,AU\n", ":2: not start,end,country"),
    ] {
        let path = temporary(name, lines.as_bytes());
        let run = run("ip_country", &["--table".as_ref(), path.as_os_str()], b"");
        assert!(!run.status.success());
        assert!(run.stderr.contains(due), "{}", run.stderr);
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("ip_country", &["--random=10"]);
}
