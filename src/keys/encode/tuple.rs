//! Tuples: their fields' bytes, joined. Nested keys and newtypes are tuples too.
//!
//! ```text
//! (u8, text) (7, "a")   07 | 61 00
//! ()                    no byte
//! ```

use crate::keys::encode::{Field, IntoField, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::foreign::Order;
use crate::keys::layout::{FieldLayout, Type};

macro_rules! tuples {
    ($([$($field:ident $source:ident $index:tt $name:literal),*])*) => {$(
        impl<$($field: Field),*> Field for ($($field,)*) {
            type Ref<'a> = ($($field::Ref<'a>,)*);
            const TYPE: &'static Type = &Type::Tuple(&[$(FieldLayout::new($name, $field::TYPE)),*]);

            #[inline]
            fn encode<S: Sink>(&self, _w: &mut Writer<'_, S>) {
                $(self.$index.encode(_w);)*
            }

            #[inline]
            fn decode<'a>(_r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
                Ok(($($field::decode(_r).map_err(|error| error.in_field($name))?,)*))
            }

            #[inline]
            fn skip(_r: &mut Reader<'_>) -> Result<(), DecodeError> {
                $($field::skip(_r)?;)*
                Ok(())
            }
        }


        impl<$($field, $source: IntoField<$field>),*> IntoField<($($field,)*)> for ($($source,)*) {
            const ORDER: Order = Order::Ascending$(.and($source::ORDER))*;

            #[inline]
            fn encode_field<S: Sink>(&self, _w: &mut Writer<'_, S>) {
                $(self.$index.encode_field(_w);)*
            }
        }

        impl<$($field, $source: IntoField<$field>),*> IntoField<($($field,)*)> for &($($source,)*) {
            const ORDER: Order = Order::Ascending$(.and($source::ORDER))*;

            #[inline]
            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                IntoField::<($($field,)*)>::encode_field(*self, w);
            }
        }
    )*};
}

tuples! {
    []
    [A T 0 "_0"]
    [A T 0 "_0", B U 1 "_1"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6", H T7 7 "_7"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6", H T7 7 "_7", I T8 8 "_8"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6", H T7 7 "_7", I T8 8 "_8",
     J T9 9 "_9"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6", H T7 7 "_7", I T8 8 "_8",
     J T9 9 "_9", K T10 10 "_10"]
    [A T 0 "_0", B U 1 "_1", C V 2 "_2", D W 3 "_3", E X 4 "_4", F Y 5 "_5", G Z 6 "_6", H T7 7 "_7", I T8 8 "_8",
     J T9 9 "_9", K T10 10 "_10", L T11 11 "_11"]
}

#[cfg(test)]
mod tests {
    use crate::keys::encode::tests::vector;

    #[test]
    fn vectors() {
        vector((), "", "");
        vector((7u8, "a".to_owned()), "076100", "f89eff");
        vector(
            (0u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 10u8, 11u8),
            "000102030405060708090a0b",
            "fffefdfcfbfaf9f8f7f6f5f4",
        );
    }
}
