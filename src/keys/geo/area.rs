//! Boxes, and the few ranges of quadkeys that cover one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

use super::{GeoError, Point, QuadKey, Tile};

/// An area between two latitudes and two longitudes, in degrees, to find the rows in it: see [`cover`](Self::cover).
///
/// It goes from south to north and from west to east. With `west` above `east` it crosses the antimeridian.
#[doc(alias = "bounding box")]
#[doc(alias = "rectangle")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoBox {
    pub(super) south: f64,
    pub(super) west: f64,
    pub(super) north: f64,
    pub(super) east: f64,
}

impl GeoBox {
    /// Returns the box of these sides. The order is south, west, north, east; a GeoJSON `bbox` has west, south, east,
    /// north.
    ///
    /// # Errors
    /// If degrees are out of range or NaN, or the southern latitude is greater than the northern.
    pub fn new(south: f64, west: f64, north: f64, east: f64) -> Result<Self, GeoError> {
        Point::new(south, west)?;
        Point::new(north, east)?;
        if south > north {
            return Err(GeoError::Upside { south, north });
        }
        Ok(Self { south, west, north, east })
    }

    /// The southern side, in degrees.
    pub fn south(&self) -> f64 {
        self.south
    }

    /// The western side, in degrees.
    pub fn west(&self) -> f64 {
        self.west
    }

    /// The northern side, in degrees.
    pub fn north(&self) -> f64 {
        self.north
    }

    /// The eastern side, in degrees.
    pub fn east(&self) -> f64 {
        self.east
    }

    /// The point in the middle between its sides.
    pub fn middle(&self) -> Point {
        let width = if self.west <= self.east { self.east - self.west } else { self.east + 360.0 - self.west };
        let longitude = self.west + width / 2.0;
        let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
        Point { latitude: (self.south + self.north) / 2.0, longitude }
    }

    /// Returns whether a point is in the box or on its sides.
    pub fn contains(&self, point: Point) -> bool {
        let longitude = point.longitude();
        let beside = if self.west <= self.east {
            (self.west..=self.east).contains(&longitude)
        } else {
            longitude >= self.west || longitude <= self.east
        };
        beside && (self.south..=self.north).contains(&point.latitude())
    }

    /// Returns at most `ranges` ranges of quadkeys (at least one, two across the antimeridian) that hold every point of
    /// the box, and little else.
    ///
    /// Filter the rows by [`contains`](Self::contains), because a few are outside the box. The more ranges, the fewer
    /// they are: with 64, about one row in ten.
    ///
    /// ```
    /// use rowkey::geo::{GeoBox, Point, QuadKey};
    /// use rowkey::{Memory, RowKey, Table};
    ///
    /// #[derive(RowKey)]
    /// struct Place {
    ///     at: QuadKey<20>,
    ///     id: u32,
    /// }
    ///
    /// let places: Table<Place, String, _> = Table::open(Memory::new(), "places")?;
    /// places.put(&Place { at: QuadKey::at(Point::new(47.6, -122.3)?), id: 1 }, &"Seattle".into())?;
    /// places.put(&Place { at: QuadKey::at(Point::new(37.8, -122.4)?), id: 2 }, &"San Francisco".into())?;
    ///
    /// let cover = GeoBox::new(45.0, -125.0, 49.0, -117.0)?.cover(16);
    /// let found: Vec<_> = places.scan(Place::prefix().at_within(&cover)).collect::<Result<_, _>>()?;
    /// assert_eq!(found.len(), 1);
    /// assert_eq!(places.count(Place::prefix().at_in(&cover))?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cover<const Z: u8>(&self, ranges: usize) -> Cover<Z> {
        let corner = |latitude, longitude| QuadKey::<Z>::at(Point { latitude, longitude });
        let (north_west, south_east) = (corner(self.north, self.west), corner(self.south, self.east));
        let columns = |west: u32, east: u32| Rect { west, east, north: north_west.y(), south: south_east.y() };
        let (west, east) = (north_west.x(), south_east.x());
        let last = u32::MAX >> (32 - u32::from(Z));
        let rects = match self.west <= self.east {
            true => vec![columns(west, east)],
            // Both ends are in one column or in adjacent ones: the box goes round the world.
            false if west <= east + 1 => vec![columns(0, last)],
            false => vec![columns(0, east), columns(west, last)],
        };
        Cover(cover(&rects, Z, ranges).into_iter().map(|(a, b)| QuadKey::new(a)..=QuadKey::new(b)).collect())
    }
}

/// The ranges of quadkeys that cover a [`GeoBox`], sorted and not adjacent. A field takes it in `name_within`, or in
/// `name_in`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover<const Z: u8>(Vec<RangeInclusive<QuadKey<Z>>>);

impl<const Z: u8> Cover<Z> {
    /// The ranges, sorted and not adjacent.
    pub fn ranges(&self) -> &[RangeInclusive<QuadKey<Z>>] {
        &self.0
    }

    /// Returns whether a quadkey is in one of the ranges.
    pub fn contains(&self, quadkey: QuadKey<Z>) -> bool {
        let after = self.0.partition_point(|range| *range.start() <= quadkey);
        after.checked_sub(1).is_some_and(|last| quadkey <= *self.0[last].end())
    }
}

impl<const Z: u8> IntoIterator for Cover<Z> {
    type Item = RangeInclusive<QuadKey<Z>>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<const Z: u8> IntoIterator for &Cover<Z> {
    type Item = RangeInclusive<QuadKey<Z>>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.clone().into_iter()
    }
}

/// A rectangle of tiles of one zoom: columns and rows, all included.
struct Rect {
    west: u32,
    east: u32,
    north: u32,
    south: u32,
}

impl Rect {
    /// The number of its tiles in `tile`, whose zoom is lower by `down`.
    fn shared(&self, tile: Tile, down: u8) -> u64 {
        let side = |at: u32, low: u32, high: u32| {
            let (first, size) = (u64::from(at) << down, 1u64 << down);
            let (low, high) = (first.max(low.into()), (first + size - 1).min(high.into()));
            (high + 1).saturating_sub(low)
        };
        side(tile.x(), self.west, self.east) * side(tile.y(), self.north, self.south)
    }
}

/// A tile on the edge of the box: how many of its cells (tiles of the cover's zoom) are outside, and the tile.
type Edge = (u64, Reverse<Tile>);

/// The number of tiles split for each range of the result. With more, the ranges hardly get better.
const SPLITS: usize = 8;

/// The cover as ranges of digits.
///
/// It splits the tile with most cells outside the box first. The tiles left are many short runs of digits, most with a
/// small gap to the next run. It closes the smallest gaps until the runs are few enough.
fn cover(rects: &[Rect], zoom: u8, ranges: usize) -> Vec<(u64, u64)> {
    let outside = |tile: Tile| {
        let down = zoom - tile.zoom();
        let shared: u64 = rects.iter().map(|rect| rect.shared(tile, down)).sum();
        (shared > 0).then(|| (1u64 << (2 * down)) - shared)
    };
    let run = |tile: Tile| {
        let down = 2 * (zoom - tile.zoom());
        (tile.digits() << down, (tile.digits() + 1) << down)
    };
    let (mut runs, mut edges) = (Vec::new(), BinaryHeap::<Edge>::new());
    let mut splits = ranges.max(1).saturating_mul(SPLITS);
    let mut next = vec![Tile::WORLD];
    loop {
        for tile in next.drain(..) {
            match outside(tile) {
                None => {}
                Some(0) => runs.push(run(tile)),
                Some(cells) => edges.push((cells, Reverse(tile))),
            }
        }
        let Some((_, Reverse(tile))) = edges.pop() else { break };
        match tile.children() {
            Some(children) if splits > 0 => next.extend(children),
            _ => runs.push(run(tile)),
        }
        splits = splits.saturating_sub(1);
    }
    runs.sort_unstable();
    let mut gaps: Vec<(u64, usize)> = runs
        .windows(2)
        .enumerate()
        .map(|(i, pair)| (pair[1].0 - pair[0].1, i + 1))
        .filter(|(gap, _)| *gap > 0)
        .collect();
    gaps.sort_unstable_by_key(|&(gap, at)| (Reverse(gap), at));
    gaps.truncate(ranges.max(rects.len()) - 1);
    let mut starts: Vec<usize> = std::iter::once(0).chain(gaps.into_iter().map(|(_, at)| at)).collect();
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([runs.len()]);
    starts.iter().zip(ends).map(|(&start, end)| (runs[start].0, runs[end - 1].1 - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(south: f64, west: f64, north: f64, east: f64) -> GeoBox {
        GeoBox::new(south, west, north, east).unwrap()
    }

    #[test]
    fn what_is_no_box() {
        assert!(matches!(GeoBox::new(0.0, f64::NAN, 1.0, 1.0), Err(GeoError::Longitude(_))));
        assert!(matches!(GeoBox::new(0.0, 0.0, 91.0, 1.0), Err(GeoError::Latitude(_))));
        let error = GeoBox::new(2.0, 0.0, 1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "the southern latitude 2 is greater than the northern, 1");
    }

    /// Of all cells at a small zoom, those that a box shows are in its cover; with enough ranges no others.
    #[test]
    fn every_cell_of_the_box_is_covered() {
        let boxes = [
            area(-10.0, -20.0, 30.0, 40.0),
            area(-10.0, 170.0, 30.0, -160.0),
            area(-90.0, -180.0, 90.0, 180.0),
            area(0.0, 10.0, 0.0, 10.0),
            area(0.0, 10.0, 5.0, 9.9),
            area(86.0, -180.0, 90.0, 180.0),
            area(-90.0, 180.0, -80.0, -180.0),
            area(0.0, 180.0, 0.0, 180.0),
        ];
        for area in boxes {
            for ranges in [0, 1, 2, 3, 8, 64, 100_000] {
                let cover = area.cover::<6>(ranges);
                let fewest = if area.west > area.east { 2 } else { 1 };
                assert!(!cover.ranges().is_empty() && cover.ranges().len() <= ranges.max(fewest), "{area:?}");
                assert!(cover.ranges().windows(2).all(|two| two[0].end().digits() + 1 < two[1].start().digits()));
                for digits in 0..1 << 12 {
                    let quadkey = QuadKey::<6>::new(digits);
                    let GeoBox { south, west, north, east } = quadkey.bounds();
                    let rows = south <= area.north && area.south <= north;
                    let columns = |from: f64, to: f64| west <= to && from <= east;
                    let shown = rows
                        && match area.west <= area.east {
                            true => columns(area.west, area.east),
                            false => columns(area.west, 180.0) || columns(-180.0, area.east),
                        };
                    if shown || ranges == 100_000 {
                        assert_eq!(cover.contains(quadkey), shown, "{area:?} {quadkey}");
                    }
                }
            }
        }
    }

    #[test]
    fn points_of_the_box_are_covered_at_every_zoom() {
        let area = area(40.0, 179.5, 41.0, -179.25);
        for (latitude, longitude) in [(40.0, 179.5), (41.0, -179.25), (40.5, 180.0), (40.5, -180.0)] {
            let point = Point::new(latitude, longitude).unwrap();
            assert!(area.contains(point));
            assert!(area.cover::<1>(2).contains(QuadKey::at(point)));
            assert!(area.cover::<13>(2).contains(QuadKey::at(point)));
            assert!(area.cover::<29>(7).contains(QuadKey::at(point)));
        }
        assert!(!area.contains(Point::new(40.5, 0.0).unwrap()));
        assert!(!area.cover::<29>(64).contains(QuadKey::at(Point::new(40.5, 170.0).unwrap())));
    }
}
