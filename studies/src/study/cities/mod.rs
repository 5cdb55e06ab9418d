//! A map of cities: names in view, what is near, what is in a tile; from afar only what is important.
//!
//!     cargo run --release -p rowkey-studies -- cities cities.tsv.gz --view 36,-10,60,30
//!
//! Three keys over the same cities. `Place` begins with where a city is: a box is a few ranges, a tile is one, the
//! nearest are in the tiles around. `Label` begins with how large it is, so that a map that shows a continent reads the
//! names it has room for, and not every village.
//!
//! The third is a wide table: a row for each tile of zoom 5, in it the cities as columns, in the families `high`,
//! `medium` and `low` by their importance. The cells of a family stand together, so a map that is seen from afar gets
//! the first family of each tile in view and reads nothing of the others. A column's name is GeoNames' feature code,
//! then the city's number. The codes are made to be cut: `PPL` is any populated place, `PPLA` a seat of a first-order
//! division, `PPLA2` of a second-order one, so each prefix of a code is a range of columns, and the whole code is one
//! too.

mod squares;

use std::cmp::Reverse;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rowkey::geo::{GeoBox, Point, QuadKey, Tile, nearest};
use rowkey::{Layout, Postcard, RowKey, Table, WriteBatch};
use rowkey_studies::engine::{Db, Engine};
use rowkey_studies::geo::{City, Degrees, cities};
use rowkey_studies::output::report::{self, Query};
use squares::Squares;

/// A city by where it is: cities of one tile stand together.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Place {
    at: QuadKey<16>,
    id: u32,
}

/// A city by its size, then by where it is.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Label {
    /// How many binary digits its population has, most first.
    #[rowkey(desc)]
    magnitude: u8,
    at: QuadKey<16>,
    id: u32,
}

type Cities<K> = Table<K, Postcard<City>, Db>;

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] =
    &[("places", Place::LAYOUT), ("labels", Label::LAYOUT), ("squares", squares::Square::LAYOUT)];

/// Stores cities in sorted tables and asks them what a map asks.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: a sample of a thousand]
    cities: Option<PathBuf>,
    /// The box in view: south,west,north,east; with west above east it crosses the antimeridian
    #[arg(long, default_value = "36,-10,60,30", allow_hyphen_values = true)]
    view: Degrees<4>,
    /// Whose neighbours are looked for: latitude,longitude
    #[arg(long, default_value = "47.6,-122.3", allow_hyphen_values = true)]
    near: Degrees<2>,
    /// The tiles whose cities are listed
    #[arg(long, default_values = ["0121", "1202"])]
    tile: Vec<Tile>,
    /// The feature code that is looked for in view, by itself and as a prefix
    #[arg(long, default_value = "PPLA")]
    feature: String,
    /// How many names a map has room for, and how many neighbours are found
    #[arg(long, default_value_t = 10)]
    show: usize,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Degrees([south, west, north, east]) = args.view;
    let view = GeoBox::new(south, west, north, east)?;
    let Degrees([latitude, longitude]) = args.near;
    let near = Point::new(latitude, longitude)?;

    let db = on.open()?;
    let cities = cities(args.cities.as_deref(), out)?;
    let places: Cities<Place> = Table::open(db.clone(), "places")?;
    let labels: Cities<Label> = Table::open(db.clone(), "labels")?;
    let mut batch = WriteBatch::new();
    for city in &cities {
        let (place, label) = keys(city)?;
        batch.put(&places, &place, &Postcard(city.clone()))?;
        batch.put(&labels, &label, &Postcard(city.clone()))?;
    }
    batch.write(&db)?;
    let largest = cities.iter().max_by_key(|city| (city.population, Reverse(city.id)));
    if let Some((place, label)) = largest.map(keys).transpose()? {
        report::key(out, "The key of a city by where it is, the largest", &place)?;
        report::key(out, "Its key by how large it is", &label)?;
    }
    let drawn = labels.scan(..).limit(4).map(|row| {
        let (Label { magnitude, at, id }, Postcard(city)) = row?;
        Ok([magnitude.to_string(), at.to_string(), id.to_string(), format!("{} ({})", city.name, city.country)])
    });
    let drawn = drawn.collect::<Result<Vec<_>, rowkey::Error>>()?;
    report::table(out, "Table labels, its first rows", ["magnitude", "at", "id", "city"], drawn)?;
    let squares = Squares::of(&db, &cities, out)?;

    names_in_view(out, &db, &labels, &view, args.show)?;

    let cover = view.cover(64);
    let query = Query::of(&db);
    let mut inside = 0;
    for row in places.scan(Place::prefix().at_within(&cover)) {
        let (_, Postcard(city)) = row?;
        inside += usize::from(view.contains(city.point()?));
    }
    query.returned(out, "All cities in view", inside, inside)?;

    let query = Query::of(&db);
    let nearest = nearest(near, args.show, 7, |tile| {
        let city = |row: Result<(Place, Postcard<City>), rowkey::Error>| {
            let (_, Postcard(city)) = row?;
            Ok((city.point()?, city))
        };
        places.scan(Place::prefix().at_within(&tile)).map(city).collect::<Result<Vec<_>, Box<dyn Error>>>()
    })?;
    let title = format!("The {} nearest to {latitude}, {longitude}", args.show);
    query.returned(out, title, nearest.len(), nearest.len())?;
    for city in &nearest {
        writeln!(out, "  {:>8.1} km  {} ({})", city.metres / 1000.0, city.row.name, city.row.country)?;
    }

    for tile in &args.tile {
        let query = Query::of(&db);
        let within: Vec<_> = places.scan(Place::prefix().at_within(tile)).collect::<Result<_, _>>()?;
        query.returned(out, format_args!("All in tile {tile}"), within.len(), within.len())?;
        for (Place { at, .. }, Postcard(city)) in within.iter().take(args.show) {
            writeln!(out, "  {at}  {} ({})", city.name, city.country)?;
        }
        match within.len().saturating_sub(args.show) {
            0 => {}
            more => writeln!(out, "  and {more} more")?,
        }
    }

    squares.views(&view, &args.feature, args.show, out)
}

fn keys(city: &City) -> Result<(Place, Label), rowkey::geo::GeoError> {
    let (id, at) = (city.id, QuadKey::at(city.point()?));
    let magnitude = (u64::BITS - city.population.leading_zeros()) as u8;
    Ok((Place { at, id }, Label { magnitude, at, id }))
}

/// The largest first, until the map is full: what is smaller than all that are shown is never read.
fn names_in_view(
    out: &mut impl Write,
    db: &Db,
    labels: &Cities<Label>,
    view: &GeoBox,
    show: usize,
) -> Result<(), Box<dyn Error>> {
    let query = Query::of(db);
    let (cover, mut names) = (view.cover(64), Vec::new());
    let magnitude = |row: Option<(Label, _)>| row.map_or(0, |(Label { magnitude, .. }, _)| magnitude);
    let mut magnitudes = (magnitude(labels.last(..)?)..=magnitude(labels.first(..)?)).rev();
    while let Some(magnitude) = magnitudes.next().filter(|_| names.len() < show) {
        for row in labels.scan(Label::prefix().magnitude(magnitude).at_within(&cover)) {
            let (_, Postcard(city)) = row?;
            if view.contains(city.point()?) {
                names.push(city);
            }
        }
    }
    names.sort_by(|a, b| (b.population, &a.name, a.id).cmp(&(a.population, &b.name, b.id)));
    names.truncate(show);
    query.returned(out, "Names in view", names.len(), names.len())?;
    for City { name, country, population, .. } in &names {
        writeln!(out, "  {population:>10}  {name} ({country})")?;
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
