//! Tiles of mixed zooms: disjoint, each as large as it can be, and together the world.

use std::collections::BTreeMap;
use std::error::Error;

use rowkey::geo::{Point, Tile};
use rowkey::store::Metered;
use rowkey::{Memory, RowKey, Table, WriteBatch};

/// A tile; its row says how many cities it holds.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(crate) struct Counted {
    pub(crate) tile: Tile,
}

pub(crate) type Tiles = Table<Counted, i64, Metered<Memory>>;

/// The smallest tiles, in which points are counted first.
pub(crate) const DEEPEST: u8 = 16;

/// Counts points in tiles that hold at most so many each; only the smallest tiles may hold more.
pub(crate) fn build(
    db: &Metered<Memory>,
    points: impl IntoIterator<Item = Point>,
    most: i64,
) -> Result<Tiles, Box<dyn Error>> {
    let mut counts = BTreeMap::<Tile, i64>::new();
    for point in points {
        *counts.entry(Tile::at(point, DEEPEST)?).or_default() += 1;
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
