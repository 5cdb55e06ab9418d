//! Searches at a point: the nearest rows, and the tiles that cover it.

use super::{GeoBox, Point, Tile};

/// A row that [`nearest`] has found: where it is, and how far from the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near<R> {
    /// The distance in metres: see [`Point::distance`].
    pub metres: f64,
    /// The position of the row.
    pub point: Point,
    /// The row.
    pub row: R,
}

/// Returns the `k` rows nearest to a point, the nearest first, by great-circle distance.
///
/// `scan` returns the rows in a tile. It is called for the tile of zoom `zoom` at the point and those around it, then
/// for the ring of twice the size around these, and so on, until no row can be nearer. Tiles that are too far away are
/// left out, and no tile is scanned twice. Choose a zoom whose tiles hold a few rows each: a lower zoom reads more
/// rows, a higher one makes more scans.
///
/// ```
/// use rowkey::geo::{Point, QuadKey, nearest};
/// use rowkey::{Memory, RowKey, Table};
///
/// #[derive(RowKey)]
/// struct Place {
///     at: QuadKey<20>,
///     id: u32,
/// }
///
/// let places: Table<Place, String, _> = Table::open(Memory::new(), "places")?;
/// for (id, (name, latitude, longitude)) in
///     (0..).zip([("Seattle", 47.6, -122.3), ("Tacoma", 47.2, -122.4), ("San Francisco", 37.8, -122.4)])
/// {
///     places.put(&Place { at: QuadKey::at(Point::new(latitude, longitude)?), id }, &name.into())?;
/// }
/// let near = nearest(Point::new(47.0, -122.5)?, 2, 8, |tile| {
///     // The middle of the quadkey stands for the place; the value could hold its exact degrees.
///     let row = |row: Result<(Place, String), rowkey::Error>| {
///         let (place, name) = row?;
///         Ok((place.at.bounds().middle(), name))
///     };
///     places.scan(Place::prefix().at_within(&tile)).map(row).collect::<Result<Vec<_>, rowkey::Error>>()
/// })?;
/// let names: Vec<_> = near.iter().map(|near| near.row.as_str()).collect();
/// assert_eq!(names, ["Tacoma", "Seattle"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of `scan`.
#[doc(alias = "kNN")]
#[doc(alias = "k nearest neighbors")]
pub fn nearest<R, I, E>(
    point: Point,
    k: usize,
    zoom: u8,
    mut scan: impl FnMut(Tile) -> Result<I, E>,
) -> Result<Vec<Near<R>>, E>
where
    I: IntoIterator<Item = (Point, R)>,
{
    let mut nearest: Vec<Near<R>> = Vec::new();
    if k == 0 {
        return Ok(nearest);
    }
    let mut center = Tile::deepest(point).ancestor(zoom).unwrap_or(Tile::deepest(point));
    let mut ring = around(center);
    loop {
        let mut tiles: Vec<_> = ring.into_iter().map(|tile| (at_least(point, &tile.bounds()), tile)).collect();
        tiles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (at_least, tile) in tiles {
            if nearest.len() == k && nearest[k - 1].metres < at_least {
                break;
            }
            for (place, row) in scan(tile)? {
                let metres = point.distance(place);
                let at = nearest.partition_point(|near| near.metres <= metres);
                if at < k {
                    nearest.truncate(k - 1);
                    nearest.insert(at, Near { metres, point: place, row });
                }
            }
        }
        let Some(parent) = center.parent() else { return Ok(nearest) };
        if nearest.len() == k && nearest[k - 1].metres < beyond(point, center) {
            return Ok(nearest);
        }
        // The tiles scanned so far are quarters of the parent's neighbours.
        let asked = around(center);
        ring = around(parent).into_iter().filter_map(Tile::children).flatten().collect();
        ring.retain(|tile| !asked.contains(tile));
        center = parent;
    }
}

/// A tile and those around it.
fn around(tile: Tile) -> Vec<Tile> {
    let mut tiles = tile.neighbours();
    tiles.push(tile);
    tiles
}

/// No point outside the tile and those around it is nearer than this, in metres.
fn beyond(point: Point, tile: Tile) -> f64 {
    let side = |neighbour: Option<Tile>| neighbour.unwrap_or(tile).bounds();
    let (north, south) = (side(tile.neighbour(0, -1)).north, side(tile.neighbour(0, 1)).south);
    // At these zooms the three columns go round the world.
    let round = tile.zoom() < 2;
    let (west, east) = (side(tile.neighbour(-1, 0)).west, side(tile.neighbour(1, 0)).east);
    let rest = [
        (north < 90.0).then_some(GeoBox { south: north, west: -180.0, north: 90.0, east: 180.0 }),
        (south > -90.0).then_some(GeoBox { south: -90.0, west: -180.0, north: south, east: 180.0 }),
        (!round).then_some(GeoBox { south: -90.0, west: east, north: 90.0, east: west }),
    ];
    rest.iter().flatten().map(|rest| at_least(point, rest)).fold(f64::INFINITY, f64::min)
}

/// No point of the box is nearer than this, in metres; a micrometre is left for rounding.
fn at_least(point: Point, area: &GeoBox) -> f64 {
    let GeoBox { south, west, north, east } = *area;
    let beside = GeoBox { south: -90.0, north: 90.0, ..*area }.contains(point);
    let to = |latitude: f64, longitude: f64| point.distance(Point { latitude, longitude });
    let metres = if beside {
        to(point.latitude().clamp(south, north), point.longitude())
    } else {
        // The nearest point is on the western or the eastern side: where its meridian is nearest, or at an end of it.
        let side = |longitude: f64| {
            let (sin, cos) = point.latitude().to_radians().sin_cos();
            let nearest = sin.atan2(cos * (longitude - point.longitude()).to_radians().cos()).to_degrees();
            let ends = to(south, longitude).min(to(north, longitude));
            if (south..=north).contains(&nearest) { ends.min(to(nearest, longitude)) } else { ends }
        };
        side(west).min(side(east))
    };
    (metres - 1e-6).max(0.0)
}

/// Returns the stored tile that covers a point, if stored tiles do not overlap. It takes one seek.
///
/// `seek` returns the first row whose tile is equal to or after the one it is called with. A tile sorts right after all
/// tiles in it. So the first stored tile from the deepest tile at the point on covers the point, or no tile does.
///
/// ```
/// use rowkey::geo::{Point, Tile, covering};
/// use rowkey::{Memory, Table};
///
/// let tiles: Table<Tile, String, _> = Table::open(Memory::new(), "tiles")?;
/// tiles.put(&"02".parse()?, &"America".into())?;
/// tiles.put(&"1202".parse()?, &"Central Europe".into())?;
/// let over = |latitude, longitude| {
///     let point = Point::new(latitude, longitude)?;
///     let found = covering(point, |row: &(Tile, String)| row.0, |from| tiles.first_at_or_after(&from))?;
///     Ok::<_, Box<dyn std::error::Error>>(found.map(|(_, name)| name))
/// };
/// assert_eq!(over(47.6, -122.3)?.as_deref(), Some("America"));
/// assert_eq!(over(50.1, 8.7)?.as_deref(), Some("Central Europe"));
/// assert_eq!(over(-33.9, 151.2)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If a stored tile is in another one, use [`smallest_covering`]: this search may miss the larger one.
///
/// # Errors
/// Those of `seek`.
pub fn covering<R, E>(
    point: Point,
    tile: impl Fn(&R) -> Tile,
    seek: impl FnOnce(Tile) -> Result<Option<R>, E>,
) -> Result<Option<R>, E> {
    Ok(seek(Tile::deepest(point))?.filter(|row| tile(row).covers(point)))
}

/// Returns the smallest stored tile that covers a point; stored tiles may be in one another.
///
/// It seeks as [`covering`] does. If the tile found does not cover the point, it seeks again from the smallest tile
/// that holds both, which is in every other tile that covers the point. It takes at most 30 seeks, and one if the first
/// tile covers the point.
///
/// # Errors
/// Those of `seek`.
pub fn smallest_covering<R, E>(
    point: Point,
    tile: impl Fn(&R) -> Tile,
    mut seek: impl FnMut(Tile) -> Result<Option<R>, E>,
) -> Result<Option<R>, E> {
    let mut from = Tile::deepest(point);
    loop {
        let Some(row) = seek(from)? else { return Ok(None) };
        let found = tile(&row);
        if found.covers(point) {
            return Ok(Some(row));
        }
        let both = from.common(found);
        // A wrong seek that returns a tile before the one it was called with would be called for ever.
        if both == from {
            return Ok(None);
        }
        from = both;
    }
}
