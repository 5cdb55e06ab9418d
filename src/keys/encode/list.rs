//! Lists.
//!
//! ```text
//! List<text> ["a", ""]    01 61 00 | 01 00 | 00      01 before each element, 00 at the end
//! List<text> []           00
//! List<u16> raw [1, 2]    00 01 | 00 02
//! ```
//!
//! The marker before each element tells lists of empty texts apart. A format without it (storekey 0.11) does not.

use crate::keys::encode::raw::{RawField, RawOf};
use crate::keys::encode::{Field, IntoField, Reader, Sink, Writer};
use crate::keys::error::DecodeError;
use crate::keys::foreign::Order;
use crate::keys::layout::Type;

const END: u8 = 0;
const ITEM: u8 = 1;

/// A list of any length as a key field. It sorts as `Vec` does: item by item, and a list before longer ones that begin
/// with it.
///
/// It is a type of its own because `Vec<u8>` is bytes, and a type has one encoding in every place.
///
/// ```
/// use rowkey::{List, RowKey};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Series {
///     tags: List<String>,
///     hour: u32,
/// }
///
/// let series = Series { tags: List(vec!["eu".into(), "web".into()]), hour: 7 };
/// assert_eq!(Series::decode(&series.encode())?, series);
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct List<T>(pub Vec<T>);

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self(items)
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T> std::ops::Deref for List<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> std::ops::DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

/// Reads the marker before an item, or the end.
#[inline]
pub(crate) fn another(r: &mut Reader<'_>) -> Result<bool, DecodeError> {
    let at = r.offset();
    match r.byte()? {
        ITEM => Ok(true),
        END => Ok(false),
        _ => Err(r.unknown_byte(at, "a list's marker", &[END, ITEM])),
    }
}

#[inline]
pub(crate) fn mark<S: Sink>(another: bool, w: &mut Writer<'_, S>) {
    w.byte(if another { ITEM } else { END });
}

impl<T: Field> Field for List<T> {
    type Ref<'a> = List<T::Ref<'a>>;
    const TYPE: &'static Type = &Type::List(T::TYPE);

    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        for item in &self.0 {
            mark(true, w);
            item.encode(w);
        }
        mark(false, w);
    }

    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
        let mut items = Vec::new();
        while another(r)? {
            items.push(T::decode(r).map_err(|error| error.in_field(&format!("[{}]", items.len())))?);
        }
        Ok(List(items))
    }

    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        while another(r)? {
            T::skip(r)?;
        }
        Ok(())
    }
}

impl<T: Field> RawField for List<T> {
    fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.0.iter().for_each(|item| item.encode(w));
    }

    fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<Self::Ref<'a>, DecodeError> {
        const { assert!(T::TYPE.is_raw_item(), "the items of a raw List have one width, of at least one byte") };
        let mut items = Vec::new();
        while !r.is_at_end() {
            items.push(T::decode(r).map_err(|error| error.in_field(&format!("[{}]", items.len())))?);
        }
        Ok(List(items))
    }
}

/// The values that a prefix takes for a list.
macro_rules! list_sources {
    ($([$($generics:tt)*] $source:ty;)*) => {$(
        impl<T, U: IntoField<T>, $($generics)*> IntoField<List<T>> for $source {
            const ORDER: Order = Order::Ascending.and(U::ORDER);

            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                for item in self.iter() {
                    mark(true, w);
                    item.encode_field(w);
                }
                mark(false, w);
            }
        }

        impl<T, U: IntoField<T>, $($generics)*> IntoField<RawOf<List<T>>> for $source {
            const ORDER: Order = Order::Ascending.and(U::ORDER);

            fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
                self.iter().for_each(|item| item.encode_field(w));
            }
        }
    )*};
}
list_sources! {
    [] List<U>;
    [] &List<U>;
    [] &[U];
    [const N: usize] [U; N];
    [const N: usize] &[U; N];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused, vector};

    fn list(items: &[&str]) -> List<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    #[test]
    fn vectors() {
        vector(List(vec![1u16, 2]), "010001010002 00", "fefffefefffd ff");
    }

    #[test]
    fn a_list_of_empty_texts_is_not_its_neighbour() {
        let pair = |a: &[&str], b: &str| bytes(&(list(a), b.to_owned()));
        assert_ne!(pair(&["", ""], ""), pair(&[""], ""));
        assert!(pair(&[], "z") < pair(&[""], ""));
    }

    #[test]
    fn marker_and_end_are_checked() {
        refused::<List<u8>>("0105");
        refused::<List<u8>>("0200");
    }
}
