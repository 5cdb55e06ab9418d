//! Integers.
//!
//! ```text
//! u32 1        00 00 00 01        big-endian
//! i32 1        80 00 00 01        big-endian, sign bit flipped: -1 (7f ff ff ff) sorts before 0 (80 00 00 00)
//! i64 desc 1   7f ff ff ff ff ff ff fe      every byte inverted, which is HBase's Long.MAX_VALUE - 1
//! ```
//!
//! A `NonZero` type has the bytes of its integer; decoding refuses zero.

use std::num::{NonZero, Saturating, Wrapping};

use crate::keys::encode::{Field, Reader, Sink, Writer, scalar};
use crate::keys::error::DecodeError;
use crate::keys::layout::{Scalar, Type};

macro_rules! integers {
    ($($int:ident as $unsigned:ident $scalar:ident flip $flip:expr;)*) => {$(
        scalar!($int, Scalar::$scalar,
            self, w => w.array((*self as $unsigned ^ $flip).to_be_bytes()),
            r => Ok(($unsigned::from_be_bytes(r.array()?) ^ $flip) as $int));

        impl Field for NonZero<$int> {
            type Ref<'a> = Self;
            const TYPE: &'static Type = $int::TYPE;

            #[inline]
            fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
                self.get().encode(w);
            }

            #[inline]
            fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
                let at = r.offset();
                Self::new(<$int>::decode(r)?).ok_or_else(|| r.bad_value(at, "0", "a non-zero integer is not 0"))
            }

            #[inline]
            fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
                <$int as Field>::skip(r)
            }
        }
        crate::keys::encode::into_field!(NonZero<$int>);
    )*};
}

integers! {
    u8 as u8 U8 flip 0;
    u16 as u16 U16 flip 0;
    u32 as u32 U32 flip 0;
    u64 as u64 U64 flip 0;
    u128 as u128 U128 flip 0;
    i8 as u8 I8 flip 1 << 7;
    i16 as u16 I16 flip 1 << 15;
    i32 as u32 I32 flip 1 << 31;
    i64 as u64 I64 flip 1 << 63;
    i128 as u128 I128 flip 1 << 127;
}

/// `Wrapping` and `Saturating` have the bytes of the number in them.
macro_rules! arithmetic {
    ($($wrapper:ident),*) => {$(
        impl<T: Field> Field for $wrapper<T> {
            type Ref<'a> = $wrapper<T::Ref<'a>>;
            const TYPE: &'static Type = T::TYPE;

            #[inline]
            fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
                self.0.encode(w);
            }

            #[inline]
            fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
                T::decode(r).map($wrapper)
            }

            #[inline]
            fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
                T::skip(r)
            }
        }
        crate::keys::encode::into_field!($wrapper<T> where T: Field);
    )*};
}
arithmetic!(Wrapping, Saturating);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::vector;

    #[test]
    fn vectors() {
        vector(NonZero::new(7u16).unwrap(), "0007", "fff8");
        vector(Wrapping(-1i16), "7fff", "8000");
    }

    #[test]
    fn zero_is_no_non_zero() {
        let error = NonZero::<u16>::decode(&mut Reader::new(&[0, 0])).unwrap_err();
        assert_eq!(error.to_string(), "at byte 0: found 0, a non-zero integer is not 0");
    }

    #[test]
    fn two_s_complement_would_put_minus_one_last() {
        let key = |n: i64| crate::keys::encode::tests::bytes(&n);
        assert!(key(-1) < key(0) && key(0) < key(1) && key(i64::MIN) < key(-1));
    }
}
