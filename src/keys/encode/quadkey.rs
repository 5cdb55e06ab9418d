//! Quadkeys: tiles of one zoom.
//!
//! ```text
//! QuadKey<8> 12301230   6c 6c           two bits a digit
//! QuadKey<3> 012        18 (000110 00)  padded with zeros to the end of the byte
//! ```

use std::ops::Bound;

use crate::keys::encode::{Field, FieldSpan, Reader, Sink, Within, Writer, into_field};
use crate::keys::error::DecodeError;
use crate::keys::geo::{Cover, MAX_ZOOM, QuadKey, Tile};
use crate::keys::layout::{Scalar, Type};

/// Writes digits, two bits each, right-aligned.
pub(crate) fn write<S: Sink>(digits: u64, zoom: u8, w: &mut Writer<'_, S>) {
    let bytes = (digits << (64 - 2 * u32::from(zoom))).to_be_bytes();
    w.bytes(&bytes[..width(zoom)]);
}

/// Reads digits; the padding must be zeros.
pub(crate) fn read(zoom: u8, r: &mut Reader<'_>) -> Result<u64, DecodeError> {
    let at = r.offset();
    if !(1..=MAX_ZOOM).contains(&zoom) {
        return Err(r.bad_value(at, format!("quadkey[{zoom}]"), "a quadkey has from 1 to 29 digits"));
    }
    let read = r.bytes(width(zoom))?;
    let mut bytes = [0; 8];
    bytes[..read.len()].copy_from_slice(&read);
    let aligned = u64::from_be_bytes(bytes);
    let padding = 64 - 2 * u32::from(zoom);
    if aligned.trailing_zeros() < padding {
        let last = read.last().copied().unwrap_or_default();
        return Err(r.bad_value(at + read.len() - 1, format!("{last:02x}"), "the bits after a quadkey's digits are 0"));
    }
    Ok(aligned >> padding)
}

const fn width(zoom: u8) -> usize {
    zoom.div_ceil(4) as usize
}

impl<const Z: u8> Field for QuadKey<Z> {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::QuadKey(Self::ZOOM));

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        write(self.digits(), Self::ZOOM, w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        read(Self::ZOOM, r).map(Self::new)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.skip(width(Self::ZOOM))
    }
}

into_field!(@ [const Z: u8] QuadKey<Z>);

/// The quadkeys in the tile. A tile that is smaller than a quadkey has none.
impl<const Z: u8> Within<Tile> for QuadKey<Z> {
    fn within(area: &Tile) -> Vec<FieldSpan> {
        let Some(down) = Self::ZOOM.checked_sub(area.zoom()) else { return Vec::new() };
        let bytes = |digits| {
            let mut bytes = Vec::new();
            write(digits, Z, &mut Writer::new(&mut bytes));
            bytes
        };
        let first = area.digits() << (2 * down);
        let last = first | ((1 << (2 * down)) - 1);
        vec![FieldSpan::Range(Bound::Included(bytes(first)), Bound::Included(bytes(last)))]
    }
}

/// The quadkeys of a cover.
impl<const Z: u8> Within<Cover<Z>> for QuadKey<Z> {
    fn within(area: &Cover<Z>) -> Vec<FieldSpan> {
        area.ranges().iter().map(FieldSpan::range::<Self, _>).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::refused;

    #[test]
    fn one_form() {
        refused::<QuadKey<13>>("00000001");
        refused::<QuadKey<1>>("20");
        refused::<QuadKey<8>>("6c");
        let error = QuadKey::<3>::decode(&mut Reader::new(&[0x1a])).unwrap_err();
        assert_eq!(error.to_string(), "at byte 0: found 1a, the bits after a quadkey's digits are 0");
    }
}
