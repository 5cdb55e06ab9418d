//! Points on Earth, and the tiles they are in.

use std::f64::consts::PI;

use super::{GeoBox, GeoError, MAX_ZOOM, QuadKey, Tile};

/// The latitude, north and south, where the map ends, in degrees. Within it the map is a square.
pub const MAX_LATITUDE: f64 = 85.051_128_78;

/// The mean radius of the Earth (IUGG), in metres.
const EARTH: f64 = 6_371_008.8;

/// A point on Earth: latitude from -90 to 90 and longitude from -180 to 180, in degrees.
///
/// ```
/// use rowkey::geo::{Point, QuadKey, Tile};
///
/// let seattle = Point::new(47.60621, -122.33207)?;
/// assert_eq!(QuadKey::<8>::at(seattle).to_string(), "02123003");
/// assert!(Tile::at(seattle, 4)?.covers(seattle));
/// assert!(Point::new(91.0, 0.0).is_err() && Point::new(0.0, f64::NAN).is_err());
/// # Ok::<(), rowkey::geo::GeoError>(())
/// ```
///
/// The map ends at [`MAX_LATITUDE`]; points beyond it are in the tiles of the map's edge. Longitude 180 is the eastern
/// end of the easternmost tiles, -180 the western end of the westernmost, though both are one meridian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

impl Point {
    /// Returns the point at these degrees.
    ///
    /// # Errors
    /// If degrees are out of range or NaN.
    pub fn new(latitude: f64, longitude: f64) -> Result<Self, GeoError> {
        // A NaN is in no range.
        if !(-90.0..=90.0).contains(&latitude) {
            return Err(GeoError::Latitude(latitude));
        }
        if !(-180.0..=180.0).contains(&longitude) {
            return Err(GeoError::Longitude(longitude));
        }
        Ok(Self { latitude, longitude })
    }

    /// The latitude in degrees; north of the equator it is positive.
    pub fn latitude(self) -> f64 {
        self.latitude
    }

    /// The longitude in degrees; east of Greenwich it is positive.
    pub fn longitude(self) -> f64 {
        self.longitude
    }

    /// The great-circle distance in metres (haversine), on a sphere of the Earth's mean radius.
    pub fn distance(self, other: Self) -> f64 {
        let (a, b) = (self.latitude.to_radians(), other.latitude.to_radians());
        let half = |difference: f64| (difference / 2.0).sin().powi(2);
        let h = half(b - a) + a.cos() * b.cos() * half((other.longitude - self.longitude).to_radians());
        2.0 * EARTH * h.sqrt().min(1.0).asin()
    }

    /// Its column and row at a zoom.
    // Bing Maps' formulas without their rounding to pixels, which moves a point by up to 1/512 of a tile.
    fn xy(self, zoom: u8) -> (u32, u32) {
        let sin = self.latitude.clamp(-MAX_LATITUDE, MAX_LATITUDE).to_radians().sin();
        let x = (self.longitude + 180.0) / 360.0;
        let y = 0.5 - ((1.0 + sin) / (1.0 - sin)).ln() / (4.0 * PI);
        let tiles = f64::from(1u32 << zoom);
        let clipped = |at: f64| (at * tiles).floor().clamp(0.0, tiles - 1.0) as u32;
        (clipped(x), clipped(y))
    }
}

/// The western and the eastern side of column `x`: the least and the greatest longitude in it.
fn columns(x: u32, zoom: u8) -> (f64, f64) {
    let first = |x: u32| {
        let near = f64::from(x) / f64::from(1u32 << zoom) * 360.0 - 180.0;
        least(near, |longitude| Point { latitude: 0.0, longitude }.xy(zoom).0 >= x)
    };
    let west = if x == 0 { -180.0 } else { first(x) };
    let east = if x + 1 == 1 << zoom { 180.0 } else { first(x + 1).next_down() };
    (west, east)
}

/// The southern and the northern side of row `y`: the least and the greatest latitude in it. The first and the last row
/// go to the poles, because their tiles hold the points beyond the map.
fn rows(y: u32, zoom: u8) -> (f64, f64) {
    // The least latitude north of where row `y` begins.
    let before = |y: u32| {
        let near = (PI * (1.0 - 2.0 * f64::from(y) / f64::from(1u32 << zoom))).sinh().atan().to_degrees();
        least(near, |latitude| Point { latitude, longitude: 0.0 }.xy(zoom).1 < y)
    };
    let south = if y + 1 == 1 << zoom { -90.0 } else { before(y + 1) };
    let north = if y == 0 { 90.0 } else { before(y).next_down() };
    (south, north)
}

/// The least double for which `is` is true. It must be true for all doubles above that one and false for all below it;
/// `near` is a guess.
///
/// The formulas from a tile to its sides round differently from those from a point to its tile. So the former only
/// give the guess.
fn least(near: f64, is: impl Fn(f64) -> bool) -> f64 {
    // Maps the order of doubles to that of integers, and is its own inverse.
    let turned = |bits: i64| bits ^ ((bits >> 63) & i64::MAX);
    let at = |order: i64| f64::from_bits(turned(order).cast_unsigned());
    let near = turned(near.to_bits().cast_signed());
    let (mut low, mut high, mut step) = (near, near, 1i64);
    while is(at(low)) {
        (low, step) = (low.saturating_sub(step), step.saturating_mul(2));
    }
    while !is(at(high)) {
        (high, step) = (high.saturating_add(step), step.saturating_mul(2));
    }
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if is(at(middle)) { high = middle } else { low = middle }
    }
    // -0.0 becomes 0.0.
    at(high) + 0.0
}

impl Tile {
    /// Returns the tile of this zoom that a point is in.
    ///
    /// # Errors
    /// [`GeoError::Zoom`] above 29.
    pub fn at(point: Point, zoom: u8) -> Result<Self, GeoError> {
        if zoom > MAX_ZOOM {
            return Err(GeoError::Zoom(zoom.into()));
        }
        let (x, y) = point.xy(zoom);
        Self::from_xy(x, y, zoom)
    }

    /// Returns the smallest tile, of zoom 29, that a point is in.
    pub fn deepest(point: Point) -> Self {
        // There is no error: zoom 29 is valid, and columns and rows are clipped.
        Self::at(point, MAX_ZOOM).unwrap_or(Self::WORLD)
    }

    /// Returns whether a point is in the tile.
    pub fn covers(self, point: Point) -> bool {
        self.contains(&Self::deepest(point))
    }

    /// The tile's area in degrees: the smallest box that holds every point of the tile.
    ///
    /// It is exact: a point is in the box, or on its sides, if and only if it is in the tile. So a side is one double
    /// away from that of the next tile. The tiles of the northern and southern edge go to the poles, because they hold
    /// the points beyond the map.
    ///
    /// ```
    /// use rowkey::geo::{Point, Tile};
    ///
    /// let tile: Tile = "1202".parse()?;
    /// let bounds = tile.bounds();
    /// let north_east = Point::new(bounds.north(), bounds.east())?;
    /// assert_eq!(Tile::at(north_east, 4)?, tile);
    /// assert_eq!(bounds.tiles(4)?.collect::<Vec<_>>(), [tile]);
    /// # Ok::<(), rowkey::geo::GeoError>(())
    /// ```
    pub fn bounds(self) -> GeoBox {
        let (south, north) = rows(self.y(), self.zoom());
        let (west, east) = columns(self.x(), self.zoom());
        GeoBox { south, west, north, east }
    }
}

impl<const Z: u8> QuadKey<Z> {
    /// Returns the quadkey of a point.
    pub fn at(point: Point) -> Self {
        Self::new(Tile::deepest(point).digits() >> (2 * (MAX_ZOOM - Self::ZOOM)))
    }

    /// Returns whether a point is in the quadkey's tile.
    pub fn covers(self, point: Point) -> bool {
        Self::at(point) == self
    }

    /// The quadkey's area in degrees: see [`Tile::bounds`].
    pub fn bounds(self) -> GeoBox {
        self.tile().bounds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(latitude: f64, longitude: f64) -> Point {
        Point::new(latitude, longitude).unwrap()
    }

    #[test]
    fn what_is_no_point() {
        for latitude in [-90.1, 90.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(Point::new(latitude, 0.0), Err(GeoError::Latitude(_))));
        }
        for longitude in [-180.1, 180.1, f64::NAN, f64::NEG_INFINITY] {
            assert!(matches!(Point::new(0.0, longitude), Err(GeoError::Longitude(_))));
        }
        assert_eq!(Tile::at(point(0.0, 0.0), 30), Err(GeoError::Zoom(30)));
    }

    #[test]
    fn poles_and_antimeridian() {
        assert_eq!(QuadKey::<3>::at(point(90.0, -180.0)).to_string(), "000");
        assert_eq!(QuadKey::<3>::at(point(-90.0, 180.0)).to_string(), "333");
        assert_eq!(QuadKey::<3>::at(point(0.0, 0.0)).to_string(), "300");
        assert_eq!(Tile::at(point(90.0, 0.0), 0).unwrap(), Tile::WORLD);
    }

    #[test]
    fn bounds_hold_the_tile_s_points() {
        assert_eq!(Tile::WORLD.bounds(), GeoBox { south: -90.0, west: -180.0, north: 90.0, east: 180.0 });
        let bounds = "21".parse::<QuadKey<2>>().unwrap().bounds();
        let due = [-66.513_260_443_1, -90.0, 0.0, 0.0];
        for (side, due) in [bounds.south, bounds.west, bounds.north, bounds.east].into_iter().zip(due) {
            assert!((side - due).abs() < 1e-9, "{bounds:?}");
        }
        for digits in ["0", "13", "021230030123", "3333", "21030121032130"] {
            let tile: Tile = digits.parse().unwrap();
            let GeoBox { south, west, north, east } = tile.bounds();
            let middle = point((south + north) / 2.0, (west + east) / 2.0);
            assert!(tile.covers(middle) && tile.bounds().contains(middle));
            let inside = |side: f64, other: f64| side + (other - side) * 1e-6;
            assert!(tile.covers(point(inside(north, south), inside(west, east))), "{tile}");
            assert!(tile.covers(point(inside(south, north), inside(east, west))), "{tile}");
        }
    }

    #[test]
    fn distances() {
        let degree = EARTH * PI / 180.0;
        assert!((point(0.0, 0.0).distance(point(0.0, 1.0)) - degree).abs() < 1e-6);
        assert!((point(0.0, 179.5).distance(point(0.0, -179.5)) - degree).abs() < 1e-6);
        assert!((point(89.5, 0.0).distance(point(89.5, 180.0)) - degree).abs() < 1e-6);
        assert!((point(-90.0, 7.0).distance(point(90.0, -120.0)) - 180.0 * degree).abs() < 1e-6);
        assert_eq!(point(12.0, 34.0).distance(point(12.0, 34.0)), 0.0);
    }
}
