//! What a prefix takes for a field: values, ranges, and several of either.

use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::keys::encode::{Sink, Writer};

/// A value that stands for a field of type `C`: the type itself, a reference to it, for text `&str` and the like.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value for this field of the key",
    note = "the field takes its own type and references to it; text also takes `&str`, `&String`, `Cow`; an Option takes `Some(..)` or `None::<T>`",
    note = "other values become one first: `Millis(n)`, `Millis::floor(time)?`, `Bucket::floor(time)?`, `HostPath::parse(text)?`"
)]
pub trait IntoField<C: ?Sized> {
    /// Writes the value as the field would be written.
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>);
}

/// `IntoField<T>` for `T` and `&T`.
macro_rules! into_field {
    ($name:ident<$param:ident> where $($bound:tt)+) => {
        $crate::keys::encode::into_field!(@ [$param: $crate::keys::encode::Field] $name<$param>);
    };
    ([u8; N] const N: usize) => {
        $crate::keys::encode::into_field!(@ [const N: usize] [u8; N]);
    };
    ($type:ty) => {
        $crate::keys::encode::into_field!(@ [] $type);
    };
    (@ [$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::keys::encode::IntoField<$type> for $type {
            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::Field::encode(self, w);
            }
        }

        impl<$($generics)*> $crate::keys::encode::IntoField<$type> for &$type {
            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::Field::encode(*self, w);
            }
        }
    };
}
pub(crate) use into_field;

/// Values of a field between two bounds, in the field's logical order.
///
/// Implemented for std's ranges, `..` included, and for pairs of [`Bound`]s, which can leave the start out too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no range of this field's values",
    note = "write `a..b`, `a..=b`, `a..`, `..b`, `..=b`, `..`, or `(Bound<T>, Bound<T>)`"
)]
pub trait FieldRange<C: ?Sized> {
    /// Writes the bounds' values, ascending, and says of which kind they are.
    fn encode_bounds(&self, low: &mut Vec<u8>, high: &mut Vec<u8>) -> (Bound<()>, Bound<()>);
}

fn encode_bound<C: ?Sized, V: IntoField<C>>(bound: Bound<&V>, out: &mut Vec<u8>) -> Bound<()> {
    bound.map(|value| value.encode_field(&mut Writer::new(out)))
}

macro_rules! ranges {
    ($($range:ident($self:ident) => $low:expr, $high:expr;)*) => {$(
        impl<C: ?Sized, V: IntoField<C>> FieldRange<C> for $range<V> {
            fn encode_bounds(&$self, low: &mut Vec<u8>, high: &mut Vec<u8>) -> (Bound<()>, Bound<()>) {
                (encode_bound::<C, V>($low, low), encode_bound::<C, V>($high, high))
            }
        }
    )*};
}
ranges! {
    Range(self) => Bound::Included(&self.start), Bound::Excluded(&self.end);
    RangeInclusive(self) => Bound::Included(self.start()), Bound::Included(self.end());
    RangeFrom(self) => Bound::Included(&self.start), Bound::Unbounded;
    RangeTo(self) => Bound::Unbounded, Bound::Excluded(&self.end);
    RangeToInclusive(self) => Bound::Unbounded, Bound::Included(&self.end);
}

impl<C: ?Sized, V: IntoField<C>> FieldRange<C> for (Bound<V>, Bound<V>) {
    fn encode_bounds(&self, low: &mut Vec<u8>, high: &mut Vec<u8>) -> (Bound<()>, Bound<()>) {
        (encode_bound(self.0.as_ref(), low), encode_bound(self.1.as_ref(), high))
    }
}

impl<C: ?Sized> FieldRange<C> for RangeFull {
    fn encode_bounds(&self, _: &mut Vec<u8>, _: &mut Vec<u8>) -> (Bound<()>, Bound<()>) {
        (Bound::Unbounded, Bound::Unbounded)
    }
}

/// One of several values, or ranges of values, of a field.
///
/// `How` tells the two apart and is never named.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value and no range of values of this field",
    note = "write the values, `[a, b, c]`, or ranges of them, `[a..b, c..d]`; ranges of several kinds as `(Bound<T>, Bound<T>)`"
)]
pub trait InItem<C: ?Sized, How> {
    /// The value, or the bounds.
    #[doc(hidden)]
    fn item(&self) -> FieldSpan;
}

/// A field whose values can lie within an area: addresses in a network, tiles in a tile, pages under a domain.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` do not lie within a `{A}`",
    note = "quadkeys and tiles lie within a `Tile`, the quadkeys of a `GeoBox` within `&area.cover(64)`",
    note = "host paths and URLs lie under a domain: a text, a `Domain`, or a `Site`",
    note = "addresses lie within a network of the crate `ipnet` (feature `ipnet`): `&\"10.0.0.0/8\".parse::<IpNet>()?`"
)]
pub trait Within<A: ?Sized> {
    /// The ranges of all values within the area.
    #[doc(hidden)]
    fn within(area: &A) -> Vec<FieldSpan>;

    /// The same in a raw field, if it is not the same there.
    #[doc(hidden)]
    fn within_raw(area: &A) -> Vec<FieldSpan> {
        Self::within(area)
    }
}

/// A value or a range of a field, as ascending bytes.
#[doc(hidden)]
pub enum FieldSpan {
    Value(Vec<u8>),
    Range(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// From the first bytes, whatever follows them, up to the second, left out: no values, but what values begin with.
    Between(Vec<u8>, Vec<u8>),
}

impl FieldSpan {
    pub(crate) fn range<C: ?Sized>(range: &impl FieldRange<C>) -> Self {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let (low_kind, high_kind) = range.encode_bounds(&mut low, &mut high);
        Self::Range(low_kind.map(|()| low), high_kind.map(|()| high))
    }
}

#[doc(hidden)]
pub struct ByValue;
#[doc(hidden)]
pub struct ByRange;

impl<C: ?Sized, V: IntoField<C>> InItem<C, ByValue> for V {
    fn item(&self) -> FieldSpan {
        let mut bytes = Vec::new();
        self.encode_field(&mut Writer::new(&mut bytes));
        FieldSpan::Value(bytes)
    }
}

impl<C: ?Sized, R: FieldRange<C>> InItem<C, ByRange> for R {
    fn item(&self) -> FieldSpan {
        FieldSpan::range(self)
    }
}
