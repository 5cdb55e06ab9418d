//! Tiles of any zoom.

use std::fmt;
use std::str::FromStr;

use super::GeoError;

/// The deepest zoom of a [`Tile`] and of a [`QuadKey`](super::QuadKey).
pub const MAX_ZOOM: u8 = 29;

/// A square of the map at any zoom, from 0, the world, to 29; its text is its digits. For keys of areas of several
/// sizes; places of one zoom are a [`QuadKey`](super::QuadKey).
///
/// Tiles sort as their keys do: by digits, and a tile right after all tiles in it.
///
/// ```
/// use rowkey::geo::Tile;
///
/// let tile: Tile = "0121".parse()?;
/// assert_eq!((tile.zoom(), tile.x(), tile.y()), (4, 5, 2));
/// assert_eq!(Tile::from_xy(5, 2, 4)?, tile);
/// assert!(tile.contains(&"01213".parse()?));
/// assert!("01213".parse::<Tile>()? < tile && tile < "0122".parse()?);
/// # Ok::<(), rowkey::geo::GeoError>(())
/// ```
// The number is the key's eight bytes, so the derived order is the key's: digits in 58 bits, padded with ones, then
// 31 - zoom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tile(u64);

impl Tile {
    /// The tile of zoom 0.
    pub const WORLD: Self = Self::new(0, 0);

    /// The tile of these digits, two bits each, right-aligned.
    pub(crate) const fn new(digits: u64, zoom: u8) -> Self {
        let padding = 2 * (MAX_ZOOM - zoom) as u32;
        let padded = digits << padding | ((1 << padding) - 1);
        Self(padded << 5 | (31 - zoom) as u64)
    }

    /// The tile of this key; the error says what is expected.
    pub(crate) fn from_key(key: u64) -> Result<Self, &'static str> {
        let zoom = 31 - (key & 31) as u8;
        if key >> 63 != 0 {
            return Err("a tile's first bit is 0");
        }
        if zoom > MAX_ZOOM {
            return Err("a tile's last five bits are 31 less its zoom, which is 29 at most");
        }
        let tile = Self::new(key >> 5 >> (2 * (MAX_ZOOM - zoom)), zoom);
        if tile.0 == key { Ok(tile) } else { Err("a tile is padded with ones") }
    }

    pub(crate) const fn key(self) -> u64 {
        self.0
    }

    /// The first key of the tiles in this one; the last is its own.
    pub(crate) const fn first_key(self) -> u64 {
        let padding = 2 * (MAX_ZOOM - self.zoom()) as u32;
        self.digits() << padding << 5
    }

    pub(crate) const fn digits(self) -> u64 {
        self.0 >> 5 >> (2 * (MAX_ZOOM - self.zoom()))
    }

    /// Returns the tile in this column, counted from 0 in the west, and this row, counted from 0 in the north: the x, y
    /// and z of a web map's URLs.
    ///
    /// # Errors
    /// [`GeoError::Zoom`] above 29; [`GeoError::Xy`] if the zoom has no such column or row.
    pub fn from_xy(x: u32, y: u32, zoom: u8) -> Result<Self, GeoError> {
        if zoom > MAX_ZOOM {
            return Err(GeoError::Zoom(zoom.into()));
        }
        if x >> zoom != 0 || y >> zoom != 0 {
            return Err(GeoError::Xy { x, y, zoom });
        }
        Ok(Self::new(spread(x) | spread(y) << 1, zoom))
    }

    /// The zoom, which is the number of digits.
    pub const fn zoom(self) -> u8 {
        31 - (self.0 & 31) as u8
    }

    /// The column, counted from 0 in the west.
    pub fn x(self) -> u32 {
        gather(self.digits())
    }

    /// The row, counted from 0 in the north.
    pub fn y(self) -> u32 {
        gather(self.digits() >> 1)
    }

    /// The tile of a lower zoom that this one is in; itself at its own zoom; `None` for a higher zoom.
    pub fn ancestor(self, zoom: u8) -> Option<Self> {
        let up = self.zoom().checked_sub(zoom)?;
        Some(Self::new(self.digits() >> (2 * up), zoom))
    }

    /// The tile that this one is a quarter of. `None` for the world.
    pub fn parent(self) -> Option<Self> {
        self.ancestor(self.zoom().checked_sub(1)?)
    }

    /// Its quarters, in key order. `None` at zoom 29.
    pub fn children(self) -> Option<[Self; 4]> {
        let zoom = self.zoom() + 1;
        (zoom <= MAX_ZOOM).then(|| [0, 1, 2, 3].map(|digit| Self::new(self.digits() << 2 | digit, zoom)))
    }

    /// Returns whether `other` is this tile or in it.
    pub fn contains(self, other: &Self) -> bool {
        other.ancestor(self.zoom()) == Some(self)
    }

    /// The smallest tile that contains both tiles.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let zoom = self.zoom().min(other.zoom());
        let at = |zoom| Some(self.ancestor(zoom)?).filter(|tile| tile.contains(&other));
        (0..=zoom).rev().find_map(at).unwrap_or(Self::WORLD)
    }

    /// The tile this many columns to the east and rows to the south. Columns wrap round the world; beyond the northern
    /// and southern edge it is `None`.
    pub fn neighbour(self, east: i32, south: i32) -> Option<Self> {
        let (zoom, size) = (self.zoom(), 1i64 << self.zoom());
        let x = (i64::from(self.x()) + i64::from(east)).rem_euclid(size);
        let y = i64::from(self.y()) + i64::from(south);
        if !(0..size).contains(&y) {
            return None;
        }
        Self::from_xy(x as u32, y as u32, zoom).ok()
    }

    /// The tiles around it, from north-west to south-east: eight, or fewer at the northern and southern edge and at
    /// zooms 0 and 1.
    pub fn neighbours(self) -> Vec<Self> {
        let mut around = Vec::with_capacity(8);
        for south in -1..=1 {
            for tile in (-1..=1).filter_map(|east| self.neighbour(east, south)) {
                if tile != self && !around.contains(&tile) {
                    around.push(tile);
                }
            }
        }
        around
    }
}

/// Bit i to bit 2i.
fn spread(n: u32) -> u64 {
    let mut n = u64::from(n);
    n = (n | n << 16) & 0x0000_ffff_0000_ffff;
    n = (n | n << 8) & 0x00ff_00ff_00ff_00ff;
    n = (n | n << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    n = (n | n << 2) & 0x3333_3333_3333_3333;
    (n | n << 1) & 0x5555_5555_5555_5555
}

/// Bit 2i to bit i.
fn gather(mut n: u64) -> u32 {
    n &= 0x5555_5555_5555_5555;
    n = (n | n >> 1) & 0x3333_3333_3333_3333;
    n = (n | n >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    n = (n | n >> 4) & 0x00ff_00ff_00ff_00ff;
    n = (n | n >> 8) & 0x0000_ffff_0000_ffff;
    (n | n >> 16) as u32
}

/// Its digits. The world has none.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |up: u8| char::from(b'0' + (self.digits() >> (2 * up) & 3) as u8);
        f.pad(&(0..self.zoom()).rev().map(digit).collect::<String>())
    }
}

impl fmt::Debug for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tile({:?})", self.to_string())
    }
}

impl FromStr for Tile {
    type Err = GeoError;

    fn from_str(text: &str) -> Result<Self, GeoError> {
        let mut digits = 0;
        for (at, found) in text.char_indices() {
            let Some(digit) = found.to_digit(4) else { return Err(GeoError::Digit { found, at }) };
            digits = digits << 2 | u64::from(digit);
        }
        match u8::try_from(text.len()) {
            Ok(zoom @ ..=MAX_ZOOM) => Ok(Self::new(digits, zoom)),
            _ => Err(GeoError::Zoom(text.len())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(digits: &str) -> Tile {
        digits.parse().unwrap()
    }

    #[test]
    fn digits_rows_and_columns() {
        // The example of Bing's description.
        assert_eq!(Tile::from_xy(3, 5, 3).unwrap(), tile("213"));
        let deepest = "0123".repeat(7) + "3";
        assert_eq!(tile(&deepest).to_string(), deepest);
        assert_eq!(Tile::from_xy(tile(&deepest).x(), tile(&deepest).y(), 29).unwrap(), tile(&deepest));
        assert_eq!((Tile::WORLD.zoom(), Tile::WORLD.to_string()), (0, String::new()));
        assert_eq!(format!("{:?} {:>3}", tile("3"), tile("1")), "Tile(\"3\")   1");
    }

    #[test]
    fn what_is_no_tile() {
        assert_eq!("012a".parse::<Tile>(), Err(GeoError::Digit { found: 'a', at: 3 }));
        assert_eq!(
            "4".parse::<Tile>().unwrap_err().to_string(),
            "found '4' at byte 0, the digits of a tile are 0 to 3"
        );
        assert_eq!("0".repeat(30).parse::<Tile>(), Err(GeoError::Zoom(30)));
        assert_eq!("0".repeat(400).parse::<Tile>(), Err(GeoError::Zoom(400)));
        assert_eq!(Tile::from_xy(0, 0, 30), Err(GeoError::Zoom(30)));
        assert_eq!(Tile::from_xy(8, 0, 3), Err(GeoError::Xy { x: 8, y: 0, zoom: 3 }));
        assert_eq!(Tile::from_xy(0, u32::MAX, 29).unwrap_err().to_string(), "there is no tile 0/4294967295 at zoom 29");
    }

    #[test]
    fn above_and_below() {
        let (a, b) = (tile("1"), tile("123"));
        assert_eq!((b.parent(), a.parent(), Tile::WORLD.parent()), (Some(tile("12")), Some(Tile::WORLD), None));
        assert_eq!(b.children().unwrap(), ["1230", "1231", "1232", "1233"].map(tile));
        assert_eq!(tile(&"3".repeat(29)).children(), None);
        assert!(a.contains(&b) && a.contains(&a) && !b.contains(&a) && Tile::WORLD.contains(&b));
        assert_eq!((a.ancestor(2), b.ancestor(1), b.ancestor(3)), (None, Some(a), Some(b)));
        assert_eq!(tile("1230").common(tile("1213")), tile("12"));
        assert_eq!((tile("12").common(tile("1213")), tile("0").common(tile("1"))), (tile("12"), Tile::WORLD));
    }

    #[test]
    fn around() {
        let around = |digits| tile(digits).neighbours().iter().map(Tile::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(around("033"), "030 031 120 032 122 210 211 300");
        // Round the world at the antimeridian, and nothing beyond the poles.
        assert_eq!(around("222"), "331 220 221 333 223");
        assert_eq!(around("0"), "1 3 2");
        assert_eq!(around(""), "");
        assert_eq!(tile("000").neighbour(-1, 0), Some(tile("111")));
        assert_eq!(tile("000").neighbour(i32::MIN, 0), Some(tile("000")));
        assert_eq!((tile("000").neighbour(0, -1), tile("222").neighbour(0, 1)), (None, None));
    }

    #[test]
    fn a_tile_sorts_right_after_all_inside_it() {
        let mut tiles: Vec<Tile> =
            (0..=4).flat_map(|zoom: u8| (0..1 << (2 * zoom)).map(move |digits| Tile::new(digits, zoom))).collect();
        tiles.sort_unstable();
        for (i, tile) in tiles.iter().enumerate() {
            let inside = tiles.iter().filter(|other| tile.contains(other)).count();
            assert!(tiles[i + 1 - inside..=i].iter().all(|other| tile.contains(other)));
            assert!(tiles.iter().all(|t| (tile.first_key()..=tile.key()).contains(&t.key()) == tile.contains(t)));
        }
    }
}
