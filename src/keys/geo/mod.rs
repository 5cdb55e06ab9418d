//! Geospatial keys: [`QuadKey`]s and [`Tile`]s as fields, queries of boxes as a few ranges, and of the nearest points.
//!
//! The tiles are those of web maps ("slippy maps"). The world in Web Mercator is one square, the tile of zoom 0. A tile
//! of zoom z has four quarters, the tiles of zoom z + 1, and a digit for each: 0 north-west, 1 north-east, 2
//! south-west, 3 south-east. So all tiles in a tile begin with its digits, and are neighbours in a sorted store. The
//! formulas are those of the
//! [Bing Maps tile system](https://learn.microsoft.com/en-us/bingmaps/articles/bing-maps-tile-system).
//!
//! A quadkey does what a geohash does: a prefix of it is a larger area.

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

/// Why a tile, a quadkey, a point or a box is not valid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeoError {
    /// The zoom is above [`MAX_ZOOM`].
    #[error("zoom {0} is above 29")]
    Zoom(usize),
    /// A character of a tile's text is not a digit from `0` to `3`.
    #[error("found {found:?} at byte {at}, the digits of a tile are 0 to 3")]
    Digit {
        /// The character.
        found: char,
        /// Its place: a byte of the text, counted from 0.
        at: usize,
    },
    /// A quadkey has not as many digits as its type states.
    #[error("found {found} digits, the quadkey has {expected}")]
    Digits {
        /// The number of digits found.
        found: usize,
        /// The number of digits expected.
        expected: u8,
    },
    /// There is no such column or row at this zoom.
    #[error("there is no tile {x}/{y} at zoom {zoom}")]
    Xy {
        /// Its column, from the west.
        x: u32,
        /// Its row, from the north.
        y: u32,
        /// Its zoom.
        zoom: u8,
    },
    /// The latitude is not from -90 to 90 degrees.
    #[error("latitude {0} is not from -90 to 90")]
    Latitude(f64),
    /// The longitude is not from -180 to 180 degrees.
    #[error("longitude {0} is not from -180 to 180")]
    Longitude(f64),
    /// The southern side of a box is north of its northern side.
    #[error("the southern latitude {south} is greater than the northern, {north}")]
    Upside {
        /// The southern side.
        south: f64,
        /// The northern side.
        north: f64,
    },
}
