use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Read;

use crate::places::real_cities;
use crate::{nobody_reads, number, output, run, temporary, told};

/// Letter by letter.
fn lower(text: &str) -> String {
    text.chars().map(|letter| letter.to_lowercase().to_string()).collect()
}

/// A city, as plain code understands it: id, name, country, population.
type City = (u32, String, String, u64);

fn cities(tsv: &str) -> Vec<City> {
    let city = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        (columns[0].parse().unwrap(), columns[1].to_owned(), columns[2].to_owned(), columns[4].parse().unwrap())
    };
    tsv.lines().skip(1).map(city).collect()
}

/// An answer's lines, the first of which are printed.
fn same(out: &str, title: &str, due: &[String], show: usize) {
    let mut lines: Vec<_> = due.iter().take(show).map(|line| line.trim().to_owned()).collect();
    if due.len() > show {
        lines.push(format!("and {} more", indicatif::HumanCount((due.len() - show) as u64)));
    }
    assert_eq!(told(out, title).lines, lines, "{title}");
}

/// The cells of one row, of which nothing else was read.
fn of_one_row(out: &str, title: &str, due: &[String], show: usize) {
    same(out, title, due, show);
    let (found, cells) = (told(out, title), due.len() as u64);
    assert_eq!((found.seeks, found.rows_read, found.cells_read), (1, u64::from(cells > 0), cells), "{title}");
    assert_eq!((found.rows, found.cells), (u64::from(cells > 0), cells), "{title}");
}

/// A range of a row's columns, of which few others were read: the batch in which the range ends.
fn of_columns(out: &str, title: &str, due: &[String], show: usize) {
    same(out, title, due, show);
    let (found, cells) = (told(out, title), due.len() as u64);
    assert_eq!((found.seeks, found.rows, found.cells), (1, u64::from(cells > 0), cells), "{title}");
    assert!(found.cells_read <= 2 * cells + 16, "{title}: {found:?}");
}

/// Rows of the names' table, and no others read.
fn of_names(out: &str, title: &str, due: &[String], show: usize) {
    same(out, title, due, show);
    let (found, rows) = (told(out, title), due.len() as u64);
    assert_eq!((found.seeks, found.rows_read, found.rows, found.cells), (1, rows, rows, rows), "{title}");
}

fn shown<'c>(cities: impl IntoIterator<Item = &'c City>) -> Vec<String> {
    cities.into_iter().map(|(id, name, ..)| format!("{name}  city {id}")).collect()
}

/// All that the study prints.
fn check(out: &str, cities: &[City], from: &str, show: usize, name: Option<&str>, renamings: &[(u32, &str)]) {
    let mut countries = BTreeMap::<&str, Vec<&City>>::new();
    for city in cities {
        countries.entry(&city.2).or_default().push(city);
    }
    countries.values_mut().for_each(|cities| cities.sort_by_key(|city| (&city.1, city.0)));
    let counts = [cities.len(), countries.len()].map(|count| indicatif::HumanCount(count as u64));
    assert_eq!(out.lines().next(), Some(&*format!("{} cities of {} countries in {from}", counts[0], counts[1])));
    let Some((id, largest, home, _)) = cities.iter().min_by_key(|city| (Reverse(city.3), city.0)) else {
        assert_eq!(out.lines().count(), 1);
        return;
    };
    let (fullest, theirs) = countries.iter().min_by_key(|(code, cities)| (Reverse(cities.len()), **code)).unwrap();

    let known = [largest.clone(), format!("country {home}")];
    of_one_row(out, &format!("city {id}: its name and its parent"), &known, 2);
    let way = [format!("{largest}  city {id}"), format!("{home}  country {home}"), "World  world".into()];
    let title = format!("From city {id} up to the world");
    same(out, &title, &way, 3);
    let found = told(out, &title);
    assert_eq!((found.seeks, found.rows_read, found.cells_read, found.rows, found.cells), (3, 3, 5, 3, 5));

    let codes: Vec<_> = countries.keys().map(|code| format!("{code}  country {code}")).collect();
    of_one_row(out, "The countries", &codes, show);
    of_one_row(out, &format!("The cities of country {fullest}"), &shown(theirs.iter().copied()), show);
    if show > 0 && theirs.len() >= show {
        let title = format!("The next {show} cities of country {fullest}, after {}", theirs[show - 1].1);
        let page = shown(theirs.iter().skip(show).take(show).copied());
        of_columns(out, &title, &page, show);
        assert!(told(out, &title).cells_read <= (theirs.len() - show) as u64, "none of those before is read");
    }
    let start: String = name.map_or_else(|| largest.chars().take(2).collect(), str::to_owned);
    let begin = countries[home.as_str()].iter().filter(|city| city.1.starts_with(&start)).copied();
    of_columns(out, &format!("The cities of country {home} whose names begin with {start}"), &shown(begin), show);
    let mut names: BTreeMap<(String, u32), City> =
        cities.iter().map(|city| ((lower(&city.1), city.0), city.clone())).collect();
    let begin = names.iter().filter(|((name, _), _)| name.starts_with(&*lower(&start))).map(|(_, city)| city);
    of_names(out, &format!("What begins with {start}, or any case of it, anywhere"), &shown(begin), show);
    let missing = (0..).find(|id| cities.iter().all(|city| city.0 != *id)).unwrap();
    of_one_row(out, &format!("city {missing}, which is not there"), &[], show);

    let usual = [(*id, &*format!("New {largest}"))];
    let renamings = if renamings.is_empty() { &usual[..] } else { renamings };
    let mut now: BTreeMap<u32, City> = cities.iter().map(|city| (city.0, city.clone())).collect();
    let mut history = BTreeMap::<u32, Vec<(usize, String)>>::new();
    for (edition, (id, name)) in (2..).zip(renamings) {
        let city = now.get_mut(id).unwrap();
        names.remove(&(lower(&city.1), *id)).unwrap();
        history.entry(*id).or_insert_with(|| vec![(1, city.1.clone())]).push((edition, (*name).to_owned()));
        city.1 = (*name).to_owned();
        names.insert((lower(&city.1), *id), city.clone());
        let row = out.lines().skip_while(|line| !line.starts_with("Renamed, ")).filter(|line| line.starts_with('│'));
        let row: Vec<_> = row.skip(1).nth(edition - 2).unwrap().trim_matches('│').split('┆').map(str::trim).collect();
        assert_eq!(row[..5], [&format!("city {id}"), &*edition.to_string(), *name, "1", "3"], "one read, three writes");
        assert_eq!(number(row[5]), 5, "an old name and a new one in two tables, and the name itself");
    }
    for (id, editions) in &history {
        let (_, name, country, _) = &now[id];
        let all: Vec<_> = editions.iter().rev().map(|(edition, name)| format!("edition {edition}  {name}")).collect();
        of_one_row(out, &format!("city {id}: all its names"), &all, usize::MAX);
        let title = format!("city {id}: its name in edition 1");
        same(out, &title, &[editions[0].1.clone()], 1);
        assert_eq!((told(out, &title).rows, told(out, &title).cells), (1, 1));
        for (name, when) in [(&editions[0].1, "then"), (name, "now")] {
            let title = format!("city {id}: what has the name of {when}, {name}");
            let due = names.iter().filter(|((folded, _), _)| *folded == lower(name)).map(|(_, city)| city);
            of_names(out, &title, &shown(due), show);
            let title = format!("city {id}: the children of country {country} with the name of {when}, {name}");
            let due = now.values().filter(|city| city.2 == *country && city.1 == *name);
            of_columns(out, &title, &shown(due), show);
        }
    }
}

fn lines(cities: &[(u32, &str, &str, u64)]) -> String {
    let line = |(id, name, country, people): &_| format!("{id}\t{name}\t{country}\tPPL\t{people}\t1.5\t-2\n");
    format!(
        "geonameid\tname\tcountry\tfeature_code\tpopulation\tlat\tlon\n{}",
        cities.iter().map(line).collect::<String>()
    )
}

#[test]
fn the_sample() {
    let cities = cities(include_str!("../../data/cities.tsv"));
    check(&output("locations", &[""; 0]), &cities, "the sample", 5, None, &[]);
    let [a, b] = [&cities[10], &cities[20]];
    // A name of another, one's own back, one in other letters, the one that it has.
    let upper = a.1.to_uppercase();
    let renamings = [(a.0, &*b.1), (b.0, "Ü"), (b.0, &*b.1), (a.0, &*upper), (a.0, &*upper)];
    let mut args = vec!["--name".to_owned(), "s".to_owned(), "--show".to_owned(), "1000000".to_owned()];
    args.extend(renamings.iter().map(|(id, name)| format!("--rename={id}={name}")));
    check(&output("locations", &args), &cities, "the sample", 1_000_000, Some("s"), &renamings);
    check(&output("locations", &["--show", "0"]), &cities, "the sample", 0, None, &[]);
}

#[test]
fn all_cities() {
    let Some((path, _)) = real_cities() else { return };
    let mut tsv = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap()).read_to_string(&mut tsv).unwrap();
    let (path, cities) = (path.to_str().unwrap(), cities(&tsv));
    check(&output("locations", &[path]), &cities, path, 5, None, &[]);
    let city = &cities[cities.len() / 2];
    let args = [path, "--show", "1000000", "--name", &city.1, "--rename", &format!("{}=a=b", city.0)];
    check(&output("locations", &args), &cities, path, 1_000_000, Some(&city.1), &[(city.0, "a=b")]);
}

#[test]
fn few_cities_and_none() {
    let few = [
        (7, "ß", "ÄÖ", 3),
        (4_294_967_295, "SS", "ÄÖ", 3),
        (0, "Ångström", "", 2),
        (5, "", "ÄÖ", 0),
        (6, "a b  c", "\u{10ffff}", 0),
        (8, "ss", "ÄÖ", 3),
    ];
    // In lower case a word's last Σ is ς, and as a letter in it σ.
    let greek = [(1, "ΟΣΑΚΑ", "GR", 2), (2, "οσα", "GR", 1), (3, "ΟΣ", "CY", 0), (4, "İi", "TR", 0)];
    for some in [&few[..], &few[..1], &greek, &[]] {
        let tsv = lines(some);
        let path = temporary("locations.tsv", tsv.as_bytes());
        let path = path.to_str().unwrap();
        check(&output("locations", &[path]), &cities(&tsv), path, 5, None, &[]);
    }
    let path = temporary("locations_none.tsv", b"");
    let path = path.to_str().unwrap();
    check(&output("locations", &[path]), &[], path, 5, None, &[]);
}

#[test]
fn errors_are_told() {
    let titles = lines(&[(1, "a", "A", 1)]);
    for (line, error) in [
        ("x\ty\n", "3: not a city: \"x\\ty\""),
        ("-1\tb\tB\tPPL\t1\t0\t0\n", "3: not a city: \"-1\\tb\\tB\\tPPL\\t1\\t0\\t0\""),
        ("2\tb\tB\tPPL\tmany\t0\t0\n", "3: not a city: \"2\\tb\\tB\\tPPL\\tmany\\t0\\t0\""),
        ("1\tb\tB\tPPL\t1\t0\t0\n", "3: 1 is there twice"),
    ] {
        let path = temporary("locations_wrong.tsv", (titles.clone() + line).as_bytes());
        let run = run("locations", &[&path], b"");
        assert_eq!((run.status.code(), run.stdout.as_str()), (Some(1), ""));
        assert_eq!(run.stderr, format!("error: {}:{error}\n", path.display()));
    }
    let path = temporary("locations_first.tsv", b"1\tParis\tFR\tPPLC\tmany\t48\t2\n");
    let first = run("locations", &[&path], b"");
    assert!(first.stderr.starts_with(&format!("error: {}:1: not a city: ", path.display())), "{}", first.stderr);

    let path = temporary("locations_right.tsv", titles.as_bytes());
    let args = [path.to_str().unwrap(), "--rename", "2=x"];
    for (args, error) in [(&args[..], "there is no city 2"), (&["no_such.tsv"], "cannot read no_such.tsv: ")] {
        let run = run("locations", args, b"");
        assert_eq!(run.status.code(), Some(1));
        assert!(
            run.stderr.starts_with(&format!("error: {error}")) && run.stderr.lines().count() == 1,
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("locations", &[""; 0]);
}
