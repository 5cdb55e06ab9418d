//! Cities, read by plain code, for the tests of the studies on places.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::real;

/// A city, as plain code understands it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct City {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) country: String,
    pub(crate) feature_code: String,
    pub(crate) population: u64,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

impl City {
    pub(crate) fn label(&self) -> String {
        format!("{} ({})", self.name, self.country)
    }

    /// Column and row among the tiles of a zoom, by another formula than the crate's.
    pub(crate) fn xy(&self, zoom: u32) -> (u32, u32) {
        xy(self.latitude, self.longitude, zoom)
    }
}

pub(crate) fn xy(latitude: f64, longitude: f64, zoom: u32) -> (u32, u32) {
    let tiles = 2f64.powi(zoom as i32);
    let latitude = latitude.clamp(-85.05112878, 85.05112878).to_radians();
    let y = (1.0 - latitude.tan().asinh() / std::f64::consts::PI) / 2.0;
    let clipped = |at: f64| (at * tiles).floor().clamp(0.0, tiles - 1.0) as u32;
    (clipped((longitude + 180.0) / 360.0), clipped(y))
}

/// The digits of a tile.
pub(crate) fn digits((x, y): (u32, u32), zoom: u32) -> String {
    (0..zoom).rev().map(|bit| char::from(b'0' + ((x >> bit & 1) + 2 * (y >> bit & 1)) as u8)).collect()
}

/// The cities of a list below its titles.
pub(crate) fn cities(tsv: &str) -> Vec<City> {
    let city = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        City {
            id: columns[0].parse().unwrap(),
            name: columns[1].to_owned(),
            country: columns[2].to_owned(),
            feature_code: columns[3].to_owned(),
            population: columns[4].parse().unwrap(),
            latitude: columns[5].parse().unwrap(),
            longitude: columns[6].parse().unwrap(),
        }
    };
    tsv.lines().skip(1).map(city).collect()
}

/// A box that crosses the antimeridian where its west is above its east.
pub(crate) fn inside([south, west, north, east]: [f64; 4], city: &City) -> bool {
    let beside = match west <= east {
        true => (west..=east).contains(&city.longitude),
        false => city.longitude >= west || city.longitude <= east,
    };
    beside && (south..=north).contains(&city.latitude)
}

/// The digits of the tiles that show some of a box.
pub(crate) fn tiles_in([south, west, north, east]: [f64; 4], zoom: u32) -> BTreeSet<String> {
    let ((first, top), (last, bottom)) = (xy(north, west, zoom), xy(south, east, zoom));
    let beside = |x: &u32| if west <= east { (first..=last).contains(x) } else { *x >= first || *x <= last };
    let columns = (0..1 << zoom).filter(beside);
    columns.flat_map(|x| (top..=bottom).map(move |y| digits((x, y), zoom))).collect()
}

/// The cities that the studies fall back on.
pub(crate) fn sample() -> Vec<City> {
    cities(include_str!("../../data/cities.tsv"))
}

/// All cities, where they are: the file, and what is in it.
pub(crate) fn real_cities() -> Option<(PathBuf, Vec<City>)> {
    real("cities.tsv.gz").map(|(path, tsv)| (path, cities(&tsv)))
}
