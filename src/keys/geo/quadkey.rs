//! Tiles of one zoom.

use std::fmt;
use std::str::FromStr;

use super::tile::MAX_ZOOM;
use super::{GeoError, Tile};

/// A place on the map as a key field: the tile of zoom `Z`, from 1 to 29, that it is in. Its text is its digits.
///
/// At zoom `Z` a tile is 40,075 km / 2^`Z` wide at the equator: 38 m at zoom 20.
///
/// ```
/// use rowkey::{Select, geo::{QuadKey, Tile}};
/// use rowkey::{KeyRange, RowKey};
///
/// #[derive(RowKey)]
/// struct Place {
///     at: QuadKey<8>,
///     id: u32,
/// }
///
/// let at: QuadKey<8> = "12301230".parse()?;
/// assert_eq!(at.encode(), [0x6c, 0x6c]);
///
/// // All places in the tile 1230 are one range.
/// let within: Tile = "1230".parse()?;
/// let range = KeyRange::new([0x6c, 0], Some([0x6d])).unwrap();
/// assert_eq!(Place::prefix().at_within(&within).ranges(), [range]);
/// # Ok::<(), rowkey::geo::GeoError>(())
/// ```
///
/// A zoom that is not valid does not compile:
///
/// ```compile_fail
/// let none: rowkey::geo::QuadKey<30> = "".parse().unwrap();
/// ```
#[doc(alias = "geohash")]
#[doc(alias = "spatial index")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuadKey<const Z: u8>(u64);

impl<const Z: u8> QuadKey<Z> {
    /// The zoom, checked at compile time.
    pub(crate) const ZOOM: u8 = {
        assert!(Z >= 1 && Z <= MAX_ZOOM, "the zoom of a quadkey is from 1 to 29");
        Z
    };

    /// The quadkey of these digits, two bits each, right-aligned.
    pub(crate) const fn new(digits: u64) -> Self {
        assert!(digits >> (2 * Self::ZOOM) == 0);
        Self(digits)
    }

    pub(crate) const fn digits(self) -> u64 {
        self.0
    }

    /// Returns the quadkey in this column, counted from 0 in the west, and this row, counted from 0 in the north.
    ///
    /// # Errors
    /// [`GeoError::Xy`] if the zoom has no such column or row.
    pub fn from_xy(x: u32, y: u32) -> Result<Self, GeoError> {
        Tile::from_xy(x, y, Self::ZOOM).map(|tile| Self::new(tile.digits()))
    }

    /// Returns it as a tile.
    pub const fn tile(self) -> Tile {
        Tile::new(self.0, Self::ZOOM)
    }

    /// The column, counted from 0 in the west.
    pub fn x(self) -> u32 {
        self.tile().x()
    }

    /// The row, counted from 0 in the north.
    pub fn y(self) -> u32 {
        self.tile().y()
    }

    /// The tile that it is a quarter of.
    pub fn parent(self) -> Tile {
        Tile::new(self.0 >> 2, Self::ZOOM - 1)
    }

    /// Its quarters, in key order. `None` at zoom 29.
    pub fn children(self) -> Option<[Tile; 4]> {
        self.tile().children()
    }

    /// Returns whether `other` is this tile or in it.
    pub fn contains(self, other: &Tile) -> bool {
        self.tile().contains(other)
    }

    /// The quadkeys around it: see [`Tile::neighbours`].
    pub fn neighbours(self) -> Vec<Self> {
        self.tile().neighbours().into_iter().map(|tile| Self::new(tile.digits())).collect()
    }
}

impl<const Z: u8> From<QuadKey<Z>> for Tile {
    fn from(quadkey: QuadKey<Z>) -> Self {
        quadkey.tile()
    }
}

/// Fails unless the tile is of this zoom.
impl<const Z: u8> TryFrom<Tile> for QuadKey<Z> {
    type Error = GeoError;

    fn try_from(tile: Tile) -> Result<Self, GeoError> {
        if tile.zoom() == Self::ZOOM {
            Ok(Self::new(tile.digits()))
        } else {
            Err(GeoError::Digits { found: tile.zoom().into(), expected: Z })
        }
    }
}

impl<const Z: u8> FromStr for QuadKey<Z> {
    type Err = GeoError;

    fn from_str(digits: &str) -> Result<Self, GeoError> {
        match digits.parse::<Tile>() {
            Err(GeoError::Zoom(_)) => Err(GeoError::Digits { found: digits.len(), expected: Self::ZOOM }),
            tile => tile?.try_into(),
        }
    }
}

impl<const Z: u8> fmt::Display for QuadKey<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tile().fmt(f)
    }
}

impl<const Z: u8> fmt::Debug for QuadKey<Z> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuadKey({:?})", self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_rows_and_columns() {
        let quadkey: QuadKey<3> = "213".parse().unwrap();
        assert_eq!((quadkey.x(), quadkey.y(), quadkey.to_string().as_str()), (3, 5, "213"));
        assert_eq!(QuadKey::from_xy(3, 5), Ok(quadkey));
        assert_eq!(QuadKey::<3>::from_xy(8, 5), Err(GeoError::Xy { x: 8, y: 5, zoom: 3 }));
        assert_eq!(quadkey.parent(), "21".parse().unwrap());
        assert_eq!(QuadKey::<3>::try_from(quadkey.tile()), Ok(quadkey));
        assert_eq!(QuadKey::<1>::try_from(quadkey.tile()), Err(GeoError::Digits { found: 3, expected: 1 }));
        assert_eq!("21".parse::<QuadKey<3>>().unwrap_err().to_string(), "found 2 digits, the quadkey has 3");
        assert_eq!("0".repeat(300).parse::<QuadKey<3>>(), Err(GeoError::Digits { found: 300, expected: 3 }));
        assert_eq!(quadkey.neighbours().len(), 8);
        assert_eq!(quadkey.children().unwrap()[3], "2133".parse().unwrap());
        assert!(quadkey.contains(&"2130".parse().unwrap()) && !quadkey.contains(&Tile::WORLD));
    }
}
