//! Floats, in the order of `total_cmp`.
//!
//! ```text
//! f64  1.0   bf f0 00 00 00 00 00 00    not negative: the IEEE bits, sign bit flipped
//! f64 -1.0   40 0f ff ff ff ff ff ff    negative: the IEEE bits, all inverted
//! ```
//!
//! Decoding returns the same bits: -0.0, which sorts before 0.0, and every NaN are kept.

use crate::keys::encode::scalar;
use crate::keys::layout::Scalar;

macro_rules! floats {
    ($($float:ident as $bits:ident $scalar:ident;)*) => {$(
        scalar!($float, Scalar::$scalar,
            self, w => {
                let bits = self.to_bits();
                let negative = bits >> ($bits::BITS - 1) == 1;
                w.array((if negative { !bits } else { bits ^ (1 << ($bits::BITS - 1)) }).to_be_bytes());
            },
            r => {
                let bits = $bits::from_be_bytes(r.array()?);
                let negative = bits >> ($bits::BITS - 1) == 0;
                Ok($float::from_bits(if negative { !bits } else { bits ^ (1 << ($bits::BITS - 1)) }))
            });
    )*};
}

floats! {
    f32 as u32 F32;
    f64 as u64 F64;
}

#[cfg(test)]
mod tests {
    use crate::keys::encode::tests::bytes;

    #[test]
    fn order_is_total_cmp() {
        let mut floats = [-f64::NAN, f64::NEG_INFINITY, -1.0, -f64::MIN_POSITIVE, -0.0, 0.0, 5e-324, 1.0, f64::NAN];
        floats.sort_by(f64::total_cmp);
        assert!(floats.windows(2).all(|pair| bytes(&pair[0]) < bytes(&pair[1])));
    }
}
