//! Wrappers: `Box`, `Rc` and `Arc` have the bytes of their content, `Reverse` has them inverted.
//!
//! ```text
//! Box<u16> 1       00 01
//! Reverse<u16> 1   ff fe      shape (u16 desc): `desc` where an attribute can't be written
//! ```

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use crate::keys::encode::{Field, FieldSpan, Reader, Sink, StartsWith, Within, Writer};
use crate::keys::error::DecodeError;
use crate::keys::layout::{FieldLayout, Type};

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<T: Field> Field for $pointer<T> {
            type Ref<'a> = $pointer<T::Ref<'a>>;
            const TYPE: &'static Type = T::TYPE;

            #[inline]
            fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
                (**self).encode(w);
            }

            #[inline]
            fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
                T::decode(r).map($pointer::new)
            }

            #[inline]
            fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
                T::skip(r)
            }
        }

        crate::keys::encode::into_field!($pointer<T> where T: Field);

        impl<T: StartsWith<C>, C: ?Sized> StartsWith<C> for $pointer<T> {}

        impl<T: Within<A>, A: ?Sized> Within<A> for $pointer<T> {
            fn within(area: &A) -> Vec<FieldSpan> {
                T::within(area)
            }

            fn within_raw(area: &A) -> Vec<FieldSpan> {
                T::within_raw(area)
            }
        }
    )*};
}
pointers!(Box, Rc, Arc);

impl<T: Field> Field for Reverse<T> {
    type Ref<'a> = Reverse<T::Ref<'a>>;
    const TYPE: &'static Type = &Type::Tuple(&[FieldLayout::new("_0", T::TYPE).desc(true)]);

    #[inline]
    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.0.encode(&mut w.direction(true));
    }

    #[inline]
    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
        r.direction(true, T::decode).map(Reverse)
    }

    #[inline]
    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.direction(true, T::skip)
    }
}

crate::keys::encode::into_field!(Reverse<T> where T: Field);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::vector;

    #[test]
    fn vectors() {
        vector(Box::new(1u16), "0001", "fffe");
        vector(Arc::new("a".to_owned()), "6100", "9eff");
        vector(Rc::new(Reverse(1u16)), "fffe", "0001");
    }
}
