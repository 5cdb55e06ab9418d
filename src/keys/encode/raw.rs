//! `raw`: the last field of a key without escapes and terminator, as other programs write it.
//!
//! ```text
//! text raw "a\0"          61 00
//! list<u16> raw [1, 2]    00 01 00 02
//! ```

use std::marker::PhantomData;

use crate::keys::encode::{Codec, Field, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::Type;

/// A type that can be a `raw` field, the last of a key: text, bytes, host paths, decimals, and lists of elements of one
/// width.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no raw form",
    label = "not text, bytes, a host path, a decimal, or a `List` of elements of one width",
    note = "remove `raw` from the field: it then has a terminator"
)]
pub trait RawField: Field {
    /// Writes the value without escapes and terminator.
    fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>);

    /// Reads a value from all remaining bytes.
    ///
    /// # Errors
    /// If the bytes are not what `encode_raw` writes for some value.
    fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError>;
}

/// A raw field that is read as an `R`: the bound that the derive puts on a newtype's field, which need not be a
/// [`Field`].
#[doc(hidden)]
pub trait RawAs<'a, R> {
    fn encode_raw_as<S: Sink>(&self, w: &mut Writer<'_, S>);
    fn decode_raw_as(r: &mut Reader<'a>) -> Result<R, DecodeError>;
}

impl<'a, T: RawField> RawAs<'a, T::Ref<'a>> for T {
    #[inline]
    fn encode_raw_as<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.encode_raw(w);
    }

    #[inline]
    fn decode_raw_as(r: &mut Reader<'a>) -> Result<T::Ref<'a>, DecodeError> {
        T::decode_raw(r)
    }
}

/// A field of type `T` that is `raw`.
#[doc(hidden)]
pub struct RawOf<T>(PhantomData<T>);

impl<T: RawField> Codec for RawOf<T> {
    type Value = T;
    type Ref<'a> = T::Ref<'a>;
    const TYPE: &'static Type = T::TYPE;

    #[inline]
    fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
        value.encode_raw(w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<T::Ref<'a>, DecodeError> {
        T::decode_raw(r)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.remainder();
        Ok(())
    }
}
