use std::cmp::Reverse;

use crate::{nobody_reads, output, real, run, temporary, told};

/// A city of the list, by rank: population, id, name, country.
type City = (Reverse<u64>, u32, String, String);

fn ranked(tsv: &str) -> Vec<City> {
    let mut cities: Vec<City> = Vec::new();
    for line in tsv.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let (id, population) = (columns[0].parse().unwrap(), columns[4].parse().unwrap());
        cities.push((Reverse(population), id, columns[1].to_owned(), columns[2].to_owned()));
    }
    cities.sort();
    cities
}

/// Lower case, whatever comes before and after a character.
fn lower(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().to_string()).collect()
}

/// Ten names that begin so, best first, as they are printed; and how many there are.
fn best(cities: &[City], typed: &str) -> (Vec<String>, u64) {
    let typed = lower(typed);
    let begins = |city: &&City| lower(&city.2).starts_with(&typed);
    let shown = cities.iter().filter(begins).take(10).map(|(Reverse(population), _, name, country)| {
        let digits = population.to_string();
        let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
        format!("{}  {country}  {name}", groups.join(",")).trim().to_owned()
    });
    (shown.collect(), cities.iter().filter(begins).count() as u64)
}

fn check(out: &str, mut cities: Vec<City>, asked: &[String]) {
    for typed in asked {
        let (expected, all) = best(&cities, typed);
        if lower(typed).chars().count() <= 12 {
            let found = told(out, &format!("{typed:?} is typed"));
            let there = u64::from(all > 0);
            assert_eq!((found.seeks, found.rows_read, found.rows), (1, there, there), "one lookup, whatever is typed");
            assert_eq!(found.lines, expected, "{typed:?}");
        } else {
            let found = told(out, &format!("All names that begin with {typed:?}, and the best of them"));
            assert_eq!((found.rows_read, found.rows), (all, expected.len() as u64));
            assert_eq!(found.lines, expected, "{typed:?}");
        }
    }
    let largest = cities[0].clone();
    let first: String = lower(&largest.2).chars().take(1).collect();
    let scanned = told(out, &format!("All names that begin with {first:?}, and the best of them"));
    let (expected, all) = best(&cities, &first);
    assert_eq!((scanned.rows_read, scanned.seeks), (all, 1), "the design that this one is for reads them all");
    assert_eq!(scanned.lines, expected);

    let smallest = cities.pop().unwrap();
    let grown = told(out, &format!("{} grows larger than {}", smallest.2, largest.2));
    let beginnings = lower(&smallest.2).chars().count().min(12);
    assert_eq!((grown.rows_read, grown.seeks), (beginnings as u64, beginnings as u64));
    assert_eq!(grown.lines, [format!("{} rows written", beginnings + 1)]);
    cities.push((Reverse(largest.0.0.saturating_add(1)), smallest.1, smallest.2.clone(), smallest.3));
    cities.sort();
    let first: String = lower(&smallest.2).chars().take(1).collect();
    let behind = out.rsplit_once(" grows larger than ").unwrap().1;
    if first.is_empty() {
        return assert!(!behind.contains(" is typed"), "a name of no letters has no beginnings");
    }
    assert_eq!(told(behind, &format!("{first:?} is typed")).lines, best(&cities, &first).0);
}

/// The beginnings that are typed unless others are given.
fn by_default(cities: &[City]) -> Vec<String> {
    let name: Vec<char> = lower(&cities[0].2).chars().collect();
    let mut typed: Vec<String> = (1..=name.len().min(4)).map(|len| name[..len].iter().collect()).collect();
    typed.extend(["zzz".to_owned(), format!("{}, and more", cities[0].2)]);
    typed
}

#[test]
fn the_sample() {
    let cities = ranked(include_str!("../../data/cities.tsv"));
    let out = output("autocomplete", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\n"), "{out}");
    check(&out, cities.clone(), &by_default(&cities));
    let typed = ["SAN", "san fr", "san francisco", "São", "sao", "m", "Ñ", "a\u{307}", "\u{10ffff}"];
    let args: Vec<_> = typed.iter().flat_map(|typed| ["--typed", typed]).collect();
    check(&output("autocomplete", &args), cities, &typed.map(str::to_owned));
}

#[test]
fn all_cities() {
    let Some((path, tsv)) = real("cities.tsv.gz") else { return };
    let cities = ranked(&tsv);
    check(&output("autocomplete", &[path]), cities.clone(), &by_default(&cities));
}

#[test]
fn cities_of_one_name_and_one_size() {
    let titles = "geonameid\tname\tcountry\tfeature_code\tpopulation\tlat\tlon";
    let line = |id: u32, name: &str| format!("{id}\t{name}\tXX\tPPL\t7\t0\t0");
    let lines: Vec<_> = (0..30).rev().map(|id| line(id, "Éa")).chain([line(99, "X"), line(98, "İstanbul")]).collect();
    let tsv = format!("{titles}\n{}\n", lines.join("\n"));
    let path = temporary("autocomplete.tsv", tsv.as_bytes());
    let typed = ["é", "i", "İ", "x", "xx"].map(str::to_owned);
    let args = ["--typed", "é", "--typed", "i", "--typed", "İ", "--typed", "x", "--typed", "xx"];
    let out = output("autocomplete", &[&[path.to_str().unwrap()], &args[..]].concat());
    check(&out, ranked(&tsv), &typed);

    let one = temporary("autocomplete-one.tsv", format!("{titles}\n{}", line(5, "Å")).as_bytes());
    let cities = ranked(&std::fs::read_to_string(&one).unwrap());
    check(&output("autocomplete", &[one]), cities.clone(), &by_default(&cities));
    let none = temporary("autocomplete-none.tsv", titles.as_bytes());
    assert!(output("autocomplete", &[&none]).starts_with("0 cities of "));
}

#[test]
fn odd_names_and_sizes() {
    for (n, lines) in [
        // A sigma has another form at a word's end, but a beginning is not the end of a word.
        "1\tΟΔΟΣ\tGR\tPPL\t7\t0\t0\n2\tΣΑΣΑΣ Α\tGR\tPPL\t9\t0\t0\n",
        "1\t\tXX\tPPL\t7\t0\t0\n2\tSome\tXX\tPPL\t0\t0\t0\n",
        "1\t\tXX\tPPL\t0\t0\t0\n2\tSome\tXX\tPPL\t9\t0\t0\n",
        // None can grow larger than this.
        "1\tSa\tXX\tPPL\t18446744073709551615\t0\t0\n2\tSome\tXX\tPPL\t9\t0\t0\n",
    ]
    .into_iter()
    .enumerate()
    {
        let tsv = format!("\u{feff}titles\r\n{}", lines.replace('\n', "\r\n"));
        let path = temporary(&format!("autocomplete-odd-{n}.tsv"), tsv.as_bytes());
        let cities = ranked(&tsv);
        check(&output("autocomplete", &[&path]), cities.clone(), &by_default(&cities));
        let typed = ["ΣΑΣ", "οδο", "s", "S\u{3a3}"];
        let args: Vec<_> = typed.iter().flat_map(|typed| ["--typed", typed]).collect();
        let out = output("autocomplete", &[&[path.to_str().unwrap()], &args[..]].concat());
        check(&out, cities, &typed.map(str::to_owned));
    }
}

#[test]
fn what_is_no_list_of_cities_is_refused() {
    let path = temporary("autocomplete-bad.tsv", b"geonameid\tname\n1\tParis\tFR\tPPLC\tmany\t48\t2\n");
    let bad = run("autocomplete", &[&path], b"");
    assert_eq!(bad.status.code(), Some(1));
    assert_eq!(bad.stderr, format!("error: {}:2: invalid digit found in string\n", path.display()));
    let missing = run("autocomplete", &["no/such/file"], b"");
    assert_eq!(missing.status.code(), Some(1));
    assert!(missing.stderr.starts_with("error: cannot read no/such/file: "), "{}", missing.stderr);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("autocomplete", &[""; 0]);
}
