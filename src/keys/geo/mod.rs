//! Places on Earth as keys: [`QuadKey`]s and [`Tile`]s, boxes as a few ranges, the nearest points.
//!
//! The tiles are those of slippy maps: the world in Web Mercator is one square; a tile of zoom z is four of zoom z + 1,
//! and a digit from 0 to 3 says which (0 north-west, 1 north-east, 2 south-west, 3 south-east). So the tiles within a tile
//! begin with its digits, and stand together in a sorted store. The formulas are those that
//! [Bing Maps](https://learn.microsoft.com/en-us/bingmaps/articles/bing-maps-tile-system) publishes.

mod area;
mod around;
mod nearest;
mod point;
mod quadkey;
mod tile;
mod view;

pub use self::area::{Cover, GeoBox};
pub use self::nearest::{Near, covering, nearest, smallest_covering};
pub use self::point::{MAX_LATITUDE, Point};
pub use self::quadkey::QuadKey;
pub use self::tile::{MAX_ZOOM, Tile};

/// What is no place.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeoError {
    /// A zoom that no tile has.
    #[error("zoom {0} is above 29")]
    Zoom(usize),
    /// A tile's digits are `0` to `3`.
    #[error("found {found:?} at {at}, the digits of a tile are 0 to 3")]
    Digit {
        /// The character.
        found: char,
        /// The byte where it stands.
        at: usize,
    },
    /// A quadkey has as many digits as its type says.
    #[error("found {found} digits, the quadkey has {due}")]
    Digits {
        /// How many there are.
        found: usize,
        /// How many are due.
        due: u8,
    },
    /// A tile beyond the edge of the world.
    #[error("there is no tile {x}/{y} at zoom {zoom}")]
    Xy {
        /// Its column, from the west.
        x: u32,
        /// Its row, from the north.
        y: u32,
        /// Its zoom.
        zoom: u8,
    },
    /// Latitudes are from -90 to 90.
    #[error("latitude {0} is not from -90 to 90")]
    Latitude(f64),
    /// Longitudes are from -180 to 180.
    #[error("longitude {0} is not from -180 to 180")]
    Longitude(f64),
    /// A box whose sides are the wrong way round.
    #[error("the south, {south}, is above the north, {north}")]
    Upside {
        /// The southern side.
        south: f64,
        /// The northern side.
        north: f64,
    },
}
