use std::collections::BTreeMap;

use crate::places::{City, cities, digits, real_cities, sample, xy};
use crate::{nobody_reads, number, output, run, temporary, told};

pub(crate) const DEEPEST: u32 = 16;

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

/// The tiles of cities, and how many each holds.
pub(crate) fn tiles_of(cities: &[City], most: usize) -> BTreeMap<String, usize> {
    let cities: Vec<_> = cities.iter().map(|city| digits(city.xy(DEEPEST), DEEPEST)).collect();
    let mut tiles = BTreeMap::new();
    split("", &cities, most, &mut tiles);
    tiles
}

/// The study prints the tiles that splitting from above finds.
fn check(out: &str, cities: &[City], most: usize, points: &[(f64, f64)]) {
    let tiles = tiles_of(cities, most);

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
        let (tile, count) = tiles.iter().find(|(tile, _)| over.starts_with(tile.as_str())).unwrap();
        let found = told(out, &format!("Over {latitude}, {longitude}"));
        assert_eq!((found.seeks, found.rows_read, found.rows), (1, 1, 1));
        let words: Vec<_> = found.lines[0].split_whitespace().collect();
        let text = if tile.is_empty() { vec![] } else { vec![tile.as_str()] };
        let (zoom, count) = (tile.len().to_string(), count.to_string());
        assert_eq!(words, [vec!["tile"], text, vec!["zoom", &zoom, &count, "cities"]].concat());

        let mut within: Vec<_> = cities.iter().map(|city| (digits(city.xy(16), 16), city.id, &city.name)).collect();
        within.retain(|(digits, ..)| digits.starts_with(tile.as_str()));
        within.sort();
        let listed = told(out, &format!("Cities in the tile over {latitude}, {longitude}"));
        let all = within.len() as u64;
        assert_eq!((listed.seeks, listed.rows_read, listed.rows), (1, all, all));
        let mut lines: Vec<_> = within.iter().take(3).map(|(digits, _, name)| format!("{digits}  {name}")).collect();
        lines.extend((all > 3).then(|| format!("and {} more", all - 3)));
        assert_eq!(listed.lines, lines.iter().map(|line| line.trim()).collect::<Vec<_>>());
    }
    let table = out.lines().skip_while(|line| *line != "Table tiles, its first rows").skip(4);
    let drawn: Vec<_> =
        table.take_while(|line| line.starts_with('│')).map(|line| line.replace(['│', '┆'], "")).collect();
    let rows: Vec<_> = drawn.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let first = tiles.iter().take(4).map(|(tile, count)| format!("{tile} {count}").trim().to_owned());
    assert_eq!(rows, first.collect::<Vec<_>>());
    assert!(out.contains("\nThe key of a tile, the fullest\n"));
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
fn a_few_cities_one_and_none() {
    let few = "titles\n9\tŁódź\tPL\tPPLA\t0\t51.77\t19.46\n7\tб\tPL\tPPLC\t0\t51.77\t19.46\n8\t\t\t\t1\t90\t-180\n";
    for lines in 1..=4 {
        let text: String = few.split_inclusive('\n').take(lines).collect();
        let path = temporary(&format!("tiles_{lines}.tsv"), text.as_bytes());
        for most in [0, 1, 64] {
            let args = [path.to_str().unwrap(), "--most", &most.to_string()];
            check(&output("tiles", &args), &cities(&text), most, &SOME);
        }
    }
}

#[test]
fn what_is_no_list_of_cities_is_told() {
    let missing = run("tiles", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stderr.lines().count()), (Some(1), 1));
    let path = temporary("tiles_wrong.tsv", b"titles\n1\tNowhere\tXX\tPPL\t7\t1.5\n");
    let wrong = run("tiles", &[path.to_str().unwrap()], b"");
    assert_eq!((wrong.status.code(), wrong.stderr.lines().count()), (Some(1), 1));
    assert!(wrong.stderr.contains(":2: not a city: "), "{}", wrong.stderr);
    assert_eq!(run("tiles", &["--most=-1"], b"").status.code(), Some(2));
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("tiles", &[""; 0]);
}
