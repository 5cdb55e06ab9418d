//! Tiles as large as they can be: the world in tiles of at most 64 cities each, and the one over any point by one seek.
//!
//!     cargo run --release --example tiles -- cities.tsv.gz
//!
//! Cities are counted in small tiles. Four tiles become the one they are quarters of as long as it holds 64 cities or less;
//! so tiles are small where cities are dense and large at sea. They are disjoint and cover the world. A tile sorts right
//! after all inside it, so the one over a point is the first at or after the deepest tile over it.

mod file;
mod gazetteer;
mod program;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gazetteer::{Degrees, Place, places};
use rowkey::geo::{Point, Tile, covering};
use rowkey::{Memory, RowKey, Table, WriteBatch};

/// A tile; its row says how many cities it holds.
#[derive(RowKey, Debug, Clone, PartialEq)]
struct Counted {
    tile: Tile,
}

/// The smallest tiles, in which cities are counted first.
const DEEPEST: u8 = 16;

/// Puts cities into tiles and asks which tile is over a point.
#[derive(Parser)]
struct Args {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: the thousand largest]
    cities: Option<PathBuf>,
    /// How many cities a tile may hold
    #[arg(long, default_value_t = 64)]
    most: i64,
    /// The points to look up, as latitude,longitude [default: five]
    #[arg(long, allow_hyphen_values = true)]
    at: Vec<Degrees<2>>,
}

fn run(args: &Args, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let db = Memory::new();
    let tiles: Table<Counted, i64, _> = Table::open(&db, "tiles")?;
    let places = places(args.cities.as_deref(), out, |place, _| {
        let Some(tile) = place.at.tile().ancestor(DEEPEST) else { return Ok(()) };
        tiles.increment(&Counted { tile }, 1)?;
        Ok(())
    })?;
    for zoom in (0..DEEPEST).rev() {
        merge(&db, &tiles, zoom, args.most)?;
    }

    let mut by_zoom = BTreeMap::<u8, (u64, i64)>::new();
    for row in tiles.scan(..) {
        let (Counted { tile }, cities) = row?;
        let counted = by_zoom.entry(tile.zoom()).or_default();
        *counted = (counted.0 + 1, counted.1 + cities);
    }
    let count: u64 = by_zoom.values().map(|(tiles, _)| tiles).sum();
    writeln!(out, "\nTiles that hold {} cities or less: {count}", args.most)?;
    for (zoom, (tiles, cities)) in by_zoom {
        writeln!(out, "  zoom {zoom:>2}  {tiles:>5} tiles  {cities:>6} cities")?;
    }

    let some = [[48.8566, 2.3522], [35.6762, 139.6503], [0.0, -140.0], [90.0, 0.0], [-17.0, 180.0]].map(Degrees);
    for &Degrees([latitude, longitude]) in if args.at.is_empty() { &some[..] } else { &args.at } {
        let point = Point::new(latitude, longitude)?;
        let mut read = 0;
        let found = covering(
            point,
            |row: &(Counted, i64)| row.0.tile,
            |from| {
                let mut scan = tiles.scan(Counted::prefix().tile_range(from..)).limit(1);
                let first = scan.next().transpose();
                read = scan.rows_read();
                first
            },
        )?;
        writeln!(out, "\nOver {latitude}, {longitude}\n  {read} rows read, {} returned", u8::from(found.is_some()))?;
        let Some((Counted { tile }, cities)) = found else { continue };
        let mut scan = places.keys(Place::prefix().at_within(&tile));
        let listed = scan.by_ref().count();
        writeln!(out, "  tile {:16} zoom {:>2}  {cities} cities, {listed} listed", tile.to_string(), tile.zoom())?;
    }
    Ok(())
}

/// Makes tiles of this zoom out of their quarters, where they hold few enough; where not, adds the quarters that have no
/// city, so that no place is without a tile.
fn merge(db: &Memory, tiles: &Table<Counted, i64, &Memory>, zoom: u8, most: i64) -> Result<(), Box<dyn Error>> {
    let mut parents = BTreeMap::<Tile, (Vec<Tile>, i64)>::new();
    for row in tiles.scan(..) {
        let (Counted { tile }, cities) = row?;
        let Some(parent) = tile.ancestor(zoom) else { continue };
        let (quarters, sum) = parents.entry(parent).or_default();
        quarters.push(tile);
        *sum += cities;
    }
    let mut batch = WriteBatch::new();
    for (parent, (within, sum)) in parents {
        if sum <= most {
            for tile in within {
                batch.delete(tiles, &Counted { tile });
            }
            batch.put(tiles, &Counted { tile: parent }, &sum)?;
        } else {
            let empty = |quarter: &Tile| !within.iter().any(|tile| quarter.contains(tile));
            for tile in parent.children().into_iter().flatten().filter(empty) {
                batch.put(tiles, &Counted { tile }, &0)?;
            }
        }
    }
    Ok(batch.write(db)?)
}

fn main() -> ExitCode {
    program::exit(run(&Args::parse(), &mut io::stdout().lock()))
}
