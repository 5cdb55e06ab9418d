//! A field in the encoding of its type: the form of every field without an attribute that changes it.

use std::marker::PhantomData;

use crate::keys::encode::{Codec, Field, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::Type;

/// A field of type `T` in the encoding of `T`.
#[doc(hidden)]
pub struct Plain<T>(PhantomData<T>);

impl<T: Field> Codec for Plain<T> {
    type Value = T;
    type Ref<'a> = T::Ref<'a>;
    const TYPE: &'static Type = T::TYPE;

    #[inline]
    fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
        value.encode(w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<T::Ref<'a>, DecodeError> {
        T::decode(r)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        T::skip(r)
    }
}
