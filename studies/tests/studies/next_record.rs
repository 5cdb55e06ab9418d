use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::places::{City, cities, digits, real_cities, sample, xy};
use crate::tiles::{DEEPEST, tiles_of};
use crate::{nobody_reads, output, run, temporary, told};

/// The points that are looked up unless others are asked for.
const SOME: [(f64, f64); 7] =
    [(35.68, 139.69), (48.86, 2.35), (90.0, 0.0), (-90.0, 0.0), (-17.0, 180.0), (-17.0, -180.0), (0.0, -140.0)];

fn named(tile: &str) -> String {
    if tile.is_empty() { "the world".to_owned() } else { format!("tile {tile}") }
}

/// The digits of the smallest tile over a point.
fn over((latitude, longitude): (f64, f64)) -> String {
    digits(xy(latitude, longitude, DEEPEST), DEEPEST)
}

/// The tile over a point, by trying all of them.
fn covering(tiles: &BTreeMap<String, usize>, point: (f64, f64)) -> Option<(&String, usize)> {
    let over = over(point);
    tiles.iter().find(|(tile, _)| over.starts_with(tile.as_str())).map(|(tile, cities)| (tile, *cities))
}

fn check(out: &str, cities: &[City], most: usize, points: &[(f64, f64)]) {
    let tiles = tiles_of(cities, most);
    let all = cities.len() as u64;

    // Every city, in three ways.
    let zoom_of = |city: &City| covering(&tiles, (city.latitude, city.longitude)).unwrap().0.len() as u64;
    let zooms: Vec<u64> = cities.iter().map(zoom_of).collect();
    let down: Vec<u64> = zooms.iter().map(|zoom| zoom + 1).collect();
    let up: Vec<u64> = zooms.iter().map(|zoom| u64::from(DEEPEST) - zoom + 1).collect();
    let holding = tiles.values().filter(|cities| **cities > 0).count();
    let ways = [
        ("The next record", vec![1; cities.len()]),
        ("A get for each zoom from the world down", down),
        ("A get for each zoom from the smallest up", up),
    ];
    let drawn = out.lines().skip_while(|line| *line != "The same answers, and what they cost").skip(4);
    let drawn: Vec<Vec<_>> = drawn.take(3).map(|line| line.split(['│', '┆']).map(str::trim).collect()).collect();
    for ((way, seeks), drawn) in ways.iter().zip(&drawn) {
        let told = told(out, &format!("The tiles over all cities. {way}"));
        let sum = seeks.iter().sum::<u64>();
        assert_eq!((told.seeks, told.rows_read, told.rows), (sum, all, all), "{way}");
        assert_eq!(told.lines, [format!("{holding} tiles, each over as many cities as it counted")]);
        let most = seeks.iter().max().copied().unwrap_or(0);
        assert_eq!(drawn[1..5], [way, &*sum.to_string(), &*all.to_string(), &*most.to_string()]);
    }

    let mut holes = tiles.clone();
    holes.retain(|_, cities| *cities > 0);
    for &point in points {
        let at = format!("Over {}, {}", point.0, point.1);
        let (tile, count) = covering(&tiles, point).unwrap();
        let found = told(out, &at);
        assert_eq!((found.seeks, found.rows_read, found.rows), (1, 1, 1));
        assert_eq!(found.lines, [format!("{}, {count} cities", named(tile))]);

        // After all tiles before the point comes the tile that covers it, or a tile of another place, or none.
        let found = told(out, &format!("{at}, in the table without empty tiles"));
        let next = holes.keys().find(|tile| *tile.as_str() > *over(point) || over(point).starts_with(tile.as_str()));
        let covers = covering(&holes, point);
        assert_eq!(
            (found.seeks, found.rows_read, found.rows),
            (1, next.iter().len() as u64, covers.iter().len() as u64)
        );
        let line = match (covers, next) {
            (Some((tile, count)), _) => format!("{}, {count} cities", named(tile)),
            (None, Some(next)) => format!("none: the next record is {}", named(next)),
            (None, None) => "none: there is no next record".to_owned(),
        };
        assert_eq!(found.lines, [line]);

        let mut within: Vec<_> =
            cities.iter().filter(|city| over((city.latitude, city.longitude)).starts_with(tile.as_str())).collect();
        within.sort_by_key(|city| (Reverse(city.population), city.id));
        let found = told(out, &format!("{at}, and the three largest cities in the tile"));
        let shown = within.len().min(3) as u64;
        assert_eq!((found.seeks, found.rows, found.cells), (1, 1, 1 + shown));
        // A few cells are read ahead.
        assert!(found.cells_read <= 32, "{found:?}");
        let largest = within.iter().take(3).map(|city| format!("{}  {}", city.population, city.name).trim().to_owned());
        let head = format!("{}, {count} cities", named(tile));
        assert_eq!(found.lines, [head].into_iter().chain(largest).collect::<Vec<_>>());
    }

    let grid = (-90..=90).step_by(10).flat_map(|latitude| (-180..180).step_by(10).map(move |x| (latitude, x)));
    let grid: Vec<_> = grid.map(|(latitude, longitude)| (f64::from(latitude), f64::from(longitude))).collect();
    let covered = grid.iter().filter(|point| covering(&holes, **point).is_some()).count() as u64;
    let found = told(out, "Over a point each 10 degrees, in the table without empty tiles");
    let asked = grid.len() as u64;
    assert_eq!((found.seeks, found.rows), (asked, covered));
    assert!(covered <= found.rows_read && found.rows_read <= asked);
    assert_eq!(found.lines, [format!("{asked} points, {covered} covered")]);

    // Two keys are drawn, and the rows about the one that was found.
    let (tile, count) = covering(&tiles, points[0]).unwrap();
    for (title, digits) in [
        (format!("What is sought: the smallest tile over {}, {}", points[0].0, points[0].1), None),
        ("What is found: the key of the tile that covers it".to_owned(), Some(tile)),
    ] {
        let drawn = out.lines().skip_while(|line| *line != title).nth(6).unwrap();
        assert!(digits.is_none_or(|digits| drawn.contains(&format!("\"{digits}\""))), "{drawn}");
    }
    let drawn = out.lines().skip_while(|line| *line != "Table tiles, the rows about it").skip(4);
    let drawn = drawn.take_while(|line| line.starts_with('│')).map(|line| line.replace(['│', '┆'], ""));
    let drawn: Vec<_> = drawn.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(drawn.contains(&format!("{tile} {} {count}", tile.len()).trim().to_owned()), "{drawn:?}");
}

#[test]
fn the_sample() {
    let out = output("next_record", &[""; 0]);
    assert!(out.starts_with("1000 cities of the sample\n"), "{out}");
    check(&out, &sample(), 64, &SOME);
    check(&output("next_record", &["--most", "2", "--at=-33.9,151.2"]), &sample(), 2, &[(-33.9, 151.2)]);
}

#[test]
fn all_cities() {
    let Some((path, cities)) = real_cities() else { return };
    check(&output("next_record", &[path]), &cities, 64, &SOME);
}

#[test]
fn a_few_cities_one_and_none() {
    let few = "titles\n\
        9\tŁódź\tPL\tPPLA\t0\t51.77\t19.46\n\
        7\tŁódź\tPL\tPPLC\t0\t51.77\t19.46\n\
        8\t\t\t\t1\t90\t-180\n\
        4294967295\tб\tru\tPPL\t18446744073709551615\t-90\t180\n";
    for lines in [1, 2, 3, 5] {
        let text: String = few.split_inclusive('\n').take(lines).collect();
        let path = temporary(&format!("next_record_{lines}.tsv"), text.as_bytes());
        for most in [0, 1, 64] {
            let args = [path.to_str().unwrap(), "--most", &most.to_string()];
            check(&output("next_record", &args), &cities(&text), most, &SOME);
        }
    }
}

#[test]
fn what_is_no_list_of_cities_is_told() {
    let missing = run("next_record", &["no_such.tsv"], b"");
    assert_eq!((missing.status.code(), missing.stderr.lines().count()), (Some(1), 1));
    let path = temporary("next_record_wrong.tsv", b"titles\n1\tNowhere\tXX\tPPL\t7\t1.5\t181\n");
    let wrong = run("next_record", &[path.to_str().unwrap()], b"");
    assert_eq!((wrong.status.code(), wrong.stderr.lines().count()), (Some(1), 1));
    assert!(wrong.stderr.contains(":2: longitude 181 is not from -180 to 180"), "{}", wrong.stderr);
    let nowhere = run("next_record", &["--at=91,0"], b"");
    assert_eq!(nowhere.stderr, "error: latitude 91 is not from -90 to 90\n");
}

#[test]
fn a_reader_may_leave() {
    nobody_reads("next_record", &[""; 0]);
}
