//! The arguments that a prefix takes for a field: a value, a range of values, or several of either.

use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::keys::encode::{Sink, Writer};
use crate::keys::foreign::Order;

/// A value that a prefix takes for a field of type `C`: a `C`, a `&C`, and for text `&str` and the like.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value for this field of the key",
    note = "the field takes its own type and references to it; text also takes `&str`, `&String`, `Cow`; an Option takes `Some(..)` or `None::<T>`, a list `List(vec![..])`; in `scan(a..b)` both are whole keys",
    note = "convert other values first: `Millis(n)`, `Millis::floor(time)?`, `Bucket::floor(time)?`, `HostPath::parse(text)?`"
)]
pub trait IntoField<C: ?Sized> {
    /// The order of the field's bytes.
    #[doc(hidden)]
    const ORDER: Order = Order::Ascending;

    /// The bytes between a value and those that go on with it, if a value can begin another one.
    #[doc(hidden)]
    const BEYOND: Option<&'static [u8]> = None;

    /// Writes the value as the field is written.
    fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>);
}

/// Implements `IntoField<T>` for `T` and `&T`.
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
            const ORDER: $crate::keys::foreign::Order = <$type as $crate::keys::encode::Field>::TYPE.order();
            const BEYOND: Option<&'static [u8]> = <$type as $crate::keys::encode::Field>::TYPE.beyond();

            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::Field::encode(self, w);
            }
        }

        impl<$($generics)*> $crate::keys::encode::IntoField<$type> for &$type {
            const ORDER: $crate::keys::foreign::Order = <$type as $crate::keys::encode::Field>::TYPE.order();
            const BEYOND: Option<&'static [u8]> = <$type as $crate::keys::encode::Field>::TYPE.beyond();

            #[inline]
            fn encode_field<S: $crate::keys::encode::Sink>(&self, w: &mut $crate::keys::encode::Writer<'_, S>) {
                $crate::keys::encode::Field::encode(*self, w);
            }
        }
    };
}
pub(crate) use into_field;

/// A range of a field's values, in logical order: as if the field were ascending.
///
/// Implemented for std's ranges, `..` too, and for pairs of [`Bound`]s, which can exclude the start.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of this field's values",
    note = "write `a..b`, `a..=b`, `a..`, `..b`, `..=b`, `..`, or `(Bound<T>, Bound<T>)`"
)]
pub trait FieldRange<C: ?Sized> {
    /// That of the bounds.
    #[doc(hidden)]
    const ORDER: Order = Order::Ascending;

    /// Those of the bounds.
    #[doc(hidden)]
    const BEYOND: Option<&'static [u8]> = None;

    /// Writes the bounds' values, ascending, and returns the kind of each bound.
    fn encode_bounds(&self, low: &mut Vec<u8>, high: &mut Vec<u8>) -> (Bound<()>, Bound<()>);
}

fn encode_bound<C: ?Sized, V: IntoField<C>>(bound: Bound<&V>, out: &mut Vec<u8>) -> Bound<()> {
    bound.map(|value| value.encode_field(&mut Writer::new(out)))
}

macro_rules! ranges {
    ($($range:ident($self:ident) => $low:expr, $high:expr;)*) => {$(
        impl<C: ?Sized, V: IntoField<C>> FieldRange<C> for $range<V> {
            const ORDER: Order = V::ORDER;
            const BEYOND: Option<&'static [u8]> = V::BEYOND;

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
    const ORDER: Order = V::ORDER;
    const BEYOND: Option<&'static [u8]> = V::BEYOND;

    fn encode_bounds(&self, low: &mut Vec<u8>, high: &mut Vec<u8>) -> (Bound<()>, Bound<()>) {
        (encode_bound(self.0.as_ref(), low), encode_bound(self.1.as_ref(), high))
    }
}

impl<C: ?Sized> FieldRange<C> for RangeFull {
    fn encode_bounds(&self, _: &mut Vec<u8>, _: &mut Vec<u8>) -> (Bound<()>, Bound<()>) {
        (Bound::Unbounded, Bound::Unbounded)
    }
}

/// An item of `name_in([..])`: a value or a range of values of a field.
///
/// `How` tells the two apart; it is inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a value nor a range of values of this field",
    note = "write the values, `[a, b, c]`, or ranges of them, `[a..b, c..d]`; ranges of several kinds as `(Bound<T>, Bound<T>)`"
)]
pub trait InItem<C: ?Sized, How> {
    /// Returns the value or the range.
    #[doc(hidden)]
    fn item(&self) -> FieldSpan;
}

/// A field with `name_within` or `name_under` in a prefix: addresses in a network, tiles in a tile, pages of a domain.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` are not within a `{A}`",
    note = "quadkeys and tiles are within a `Tile`, the quadkeys of a `GeoBox` within `&area.cover(64)`",
    note = "host paths and URLs are under a domain: a text, a `Domain`, or a `Site`",
    note = "addresses are within a network of the crate `ipnet` (feature `ipnet`): `&\"10.0.0.0/8\".parse::<IpNet>()?`"
)]
pub trait Within<A: ?Sized> {
    /// Returns the ranges of all values in the area.
    #[doc(hidden)]
    fn within(area: &A) -> Vec<FieldSpan>;

    /// The same for a raw field. Default: the same ranges.
    #[doc(hidden)]
    fn within_raw(area: &A) -> Vec<FieldSpan> {
        Self::within(area)
    }
}

/// A value, or a range of values, of a field, in ascending bytes.
#[doc(hidden)]
pub enum FieldSpan {
    Value(Vec<u8>),
    Range(Bound<Vec<u8>>, Bound<Vec<u8>>),
    /// The values from the first bytes, included, to the second, excluded. The bytes are not those of whole values, but
    /// of their beginnings.
    Between(Vec<u8>, Vec<u8>),
}

impl FieldSpan {
    pub(crate) fn range<C: ?Sized, R: FieldRange<C>>(range: &R) -> Self {
        const {
            assert!(
                !matches!(R::ORDER, Order::None),
                "there are no ranges of this field: its bytes are not in the order of its values"
            );
        }
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let (low_kind, high_kind) = range.encode_bounds(&mut low, &mut high);
        let (low, high) = (low_kind.map(|()| low), high_kind.map(|()| high));
        Self::ordered(low, high, R::ORDER, R::BEYOND)
    }

    /// The values between two, of bytes in this order. If there are bytes between a value and those that go on with it,
    /// the latter are other values.
    pub(crate) fn ordered(
        low: Bound<Vec<u8>>,
        high: Bound<Vec<u8>>,
        order: Order,
        beyond: Option<&'static [u8]>,
    ) -> Self {
        let (low, high) = if order == Order::Descending { (high, low) } else { (low, high) };
        let Some(beyond) = beyond else { return Self::Range(low, high) };
        let next = |value: Vec<u8>| [value.as_slice(), beyond].concat();
        let low = match low {
            Bound::Excluded(value) => Bound::Included(next(value)),
            low => low,
        };
        let high = match high {
            Bound::Included(value) => Bound::Excluded(next(value)),
            high => high,
        };
        Self::Range(low, high)
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
