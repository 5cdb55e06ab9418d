//! Tiles of mixed zooms: disjoint, each as large as it can be, and together the world.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use rowkey::geo::{Point, Tile};
use rowkey::{RowKey, Table, WriteBatch};

use crate::engine::Db;
use crate::geo::{City, cities};

/// A tile; its row says how many cities it holds.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub struct Counted {
    /// Its bytes sort as the places in it do.
    pub tile: Tile,
}

/// How many cities each tile holds.
pub type Tiles = Table<Counted, i64, Db>;

/// The smallest tiles, in which points are counted first.
pub const DEEPEST: u8 = 16;

/// The file of cities, and the size of tiles.
#[derive(clap::Args)]
pub struct Input {
    /// Cities as tab-separated geonameid, name, country, feature code, population, latitude, longitude below a line of
    /// titles, plain or gzip [default: a sample of a thousand]
    cities: Option<PathBuf>,
    /// How many cities a tile may hold
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(i64).range(0..))]
    pub most: i64,
}

/// Cities, where each is, and the tiles that count them.
pub struct Stored {
    /// As the file has them.
    pub cities: Vec<City>,
    /// Where each of them is.
    pub points: Vec<Point>,
    /// The tiles that count them.
    pub tiles: Tiles,
}

impl Input {
    /// Reads the cities, and stores their tiles.
    pub fn store(&self, db: &Db, out: &mut impl Write) -> Result<Stored, Box<dyn Error>> {
        let cities = cities(self.cities.as_deref(), out)?;
        let points = cities.iter().map(City::point).collect::<Result<Vec<_>, _>>()?;
        let tiles = build(db, &points, self.most)?;
        Ok(Stored { cities, points, tiles })
    }
}

/// Counts points in tiles that hold at most this many each; only the smallest tiles may hold more.
fn build(db: &Db, points: &[Point], most: i64) -> Result<Tiles, Box<dyn Error>> {
    let mut counts = BTreeMap::<Tile, i64>::new();
    for point in points {
        *counts.entry(Tile::at(*point, DEEPEST)?).or_default() += 1;
    }
    if counts.is_empty() {
        counts.insert(Tile::WORLD, 0);
    }
    let tiles: Tiles = Table::open(db.clone(), "tiles")?;
    let mut batch = WriteBatch::new();
    for (tile, points) in counts {
        batch.put(&tiles, &Counted { tile }, &points)?;
    }
    batch.write(db)?;
    for zoom in (0..DEEPEST).rev() {
        merge(&tiles, zoom, most)?;
    }
    Ok(tiles)
}

/// Makes tiles of this zoom out of those in them, where they hold few enough; where not, adds the quarters that have no
/// tile, so that no place is without one.
fn merge(tiles: &Tiles, zoom: u8, most: i64) -> Result<(), Box<dyn Error>> {
    let mut parents = BTreeMap::<Tile, (Vec<Tile>, i64)>::new();
    for row in tiles.scan(..) {
        let (Counted { tile }, points) = row?;
        let Some(parent) = tile.ancestor(zoom) else { continue };
        let (within, sum) = parents.entry(parent).or_default();
        within.push(tile);
        *sum += points;
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
    Ok(batch.write(tiles.database())?)
}
