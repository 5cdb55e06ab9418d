//! Tiles as large as they can be: the world in tiles of at most 64 cities each, and the one over any point by one seek.
//!
//!     cargo run --release -p rowkey-studies -- tiles cities.tsv.gz
//!
//! Cities are counted in small tiles. Four tiles become the one they are quarters of as long as it holds 64 cities or
//! less; so tiles are small where cities are dense and large at sea. They are disjoint and cover the world. A tile
//! sorts right after all inside it, so the one over a point is the first at or after the deepest tile over it.
//! `next_record` has more of this.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use rowkey::geo::{Point, QuadKey, covering};
use rowkey::{Layout, RowKey, Table, WriteBatch};
use rowkey_studies::engine::Engine;
use rowkey_studies::geo::Degrees;
use rowkey_studies::geo::mixed_tiles::{Counted, Input, Stored};
use rowkey_studies::output::report::{self, Query};

/// A city by where it is: cities of one tile stand together.
#[derive(RowKey)]
struct Place {
    at: QuadKey<16>,
    id: u32,
}

/// The keys of its tables.
pub(crate) const LAYOUTS: &[(&str, Layout)] = &[("places", Place::LAYOUT), ("tiles", Counted::LAYOUT)];

/// Puts cities into tiles and asks which tile is over a point.
#[derive(Parser)]
struct Args {
    #[command(flatten)]
    input: Input,
    /// The points to look up, as latitude,longitude [default: five]
    #[arg(long, allow_hyphen_values = true)]
    at: Vec<Degrees<2>>,
}

fn run(args: &Args, on: &Engine, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = on.open()?;
    let Stored { cities, points, tiles } = args.input.store(&db, out)?;
    let places: Table<Place, String, _> = Table::open(db.clone(), "places")?;
    let mut batch = WriteBatch::new();
    for (city, point) in cities.iter().zip(&points) {
        batch.put(&places, &Place { at: QuadKey::at(*point), id: city.id }, &city.name)?;
    }
    batch.write(&db)?;

    let rows: Vec<_> = tiles.scan(..).collect::<Result<_, _>>()?;
    if let Some((key, _)) = rows.iter().max_by_key(|(_, cities)| cities) {
        report::key(out, "The key of a tile, the fullest", key)?;
    }
    let first = rows.iter().take(4).map(|(Counted { tile }, cities)| [tile.to_string(), cities.to_string()]);
    report::table(out, "Table tiles, its first rows", ["tile", "cities"], first)?;

    let mut by_zoom = BTreeMap::<u8, (u64, i64)>::new();
    for (Counted { tile }, cities) in &rows {
        let counted = by_zoom.entry(tile.zoom()).or_default();
        *counted = (counted.0 + 1, counted.1 + cities);
    }
    writeln!(out, "\nTiles that hold {} cities or less: {}", args.input.most, rows.len())?;
    for (zoom, (tiles, cities)) in by_zoom {
        writeln!(out, "  zoom {zoom:>2}  {tiles:>5} tiles  {cities:>6} cities")?;
    }

    let some = [[48.8566, 2.3522], [35.6762, 139.6503], [0.0, -140.0], [90.0, 0.0], [-17.0, 180.0]].map(Degrees);
    for &Degrees([latitude, longitude]) in if args.at.is_empty() { &some[..] } else { &args.at } {
        let point = Point::new(latitude, longitude)?;
        let query = Query::of(&db);
        let first_from = |tile| tiles.first_at_or_after(&Counted { tile });
        let found = covering(point, |row: &(Counted, i64)| row.0.tile, first_from)?;
        let count = usize::from(found.is_some());
        query.returned(out, format_args!("Over {latitude}, {longitude}"), count, count)?;
        let Some((Counted { tile }, cities)) = found else { continue };
        writeln!(out, "  tile {:16} zoom {:>2}  {cities} cities", tile.to_string(), tile.zoom())?;

        let query = Query::of(&db);
        let listed: Vec<_> = places.scan(Place::prefix().at_within(&tile)).collect::<Result<_, _>>()?;
        query.returned(
            out,
            format_args!("Cities in the tile over {latitude}, {longitude}"),
            listed.len(),
            listed.len(),
        )?;
        for (Place { at, .. }, name) in listed.iter().take(3) {
            writeln!(out, "  {at}  {name}")?;
        }
        if let Some(more @ 1..) = listed.len().checked_sub(3) {
            writeln!(out, "  and {more} more")?;
        }
    }
    Ok(())
}

/// Runs the study with these arguments, the first of which is its name.
pub(crate) fn main(args: Vec<OsString>) -> ExitCode {
    crate::study(args, run)
}
