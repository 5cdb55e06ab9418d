use std::cmp::Reverse;

use crate::places::{City, digits, real_cities, sample};
use crate::{answer, nobody_reads, output, run, temporary};

fn metres((a_lat, a_lon): (f64, f64), (b_lat, b_lon): (f64, f64)) -> f64 {
    let (a, b) = (a_lat.to_radians(), b_lat.to_radians());
    let h = ((b - a) / 2.0).sin().powi(2) + a.cos() * b.cos() * ((b_lon - a_lon).to_radians() / 2.0).sin().powi(2);
    2.0 * 6_371_008.8 * h.sqrt().asin()
}

/// All that the example prints of a view, a point and a tile.
fn check(out: &str, cities: &[City], view: [f64; 4], near: (f64, f64), tiles: &[&str], show: usize) {
    let [south, west, north, east] = view;
    let in_view = |city: &&City| {
        let beside = match west <= east {
            true => (west..=east).contains(&city.longitude),
            false => city.longitude >= west || city.longitude <= east,
        };
        beside && (south..=north).contains(&city.latitude)
    };
    let inside: Vec<_> = cities.iter().filter(in_view).collect();
    let mut largest = inside.clone();
    largest.sort_by_key(|city| (Reverse(city.population), &city.name));
    let shown = answer(out, "Names in view");
    let rows = largest.iter().take(show).map(|city| format!("{}  {}", city.population, city.label()));
    assert_eq!(shown.rows, rows.collect::<Vec<_>>());
    assert!(shown.read >= shown.returned && shown.returned == largest.len().min(show) as u64);

    // What is not half as large as the last that is shown was not read.
    let last = largest.get(show - 1).map_or(0, |city| city.population.ilog2());
    let all = answer(out, "All cities in view");
    assert_eq!(all.returned, inside.len() as u64);
    let of_magnitude = cities.iter().filter(|city| city.population.ilog2() >= last).count() as u64;
    assert!(shown.read <= all.read.min(of_magnitude), "{shown:?} {all:?}");
    assert!(all.read <= all.returned * 5 / 4 + 2, "{} {}", all.read, all.returned);

    let mut sorted: Vec<_> =
        cities.iter().map(|city| (metres(near, (city.latitude, city.longitude)), city.label())).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = answer(out, &format!("The {show} nearest to {}, {}", near.0, near.1));
    let rows = sorted.iter().take(show).map(|(metres, label)| format!("{:.1} km  {label}", metres / 1000.0));
    assert_eq!(nearest.rows, rows.collect::<Vec<_>>());
    assert!(nearest.read >= nearest.returned && nearest.read < cities.len() as u64 / 2, "{nearest:?}");

    for tile in tiles {
        let mut within: Vec<_> = cities.iter().map(|city| (digits(city.xy(16), 16), city.label())).collect();
        within.retain(|(digits, _)| digits.starts_with(tile));
        within.sort_by(|a, b| a.0.cmp(&b.0));
        let listed = answer(out, &format!("All in tile {tile}"));
        assert_eq!((listed.read, listed.returned), (within.len() as u64, within.len() as u64));
        assert_eq!(listed.rows.len(), within.len().min(show) + usize::from(within.len() > show));
        for (row, (digits, _)) in listed.rows.iter().take(show).zip(&within) {
            let (at, label) = row.split_once("  ").unwrap();
            assert!(at == digits && within.iter().any(|(d, l)| d == at && l == label), "{row}");
        }
    }
}

#[test]
fn the_sample() {
    let cities = sample();
    assert_eq!(cities.len(), 1000);
    let out = output("cities", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\n"), "{out}");
    check(&out, &cities, [36.0, -10.0, 60.0, 30.0], (47.6, -122.3), &["0121", "1202"], 10);
}

#[test]
fn all_cities() {
    let Some((path, cities)) = real_cities() else { return };
    let path = path.to_str().unwrap();
    check(&output("cities", &[path]), &cities, [36.0, -10.0, 60.0, 30.0], (47.6, -122.3), &["0121", "1202"], 10);
    // Across the antimeridian, near a pole, and a tile of one city or none.
    let args = [path, "--view=-50,160,10,-140", "--near=-89,179", "--tile", "30011112", "--show", "7"];
    check(&output("cities", &args), &cities, [-50.0, 160.0, 10.0, -140.0], (-89.0, 179.0), &["30011112"], 7);
}

#[test]
fn what_is_no_list_of_cities_is_told() {
    let missing = run("cities", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stdout.as_str()), (Some(1), ""));
    assert!(missing.stderr.starts_with("error: cannot read no_such.tsv: "), "{}", missing.stderr);
    let path = temporary("cities.tsv", b"titles\n1\tNowhere\tXX\tPPL\t7\t91.5\t0\n");
    let wrong = run("cities", &[path.to_str().unwrap()], b"");
    assert!(wrong.stderr.contains(":2: latitude 91.5 is not from -90 to 90"), "{}", wrong.stderr);
    // Titles, empty lines and carriage returns are no cities, and a list may have no titles.
    for text in ["titles\r\n1\tSomewhere\tXX\tPPL\t7\t1.5\t0\r\n\r\n", "1\tSomewhere\tXX\tPPL\t7\t1.5\t0\n"] {
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
