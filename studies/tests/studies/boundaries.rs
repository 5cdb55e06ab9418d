use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::places::{City, cities, digits, inside, real_cities, sample, tiles_in, xy};
use crate::{Told, nobody_reads, output, run, temporary, told};

/// The arguments of the study.
struct Asked<'a> {
    region: &'a str,
    view: [f64; 4],
    zoom: u32,
    at: (f64, f64),
    show: usize,
}

const UNASKED: Asked<'static> =
    Asked { region: "a:jp", view: [20.0, 100.0, 50.0, 150.0], zoom: 4, at: (35.68, 139.69), show: 6 };

/// The regions that a city is in, by the bounds of each.
fn regions_of(city: &City) -> [String; 3] {
    let belts = [
        ("antarctic", -90.0..=-66.56),
        ("southern", -66.56..=-23.44),
        ("northern", 23.44..=66.56),
        ("arctic", 66.56..=90.0),
    ];
    let belt = match belts.iter().rev().find(|(_, latitudes)| latitudes.contains(&city.latitude)) {
        // A circle belongs to the belt on the side of its pole.
        Some(_) if city.latitude == -66.56 => "antarctic",
        Some((belt, _)) => belt,
        None => "tropics",
    };
    let zone: i32 = (-12..=12)
        .find(|zone| {
            let meridian = f64::from(15 * zone);
            (meridian - 7.5..meridian + 7.5).contains(&city.longitude)
        })
        .unwrap();
    let sign = if zone < 0 { '-' } else { '+' };
    let country: String = city.country.chars().flat_map(char::to_lowercase).collect();
    [format!("a:{country}"), format!("b:{belt}"), format!("z:{sign}{:02}", zone.abs())]
}

/// A box told of some cities holds them, no side can be moved, and none that holds them is narrower.
fn check_box(told: &str, cities: &[&City]) {
    let sides: Vec<f64> = told.split(',').map(|side| side.parse().unwrap()).collect();
    let [south, west, north, east] = sides[..] else { panic!("{told}") };
    assert!(cities.iter().all(|city| inside([south, west, north, east], city)), "{told}");
    let sorted = |degrees: fn(&City) -> f64| {
        let mut all: Vec<_> = cities.iter().map(|city| degrees(city)).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (latitudes, longitudes) = (sorted(|city| city.latitude), sorted(|city| city.longitude));
    assert_eq!((latitudes.first(), latitudes.last()), (Some(&south), Some(&north)));
    let east_of = |from: f64, to: f64| if to >= from { to - from } else { to - from + 360.0 };
    // Who starts at one of them and goes east goes round to the one before it.
    let mut starts = longitudes;
    starts.dedup();
    let before = starts.iter().cycle().skip(starts.len() - 1);
    let narrowest = starts.iter().zip(before).map(|(&from, &to)| east_of(from, to)).fold(f64::INFINITY, f64::min);
    assert!(east_of(west, east) <= narrowest + 1e-9, "{told}: {narrowest}");
}

/// The expected rows of tiles: by region the number of cities, and of tiles.
struct Due {
    rows: u64,
    cells: u64,
    lines: Vec<String>,
}

/// The regions in tiles, of those of a zoom, that are asked for.
fn due(cities: &[City], tiles: &BTreeSet<String>, zoom: u32, asked_for: &dyn Fn(&str) -> bool) -> Due {
    let mut found = BTreeMap::<String, (u64, BTreeSet<String>)>::new();
    for city in cities {
        let tile = digits(city.xy(zoom), zoom);
        if !tiles.contains(&tile) {
            continue;
        }
        for region in regions_of(city).into_iter().filter(|region| asked_for(region)) {
            let (cities, tiles) = found.entry(region).or_default();
            *cities += 1;
            tiles.insert(tile.clone());
        }
    }
    let rows = found.values().flat_map(|(_, tiles)| tiles).collect::<BTreeSet<_>>().len() as u64;
    let cells = found.values().map(|(_, tiles)| tiles.len() as u64).sum();
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(region, (cities, _))| (region.as_bytes()[0], Reverse(*cities), region.clone()));
    let line = |(region, (cities, tiles)): (String, (u64, BTreeSet<String>))| {
        format!("{region}  {cities} cities in {} tiles", tiles.len())
    };
    Due { rows, cells, lines: found.into_iter().map(line).collect() }
}

/// The lines that are shown of many.
fn shown(lines: &[String], show: usize) -> Vec<String> {
    let more = lines.len().saturating_sub(show);
    let more = (more > 0).then(|| format!("and {more} more"));
    lines.iter().take(show).cloned().chain(more).map(|line| line.trim().to_owned()).collect()
}

fn check(out: &str, cities: &[City], Asked { region, view, zoom, at, show }: Asked<'_>) {
    let mut by_region = BTreeMap::<String, Vec<&City>>::new();
    for city in cities {
        for region in regions_of(city) {
            by_region.entry(region).or_default().push(city);
        }
    }
    let info = |cities: &[&City]| {
        let largest = cities.iter().max_by_key(|city| (city.population, Reverse(city.id))).unwrap();
        let people: u128 = cities.iter().map(|city| u128::from(city.population)).sum();
        format!("{} cities, {people} people, largest {}", cities.len(), largest.name)
    };

    let found = told(out, &format!("Region {region}"));
    let there = by_region.get(region);
    let rows = u64::from(there.is_some());
    assert_eq!((found.seeks, found.rows_read, found.rows), (1, rows, rows));
    if let Some(cities) = there {
        let (line, sides) = found.lines[0].rsplit_once(", in ").unwrap();
        assert_eq!(line, info(cities));
        check_box(sides, cities);
    }
    for family in ["a", "b", "z"] {
        let of: Vec<_> = by_region.iter().filter(|(region, _)| region.starts_with(family)).collect();
        let found = told(out, &format!("Regions of type {family}"));
        let all = of.len() as u64;
        assert_eq!((found.seeks, found.rows_read, found.rows), (1, all, all));
        for (line, (region, cities)) in found.lines.iter().zip(&of).take(show) {
            let (line, sides) = line.rsplit_once(", in ").unwrap();
            assert_eq!(line, format!("{region}  {}", info(cities)));
            check_box(sides, cities);
        }
        assert_eq!(found.lines.len(), all.min(show as u64) as usize + usize::from(all > show as u64));
    }

    let compare = |title: &str, due: &Due| -> Told<'_> {
        let found = told(out, title);
        assert_eq!((found.rows, found.cells), (due.rows, due.cells), "{title}");
        assert_eq!(found.lines, shown(&due.lines, show), "{title}");
        found
    };
    // A get for each tile in view; all of a row, and nothing else, is read where all is asked for.
    let tiles = tiles_in(view, zoom);
    let all = due(cities, &tiles, zoom, &|_| true);
    let found = compare(&format!("In view at zoom {zoom}: all families"), &all);
    assert_eq!((found.seeks, found.rows_read, found.cells_read), (tiles.len() as u64, all.rows, all.cells));
    let some = due(cities, &tiles, zoom, &|region| !region.starts_with('b'));
    let found = compare(&format!("In view at zoom {zoom}: families a and z"), &some);
    assert!(found.seeks == tiles.len() as u64 && found.cells_read <= all.cells);
    let one = due(cities, &tiles, zoom, &|other| other == region);
    let found = compare(&format!("In view at zoom {zoom}: column {region}"), &one);
    assert!(found.seeks == tiles.len() as u64 && found.cells_read <= all.cells);

    // The same view has no fewer rows in the base tiles, of those that hold a city of the view.
    let base = due(cities, &tiles_in(view, 9), 9, &|_| true);
    let found = compare("In view, by the base tiles: all families", &base);
    assert_eq!((found.rows_read, found.cells_read), (base.rows, base.cells));

    for zoom in [0, 5, 8, 9, 14, 20] {
        let tile = digits(xy(at.0, at.1, zoom.min(9)), zoom.min(9));
        let due = due(cities, &BTreeSet::from([tile.clone()]), zoom.min(9), &|_| true);
        let found = compare(&format!("Over {}, {} at zoom {zoom}: the row of tile \"{tile}\"", at.0, at.1), &due);
        assert_eq!((found.seeks, found.rows_read, found.cells_read), (1, due.rows, due.cells));
    }

    for title in ["The key of a region", "The key of a base tile", "Table regions, some rows", "Table tiles, a row"] {
        assert_eq!(out.lines().any(|line| line == title), !cities.is_empty(), "{title}");
    }
    // The key of a tile from afar has three bytes.
    let offsets = out.lines().skip_while(|line| *line != "The key of a tile from afar").nth(1);
    let offsets = offsets.map(|offsets| offsets.split_whitespace().collect::<Vec<_>>());
    assert_eq!(offsets, (!cities.is_empty()).then(|| vec!["0", "1", "3"]));
}

#[test]
fn the_sample() {
    let out = output("boundaries", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\nRegions are derived from the cities, "), "{out}");
    check(&out, &sample(), UNASKED);
}

#[test]
fn all_cities() {
    let Some((path, cities)) = real_cities() else { return };
    let path = path.to_str().unwrap();
    let out = output("boundaries", &[path]);
    check(&out, &cities, UNASKED);
    // Far more is read of the base tiles.
    let (afar, near) =
        (told(&out, "In view at zoom 4: all families"), told(&out, "In view, by the base tiles: all families"));
    assert!(afar.rows_read * 10 < near.rows_read && afar.cells_read * 10 < near.cells_read);

    // Across the antimeridian, at sea, and of a region that is nowhere.
    let args = [path, "--region", "z:+13", "--view=-50,160,10,-140", "--zoom", "3", "--at=-89,180", "--show", "300"];
    let asked = Asked { region: "z:+13", view: [-50.0, 160.0, 10.0, -140.0], zoom: 3, at: (-89.0, 180.0), show: 300 };
    check(&output("boundaries", &args), &cities, asked);
}

#[test]
fn a_few_cities_one_and_none() {
    let few = "titles\n\
        9\tŁódź\tPL\tPPLA\t0\t51.77\t19.46\n\
        7\tŁódź\tpl\tPPLC\t0\t51.77\t-172.5\n\
        8\t\t\t\t18446744073709551615\t90\t-180\n\
        3\tb\tÅ:b\tPPL\t18446744073709551615\t-23.44\t180\n\
        4\tб, in\tÅ:B\tPPL\t1\t-66.56\t-7.5\n";
    for lines in [1, 2, 3, 4, 6] {
        let text: String = few.split_inclusive('\n').take(lines).collect();
        let path = temporary(&format!("boundaries_{lines}.tsv"), text.as_bytes());
        let out = output("boundaries", &[path.to_str().unwrap(), "--view=-90,-180,90,180", "--region", "a:å:b"]);
        check(&out, &cities(&text), Asked { region: "a:å:b", view: [-90.0, -180.0, 90.0, 180.0], ..UNASKED });
    }
}

#[test]
fn what_is_no_list_of_cities_is_told() {
    let missing = run("boundaries", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stderr.lines().count()), (Some(1), 1));
    let path = temporary("boundaries_wrong.tsv", b"titles\n1\tNowhere\tXX\tPPL\t-7\t1.5\t0\n");
    let wrong = run("boundaries", &[path.to_str().unwrap()], b"");
    assert_eq!((wrong.status.code(), wrong.stderr.lines().count()), (Some(1), 1));
    assert!(wrong.stderr.contains(":2: invalid digit"), "{}", wrong.stderr);
    for args in [["--region", "q:jp"], ["--region", "jp"], ["--zoom", "9"], ["--view", "1,2,3"]] {
        assert_eq!(run("boundaries", &args, b"").status.code(), Some(2));
    }
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("boundaries", &[""; 0]);
}
