//! A map of cities: names in view, what is near, what is in a tile.
//!
//!     cargo run --release --example cities -- cities.tsv.gz --view 36,-10,60,30
//!
//! Two keys over the same cities. `Place` begins with where a city is: a box is a few ranges, a tile is one, the nearest
//! are in the tiles around. `Label` begins with how large it is, so that a map that shows a continent reads the names it
//! has room for, and not every village.

mod file;
mod gazetteer;
mod program;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gazetteer::{City, Degrees, Place, places};
use rowkey::geo::{GeoBox, Point, QuadKey, Tile, nearest};
use rowkey::{Memory, Postcard, RowKey, Table};

/// A city by its size, then by where it is.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Label {
    /// How many binary digits its population has, most first.
    #[rowkey(desc)]
    magnitude: u8,
    at: QuadKey<16>,
    id: u32,
}

/// Stores cities in a sorted table and asks it what a map asks.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: the thousand largest]
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
    /// How many names a map has room for, and how many neighbours are found
    #[arg(long, default_value_t = 10)]
    show: usize,
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let labels: Table<Label, Postcard<City>, _> = Table::open(Memory::new(), "labels")?;
    let places = places(args.cities.as_deref(), out, |&Place { at, id }, city| {
        let magnitude = (u64::BITS - city.population.leading_zeros()) as u8;
        Ok(labels.put(&Label { magnitude, at, id }, &Postcard(city.clone()))?)
    })?;

    let Degrees([south, west, north, east]) = args.view;
    let view = GeoBox::new(south, west, north, east)?;
    let cover = view.cover(64);

    // The largest first, until the map is full: what is smaller than all that are shown is never read.
    let (mut names, mut read) = (Vec::new(), 0);
    let mut magnitudes = (0..=u64::BITS as u8).rev();
    while let Some(magnitude) = magnitudes.next().filter(|_| names.len() < args.show) {
        let mut scan = labels.scan(Label::prefix().magnitude(magnitude).at_within(&cover));
        for row in scan.by_ref() {
            let (_, Postcard(city)) = row?;
            if view.contains(city.point()?) {
                names.push(city);
            }
        }
        read += scan.rows_read();
    }
    names.sort_by(|a, b| b.population.cmp(&a.population).then_with(|| a.name.cmp(&b.name)));
    names.truncate(args.show);
    title(out, "Names in view", read, names.len())?;
    for City { name, country, population, .. } in &names {
        writeln!(out, "  {population:>10}  {name} ({country})")?;
    }

    let mut scan = places.scan(Place::prefix().at_within(&cover));
    let mut inside = 0;
    for row in scan.by_ref() {
        let (_, Postcard(city)) = row?;
        inside += usize::from(view.contains(city.point()?));
    }
    title(out, &format!("All cities in view, {} ranges", cover.ranges().len()), scan.rows_read(), inside)?;

    let Degrees([latitude, longitude]) = args.near;
    let mut read = 0;
    let near = nearest(Point::new(latitude, longitude)?, args.show, 7, |tile| {
        let mut scan = places.scan(Place::prefix().at_within(&tile));
        let city = |row: Result<(Place, Postcard<City>), rowkey::Error>| {
            let (_, Postcard(city)) = row?;
            Ok((city.point()?, city))
        };
        let cities = scan.by_ref().map(city).collect::<Result<Vec<_>, Box<dyn Error>>>();
        read += scan.rows_read();
        cities
    })?;
    title(out, &format!("The {} nearest to {latitude}, {longitude}", args.show), read, near.len())?;
    for city in &near {
        writeln!(out, "  {:>8.1} km  {} ({})", city.metres / 1000.0, city.row.name, city.row.country)?;
    }

    for tile in &args.tile {
        let mut scan = places.scan(Place::prefix().at_within(tile));
        let cities: Vec<_> = scan.by_ref().collect::<Result<_, _>>()?;
        title(out, &format!("All in tile {tile}"), scan.rows_read(), cities.len())?;
        for (Place { at, .. }, Postcard(city)) in cities.iter().take(args.show) {
            writeln!(out, "  {at}  {} ({})", city.name, city.country)?;
        }
        match cities.len().saturating_sub(args.show) {
            0 => {}
            more => writeln!(out, "  and {more} more")?,
        }
    }
    Ok(())
}

fn title(out: &mut impl Write, what: &str, read: u64, returned: usize) -> io::Result<()> {
    writeln!(out, "\n{what}\n  {read} rows read, {returned} returned")
}

fn main() -> ExitCode {
    program::exit(run(&Args::parse(), &mut io::stdout().lock()))
}
