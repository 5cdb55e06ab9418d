//! Arrays of bytes: unchanged, without terminator.
//!
//! ```text
//! [u8; 4] [1, 2, 3, 4]   01 02 03 04
//! ```

use crate::keys::encode::{Field, IntoField, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::layout::{Scalar, Type};

impl<const N: usize> Field for [u8; N] {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::ByteArray(N));

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        w.bytes(self);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        r.array()
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.skip(N)
    }
}

crate::keys::encode::into_field!([u8; N] const N: usize);

impl<const N: usize> Field for &[u8; N] {
    type Ref<'a> = &'a [u8; N];
    const TYPE: &'static Type = <[u8; N]>::TYPE;

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        w.bytes(*self);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<&'a [u8; N], DecodeError> {
        let at = r.offset();
        match r.bytes(N)? {
            std::borrow::Cow::Borrowed(bytes) => {
                bytes.try_into().map_err(|_| DecodeError::new(at, DecodeReason::Truncated { needed: N }))
            }
            std::borrow::Cow::Owned(_) => Err(DecodeError::new(at, DecodeReason::NotBorrowable)),
        }
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.skip(N)
    }
}

/// The values that a prefix takes for a field that is a borrowed array.
macro_rules! borrowed_array_sources {
    ($($source:ty),*) => {$(
        impl<const N: usize> IntoField<&[u8; N]> for $source {
            #[inline]
            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                w.bytes(self.as_slice());
            }
        }
    )*};
}
borrowed_array_sources!([u8; N], &[u8; N], &&[u8; N]);

#[cfg(test)]
mod tests {
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector([0u8, 1, 255], "0001ff", "fffe00");
        vector([0u8; 0], "", "");
    }

    #[test]
    fn truncated() {
        refused::<[u8; 4]>("010203");
    }
}
