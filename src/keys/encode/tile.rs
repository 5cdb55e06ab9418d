//! Tiles of any zoom.
//!
//! ```text
//! Tile 0123, zoom 4     0d ff ff ff ff ff ff fb
//!                       0 00011011 11..11 11011
//!                       0 digits   ones   31 - zoom
//! ```
//!
//! A zero bit; the digits in 58 bits, padded with ones; 31 - zoom in five bits. So a tile sorts right after all tiles
//! in it, and these are one range.

use std::ops::Bound;

use crate::keys::encode::{FieldSpan, Within, scalar};
use crate::keys::geo::Tile;
use crate::keys::layout::Scalar;

scalar!(Tile, Scalar::Tile, self, w => w.array(self.key().to_be_bytes()), r => {
    let at = r.offset();
    let key = u64::from_be_bytes(r.array()?);
    Self::from_key(key).map_err(|expected| r.bad_value(at, format!("{key:016x}"), expected))
});

/// The tile and all tiles in it.
impl Within<Tile> for Tile {
    fn within(area: &Tile) -> Vec<FieldSpan> {
        let (first, last) = (area.first_key().to_be_bytes(), area.key().to_be_bytes());
        vec![FieldSpan::Range(Bound::Included(first.into()), Bound::Included(last.into()))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::refused;

    #[test]
    fn one_form() {
        refused::<Tile>("ffffffffffffffff");
        refused::<Tile>("7fffffffffffffe1");
        refused::<Tile>("0cfffffffffffffc");
        refused::<Tile>("0dffffffffffff");
    }
}
