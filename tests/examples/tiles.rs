use std::collections::BTreeMap;

use crate::places::{City, digits, real_cities, sample, xy};
use crate::{answer, nobody_reads, number, output};

const DEEPEST: u32 = 16;

/// Tiles from the world down: one that holds more than `most` is its quarters.
fn split(tile: &str, cities: &[String], most: usize, tiles: &mut BTreeMap<String, usize>) {
    let within: Vec<_> = cities.iter().filter(|city| city.starts_with(tile)).cloned().collect();
    if within.len() <= most || tile.len() == DEEPEST as usize {
        tiles.insert(tile.to_owned(), within.len());
        return;
    }
    for digit in '0'..='3' {
        split(&format!("{tile}{digit}"), &within, most, tiles);
    }
}

/// What the example prints is what splitting from above finds.
fn check(out: &str, cities: &[City], most: usize, points: &[(f64, f64)]) {
    let cities: Vec<_> = cities.iter().map(|city| digits(city.xy(DEEPEST), DEEPEST)).collect();
    let mut tiles = BTreeMap::new();
    split("", &cities, most, &mut tiles);

    let mut by_zoom = BTreeMap::<usize, (u64, u64)>::new();
    for (tile, cities) in &tiles {
        let counted = by_zoom.entry(tile.len()).or_default();
        *counted = (counted.0 + 1, counted.1 + *cities as u64);
    }
    let title = format!("Tiles that hold {most} cities or less: {}", tiles.len());
    let shown = out.lines().skip_while(|line| *line != title).skip(1).take_while(|line| line.starts_with("  "));
    let shown = shown.map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let ["zoom", zoom, tiles, "tiles", cities, "cities"] = words[..] else { panic!("{line}") };
        (number(zoom) as usize, (number(tiles), number(cities)))
    });
    assert_eq!(shown.collect::<BTreeMap<_, _>>(), by_zoom);

    for (latitude, longitude) in points {
        let over = digits(xy(*latitude, *longitude, DEEPEST), DEEPEST);
        let (tile, cities) = tiles.iter().find(|(tile, _)| over.starts_with(tile.as_str())).unwrap();
        let found = answer(out, &format!("Over {latitude}, {longitude}"));
        assert_eq!((found.read, found.returned), (1, 1), "one seek, one row");
        let words: Vec<_> = found.rows[0].split_whitespace().collect();
        let cities = cities.to_string();
        let zoom = tile.len().to_string();
        assert_eq!(words, ["tile", tile, "zoom", &zoom, &cities, "cities,", &cities, "listed"]);
    }
}

const SOME: [(f64, f64); 5] = [(48.8566, 2.3522), (35.6762, 139.6503), (0.0, -140.0), (90.0, 0.0), (-17.0, 180.0)];

#[test]
fn the_sample() {
    let out = output("tiles", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\n"), "{out}");
    check(&out, &sample(), 64, &SOME);
    check(&output("tiles", &["--most", "2", "--at=-33.9,151.2"]), &sample(), 2, &[(-33.9, 151.2)]);
}

#[test]
fn all_cities() {
    let Some((path, cities)) = real_cities() else { return };
    check(&output("tiles", &[path]), &cities, 64, &SOME);
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("tiles", &[""; 0]);
}
