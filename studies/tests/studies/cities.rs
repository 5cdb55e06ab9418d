use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::places::{City, cities, digits, inside, real_cities, sample, tiles_in};
use crate::{nobody_reads, output, run, temporary, told};

fn metres((a_lat, a_lon): (f64, f64), (b_lat, b_lon): (f64, f64)) -> f64 {
    let (a, b) = (a_lat.to_radians(), b_lat.to_radians());
    let h = ((b - a) / 2.0).sin().powi(2) + a.cos() * b.cos() * ((b_lon - a_lon).to_radians() / 2.0).sin().powi(2);
    2.0 * 6_371_008.8 * h.sqrt().asin()
}

/// The arguments of the study.
struct Asked<'a> {
    view: [f64; 4],
    near: (f64, f64),
    tiles: &'a [&'a str],
    feature: &'a str,
    show: usize,
}

const UNASKED: Asked<'static> = Asked {
    view: [36.0, -10.0, 60.0, 30.0],
    near: (47.6, -122.3),
    tiles: &["0121", "1202"],
    feature: "PPLA",
    show: 10,
};

/// All that the study prints of a view, a point, some tiles and feature codes.
fn check(out: &str, cities: &[City], Asked { view, near, tiles, feature, show }: Asked<'_>) {
    let within: Vec<_> = cities.iter().filter(|city| inside(view, city)).collect();
    let mut largest = within.clone();
    largest.sort_by_key(|city| (Reverse(city.population), &city.name, city.id));
    let shown = told(out, "Names in view");
    let rows = largest.iter().take(show).map(|city| format!("{}  {}", city.population, city.label()));
    assert_eq!(shown.lines, rows.collect::<Vec<_>>());
    assert_eq!((shown.rows, shown.cells), (shown.lines.len() as u64, shown.lines.len() as u64));

    // What is not half as large as the last that is shown was not read; the largest and the smallest of all were.
    let magnitude = |city: &City| u64::BITS - city.population.leading_zeros();
    let last = show.checked_sub(1).and_then(|last| largest.get(last)).map_or(0, |city| magnitude(city));
    let all = told(out, "All cities in view");
    assert_eq!(all.rows, within.len() as u64);
    let of_magnitude = cities.iter().filter(|city| magnitude(city) >= last).count() as u64;
    assert!(
        shown.rows_read >= shown.rows && shown.rows_read <= all.rows_read.min(of_magnitude) + 2,
        "{shown:?} {all:?}"
    );
    assert!(all.rows_read <= all.rows * 5 / 4 + 8, "{all:?}");

    let mut sorted: Vec<_> =
        cities.iter().map(|city| (metres(near, (city.latitude, city.longitude)), city.id, city.label())).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let nearest = told(out, &format!("The {show} nearest to {}, {}", near.0, near.1));
    let rows = sorted.iter().take(show).map(|(metres, _, label)| format!("{:.1} km  {label}", metres / 1000.0));
    assert_eq!(nearest.lines, rows.collect::<Vec<_>>());
    assert!(nearest.rows_read >= nearest.rows && nearest.rows_read <= cities.len() as u64, "{nearest:?}");
    if cities.len() >= 1000 {
        assert!(nearest.rows_read < cities.len() as u64 / 2, "{nearest:?}");
    }

    for tile in tiles {
        let mut within: Vec<_> = cities.iter().map(|city| (digits(city.xy(16), 16), city.id, city.label())).collect();
        within.retain(|(digits, ..)| digits.starts_with(tile));
        within.sort();
        let listed = told(out, &format!("All in tile {tile}"));
        assert_eq!((listed.rows_read, listed.rows, listed.seeks), (within.len() as u64, within.len() as u64, 1));
        let mut rows: Vec<_> =
            within.iter().take(show).map(|(digits, _, label)| format!("{digits}  {label}")).collect();
        rows.extend(within.len().checked_sub(show).filter(|more| *more > 0).map(|more| format!("and {more} more")));
        assert_eq!(listed.lines, rows);
    }

    let tiles = tiles_in(view, 5);
    let importance = |city: &City| match (city.feature_code.as_str(), city.population) {
        ("PPLC", _) => 0,
        (_, population) if population >= 1_000_000 => 0,
        ("PPLA", _) => 1,
        (_, population) if population >= 300_000 => 1,
        _ => 2,
    };
    let squares = |title: &str, asked_for: &dyn Fn(&City) -> bool| {
        let mut found: Vec<_> =
            cities.iter().filter(|city| tiles.contains(&digits(city.xy(5), 5)) && asked_for(city)).collect();
        let rows = found.iter().map(|city| city.xy(5)).collect::<BTreeSet<_>>().len() as u64;
        let cells = found.len() as u64;
        found.retain(|city| inside(view, city));
        found.sort_by_key(|city| (Reverse(city.population), city.id));
        let lines = found.iter().take(show).map(|city| {
            format!("{:>10}  {:5}  {}", city.population, city.feature_code, city.label()).trim().to_owned()
        });
        let lines: Vec<_> = [format!("{} of them lie within the box", found.len())].into_iter().chain(lines).collect();
        let shown = told(out, title);
        assert_eq!((shown.seeks, shown.rows, shown.cells), (tiles.len() as u64, rows, cells), "{title}");
        assert_eq!(shown.lines, lines, "{title}");
        shown.cells_read
    };
    let far = squares("In view from afar: high", &|city| importance(city) == 0);
    let nearer = squares("In view from nearer: high and medium", &|city| importance(city) <= 1);
    let near = squares("In view from near: all families", &|_| true);
    let of_family = |family| {
        let of_tile = cities.iter().filter(|city| tiles.contains(&digits(city.xy(5), 5)));
        of_tile.filter(|city| importance(city) == family).count() as u64
    };
    // Of a family alone not a cell is read that is not asked for; between two there is a third to jump over.
    assert_eq!((far, near), (of_family(0), of_family(0) + of_family(1) + of_family(2)));
    assert!(of_family(0) + of_family(1) <= nearer && nearer <= near);
    let this = squares(&format!("In view of feature code {feature}"), &|city| city.feature_code == feature);
    let these =
        squares(&format!("In view of feature codes {feature}*"), &|city| city.feature_code.starts_with(feature));
    assert!(this <= near && these <= near);

    // The tables are drawn from rows that are there.
    let mut by_tile = BTreeMap::<String, u64>::new();
    for city in cities {
        *by_tile.entry(digits(city.xy(5), 5)).or_default() += 1;
    }
    let drawn = out.lines().skip_while(|line| !line.starts_with("Table squares")).nth(4);
    let tile = drawn.and_then(|line| line.split_whitespace().nth(1));
    assert_eq!(tile.and_then(|tile| by_tile.get(tile)), by_tile.values().max(), "{drawn:?}");
    assert!(out.contains("\nTable labels, its first rows\n"));
    let pictures = out.lines().filter(|line| line.starts_with('┌') && line.contains('┬')).count();
    assert!(pictures >= if cities.is_empty() { 1 } else { 4 });
}

#[test]
fn the_sample() {
    let cities = sample();
    assert_eq!(cities.len(), 1000);
    let out = output("cities", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\n"), "{out}");
    check(&out, &cities, UNASKED);
}

#[test]
fn all_cities() {
    let Some((path, cities)) = real_cities() else { return };
    let path = path.to_str().unwrap();
    check(&output("cities", &[path]), &cities, UNASKED);
    // Across the antimeridian, near a pole, and a tile of one city or none.
    let args =
        [path, "--view=-50,160,10,-140", "--near=-89,179", "--tile", "30011112", "--show", "7", "--feature", "PPL"];
    let asked = Asked {
        view: [-50.0, 160.0, 10.0, -140.0],
        near: (-89.0, 179.0),
        tiles: &["30011112"],
        feature: "PPL",
        show: 7,
    };
    check(&output("cities", &args), &cities, asked);
}

#[test]
fn a_few_cities_one_and_none() {
    let few = "titles\n\
        9\tŁódź\tPL\tPPLA\t0\t51.77\t19.46\n\
        7\tŁódź\tPL\tPPLC\t0\t51.77\t19.46\n\
        8\t\t\t\t1000000\t90\t-180\n\
        4294967295\tб\tru\tPPLA22\t18446744073709551615\t-90\t180\n";
    for lines in [1, 2, 3, 5] {
        let text: String = few.split_inclusive('\n').take(lines).collect();
        let path = temporary(&format!("cities_{lines}.tsv"), text.as_bytes());
        let out = output("cities", &[path.to_str().unwrap(), "--view=-90,-180,90,180"]);
        assert!(out.starts_with(&format!("{} cities of ", lines - 1)), "{out}");
        check(&out, &cities(&text), Asked { view: [-90.0, -180.0, 90.0, 180.0], ..UNASKED });
    }
}

#[test]
fn what_is_no_list_of_cities_is_told() {
    let missing = run("cities", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.tsv: "), "{}", missing.stderr);
    let path = temporary("cities.tsv", b"titles\n1\tNowhere\tXX\tPPL\t7\t91.5\t0\n");
    let wrong = run("cities", &[path.to_str().unwrap()], b"");
    assert!(wrong.stderr.contains(":2: latitude 91.5 is not from -90 to 90"), "{}", wrong.stderr);
    let path = temporary("cities_twice.tsv", b"7\tA\tXX\tPPL\t7\t1.5\t0\n7\tB\tXX\tPPL\t7\t1.5\t0\n");
    let twice = run("cities", &[path.to_str().unwrap()], b"");
    assert_eq!((twice.status.code(), twice.stderr.lines().count()), (Some(1), 1));
    assert!(twice.stderr.contains(":2: city 7 is there twice"), "{}", twice.stderr);
    let path = temporary("cities_first.tsv", b"7\tA\tXX\tPPL\t7\t91.5\t0\n");
    let first = run("cities", &[path.to_str().unwrap()], b"");
    assert!(
        first.stderr.contains(":1: latitude 91.5 is not"),
        "what begins with a number is no title: {}",
        first.stderr
    );
    // Titles, empty lines and carriage returns are no cities, and a list may have no titles.
    for text in [
        "\u{feff}1\tSomewhere\tXX\tPPL\t7\t1.5\t0\n",
        "titles\r\n1\tSomewhere\tXX\tPPL\t7\t1.5\t0\r\n\r\n",
        "1\tSomewhere\tXX\tPPL\t7\t1.5\t0\n",
    ] {
        let path = temporary("cities_elsewhere.tsv", text.as_bytes());
        assert!(output("cities", &[path.to_str().unwrap()]).starts_with("1 cities of "));
    }
    assert_eq!(run("cities", &["--view", "1,2,3"], b"").status.code(), Some(2));
    assert_eq!(run("cities", &["--tile", "4"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("cities", &[""; 0]);
}
