//! Prefixes of tuples, whose fields are `_0`, `_1` and so on.

use std::marker::PhantomData;

use super::{PrefixBuf, Select, Selection};
use crate::keys::encode::{Content, Field, FieldRange, InItem, IntoField, StartsWith};

/// A prefix of the tuple `T` whose first `DEPTH` fields are fixed.
pub struct TuplePrefix<T, const DEPTH: usize> {
    prefix: PrefixBuf,
    tuple: PhantomData<fn() -> T>,
}

/// Returns the empty prefix of a tuple, to fix its leading fields: of a key that is a tuple, or of a tuple in a key.
///
/// ```
/// use rowkey::{KeyRange, RowKey, Select, prefix::tuple_prefix};
///
/// #[derive(RowKey)]
/// struct Cell {
///     tile: (u8, u8),
///     id: u32,
/// }
///
/// let ranges = Cell::prefix().tile_prefix(tuple_prefix()._0(3)).ranges();
/// assert_eq!(ranges, [KeyRange::prefix([3])]);
/// ```
pub fn tuple_prefix<T: TupleField<0>>() -> TuplePrefix<T, 0> {
    TuplePrefix { prefix: PrefixBuf::tuple(), tuple: PhantomData }
}

/// A tuple that has a field of this index.
#[diagnostic::on_unimplemented(message = "`{Self}` has no field `_{INDEX}`", label = "no such field in the tuple")]
pub trait TupleField<const INDEX: usize> {
    /// The field's type.
    type Item: Field;
}

impl<T, const DEPTH: usize> Select<T> for TuplePrefix<T, DEPTH> {
    fn select(self) -> Selection<T> {
        self.prefix.select()
    }
}

macro_rules! tuple_fields {
    ($($param:ident $index:literal $field:ident $range:ident $in:ident $starts_with:ident $nested:ident;)*) => {
        tuple_fields!(@arities [] $($param $index,)*);
        $(
            impl<T: TupleField<$index>> TuplePrefix<T, $index> {
                #[doc = concat!("Fixes field ", $index, ".")]
                pub fn $field(self, value: impl IntoField<T::Item>) -> TuplePrefix<T, { $index + 1 }> {
                    TuplePrefix { prefix: self.prefix.field(value, false), tuple: PhantomData }
                }

                #[doc = concat!("Ends with a range of field ", $index, ".")]
                pub fn $range(self, range: impl FieldRange<T::Item>) -> Selection<T> {
                    self.prefix.range(range, false, false)
                }

                #[doc = concat!("Ends with several values or ranges of field ", $index, ".")]
                pub fn $in<How>(self, items: impl IntoIterator<Item: InItem<T::Item, How>>) -> Selection<T> {
                    self.prefix.any(items, false, false)
                }

                #[doc = concat!("Ends with what field ", $index, ", of text or bytes, begins with.")]
                pub fn $starts_with<C: Content + ?Sized>(self, start: &C) -> Selection<T>
                where
                    T::Item: StartsWith<C>,
                {
                    self.prefix.starts_with(start, false, false)
                }

                #[doc = concat!("Ends with a prefix of field ", $index, ", a nested key or tuple.")]
                pub fn $nested(self, nested: impl Select<T::Item>) -> Selection<T> {
                    self.prefix.nested(nested, false)
                }
            }
        )*
    };
    (@arities [$($param:ident $index:literal,)*]) => {
        tuple_fields!(@items [$($param)*] $($param $index,)*);
    };
    (@arities [$($done:ident $at:literal,)*] $param:ident $index:literal, $($rest:tt)*) => {
        tuple_fields!(@items [$($done)*] $($done $at,)*);
        tuple_fields!(@arities [$($done $at,)* $param $index,] $($rest)*);
    };
    (@items [$($all:ident)*]) => {};
    (@items [$($all:ident)*] $param:ident $index:literal, $($rest:tt)*) => {
        impl<$($all: Field),*> TupleField<$index> for ($($all,)*) {
            type Item = $param;
        }
        tuple_fields!(@items [$($all)*] $($rest)*);
    };
}

tuple_fields! {
    A 0 _0 _0_range _0_in _0_starts_with _0_prefix;
    B 1 _1 _1_range _1_in _1_starts_with _1_prefix;
    C 2 _2 _2_range _2_in _2_starts_with _2_prefix;
    D 3 _3 _3_range _3_in _3_starts_with _3_prefix;
    E 4 _4 _4_range _4_in _4_starts_with _4_prefix;
    F 5 _5 _5_range _5_in _5_starts_with _5_prefix;
    G 6 _6 _6_range _6_in _6_starts_with _6_prefix;
    H 7 _7 _7_range _7_in _7_starts_with _7_prefix;
    I 8 _8 _8_range _8_in _8_starts_with _8_prefix;
    J 9 _9 _9_range _9_in _9_starts_with _9_prefix;
    K 10 _10 _10_range _10_in _10_starts_with _10_prefix;
    L 11 _11 _11_range _11_in _11_starts_with _11_prefix;
}
