//! `Option`.
//!
//! ```text
//! option<u8> None                 00         before every Some
//! option<u8> Some(5)              01 05
//! option<u8> nulls_last None      02         after every Some
//! option<u8> desc None            ff         after every Some, because every byte is inverted
//! option<u8> desc nulls_first     fd
//! ```

use std::marker::PhantomData;

use crate::keys::encode::{Codec, Field, IntoField, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::foreign::Order;
use crate::keys::layout::Type;

const NONE: u8 = 0;
const SOME: u8 = 1;
/// None after every Some, before any inversion.
const NONE_AFTER: u8 = 2;

#[inline]
pub(crate) fn encode_tag<S: Sink>(is_some: bool, other: bool, w: &mut Writer<'_, S>) {
    w.byte(match (is_some, other) {
        (true, _) => SOME,
        (false, false) => NONE,
        (false, true) => NONE_AFTER,
    });
}

#[inline]
pub(crate) fn decode_tag(other: bool, r: &mut Reader<'_>) -> Result<bool, DecodeError> {
    let at = r.offset();
    let none = if other { NONE_AFTER } else { NONE };
    match r.byte()? {
        SOME => Ok(true),
        tag if tag == none => Ok(false),
        _ => Err(r.unknown_byte(at, "an Option here", &[none, SOME])),
    }
}

impl<T: Field> Field for Option<T> {
    type Ref<'a> = Option<T::Ref<'a>>;
    const TYPE: &'static Type = &Type::Option(T::TYPE);

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.encode_nulls(false, w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
        Self::decode_nulls(false, r)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        Self::skip_nulls(false, r)
    }
}

impl<T, U: IntoField<T>> IntoField<Option<T>> for Option<U> {
    const ORDER: Order = Order::Ascending.and(U::ORDER);

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        encode_tag(self.is_some(), false, w);
        if let Some(value) = self {
            value.encode_field(w);
        }
    }
}

impl<T, U: IntoField<T>> IntoField<Option<T>> for &Option<U> {
    const ORDER: Order = Order::Ascending.and(U::ORDER);

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        IntoField::<Option<T>>::encode_field(*self, w);
    }
}

/// A field that can have `nulls_first` or `nulls_last`: an `Option`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no None to sort",
    label = "not an `Option`",
    note = "remove `nulls_first` or `nulls_last` from the field"
)]
pub trait Nullable: Field {
    /// Writes the value, with None on the default side or on the other one.
    #[doc(hidden)]
    fn encode_nulls<S: Sink>(&self, other: bool, w: &mut Writer<'_, S>);

    /// Reads the value.
    #[doc(hidden)]
    fn decode_nulls<'a>(other: bool, r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError>;

    /// Skips the value.
    #[doc(hidden)]
    fn skip_nulls(other: bool, r: &mut Reader<'_>) -> Result<(), DecodeError>;
}

impl<T: Field> Nullable for Option<T> {
    #[inline]
    fn encode_nulls<S: Sink>(&self, other: bool, w: &mut Writer<'_, S>) {
        encode_tag(self.is_some(), other, w);
        if let Some(value) = self {
            value.encode(w);
        }
    }

    #[inline]
    fn decode_nulls<'a>(other: bool, r: &mut Reader<'a>) -> Result<Option<T::Ref<'a>>, DecodeError> {
        if decode_tag(other, r)? { T::decode(r).map(Some) } else { Ok(None) }
    }

    #[inline]
    fn skip_nulls(other: bool, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        if decode_tag(other, r)? { T::skip(r) } else { Ok(()) }
    }
}

/// An `Option` with `nulls_first` or `nulls_last`: None is on the default side of its direction, or on the other one.
#[doc(hidden)]
pub struct Nulls<T, const OTHER: bool>(PhantomData<T>);

#[doc(hidden)]
pub type NullsHere<T> = Nulls<T, false>;
#[doc(hidden)]
pub type NullsOther<T> = Nulls<T, true>;

impl<T: Nullable, const OTHER: bool> Codec for Nulls<T, OTHER> {
    type Value = T;
    type Ref<'a> = T::Ref<'a>;
    const TYPE: &'static Type = T::TYPE;

    #[inline]
    fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
        value.encode_nulls(OTHER, w);
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<T::Ref<'a>, DecodeError> {
        T::decode_nulls(OTHER, r)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        T::skip_nulls(OTHER, r)
    }
}

impl<T, U: IntoField<T>> IntoField<NullsOther<Option<T>>> for Option<U> {
    const ORDER: Order = Order::Ascending.and(U::ORDER);

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        encode_tag(self.is_some(), true, w);
        if let Some(value) = self {
            value.encode_field(w);
        }
    }
}

impl<T, U: IntoField<T>> IntoField<NullsOther<Option<T>>> for &Option<U> {
    const ORDER: Order = Order::Ascending.and(U::ORDER);

    #[inline]
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
        IntoField::<NullsOther<Option<T>>>::encode_field(*self, w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{refused, vector};

    #[test]
    fn vectors() {
        vector(Some(Some("a".to_owned())), "01016100", "fefe9eff");
    }

    #[test]
    fn the_other_placement_s_tag_is_refused() {
        refused::<Option<u8>>("02");
        let error = NullsOther::<Option<u8>>::decode(&mut Reader::new(&[0])).unwrap_err();
        assert_eq!(error.to_string(), "at byte 0: found 00, an Option here is 02 or 01");
    }
}
