//! Prefixes of tuples, whose fields are `_0`, `_1` and so on.

use std::marker::PhantomData;

use super::{Nested, PrefixBuf, Select, Selection};
use crate::keys::encode::{Content, Field, FieldRange, InItem, IntoField, StartsWith, Within};

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
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no field `_{INDEX}`",
    label = "no such field in the tuple",
    note = "if this is not a tuple: a derived key has a `prefix()` of its own; a newtype or a `Box` of another key takes `Selection::nested(Inner::prefix())`; a key of one value takes ranges of values, `scan(a..b)`"
)]
pub trait TupleField<const INDEX: usize> {
    /// The field's type.
    type Item: Field;
}

/// A field of a tuple that is next at this depth. Implemented for types named as the fields are, as the compiler's
/// error names them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the next field of the tuple's prefix is `_{DEPTH}`",
    label = "not here",
    note = "fix the fields of a tuple in order, each once: `_0`, `_1`, ..."
)]
pub trait Turn<const DEPTH: usize> {}

impl<T, const DEPTH: usize> Select<T> for TuplePrefix<T, DEPTH> {
    fn select(self) -> Selection<T> {
        self.prefix.select()
    }
}

macro_rules! tuple_fields {
    ($($param:ident $index:literal $field:ident $range:ident $in:ident $starts_with:ident $nested:ident $within:ident
       $under:ident;)*) => {
        tuple_fields!(@arities [] $($param $index,)*);
        tuple_fields!(@turns $($index $field,)*);
        $(
            impl<T, const DEPTH: usize> TuplePrefix<T, DEPTH>
            where
                T: TupleField<$index>,
            {
                #[doc = concat!("Fixes field ", $index, ".")]
                pub fn $field(self, value: impl IntoField<T::Item>) -> TuplePrefix<T, { $index + 1 }>
                where
                    turn::$field: Turn<DEPTH>,
                {
                    TuplePrefix { prefix: self.prefix.field(value, false), tuple: PhantomData }
                }

                #[doc = concat!("Ends with a range of field ", $index, ".")]
                pub fn $range(self, range: impl FieldRange<T::Item>) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                {
                    self.prefix.range(range, false, false)
                }

                #[doc = concat!("Ends with several values or ranges of field ", $index, ".")]
                pub fn $in<How>(self, items: impl IntoIterator<Item: InItem<T::Item, How>>) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                {
                    self.prefix.any(items, false, false)
                }

                #[doc = concat!("Ends with what field ", $index, ", of text or bytes, begins with.")]
                pub fn $starts_with<C: Content + ?Sized>(self, start: &C) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                    T::Item: StartsWith<C>,
                {
                    self.prefix.starts_with(start, false, false)
                }

                #[doc = concat!("Ends with a prefix of field ", $index, ", a nested key or tuple.")]
                pub fn $nested<S>(self, nested: S) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                    T::Item: Nested<S>,
                {
                    self.prefix.nested::<T::Item, _, _>(nested, false)
                }

                #[doc = concat!("Ends with the area that field ", $index, " lies within.")]
                pub fn $within<A: ?Sized>(self, area: &A) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                    T::Item: Within<A>,
                {
                    self.prefix.within::<T::Item, A, T>(area, false, false)
                }

                #[doc = concat!("Ends with the domain that field ", $index, ", a host path or a URL, lies under.")]
                pub fn $under<A: ?Sized>(self, area: &A) -> Selection<T>
                where
                    turn::$field: Turn<DEPTH>,
                    T::Item: Within<A>,
                {
                    self.prefix.within::<T::Item, A, T>(area, false, false)
                }
            }
        )*
    };
    (@turns $($index:literal $field:ident,)*) => {
        #[doc(hidden)]
        pub(super) mod turn {
            $(
                #[allow(non_camel_case_types)]
                pub struct $field {}
                impl super::Turn<$index> for $field {}
            )*
        }
    };
    (@arities [$($done:ident $at:literal,)*]) => {
        tuple_fields!(@nested $($done)*);
        tuple_fields!(@items [$($done)*] $($done $at,)*);
    };
    (@arities [$($done:ident $at:literal,)*] $param:ident $index:literal, $($rest:tt)*) => {
        tuple_fields!(@nested $($done)*);
        tuple_fields!(@items [$($done)*] $($done $at,)*);
        tuple_fields!(@arities [$($done $at,)* $param $index,] $($rest)*);
    };
    (@nested) => {};
    (@nested $($all:ident)*) => {
        impl<$($all: Field,)* S: Select<($($all,)*)>> Nested<S> for ($($all,)*) {
            type Key = Self;

            fn nested(nested: S) -> Selection<Self> {
                nested.select()
            }
        }
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
    A 0 _0 _0_range _0_in _0_starts_with _0_prefix _0_within _0_under;
    B 1 _1 _1_range _1_in _1_starts_with _1_prefix _1_within _1_under;
    C 2 _2 _2_range _2_in _2_starts_with _2_prefix _2_within _2_under;
    D 3 _3 _3_range _3_in _3_starts_with _3_prefix _3_within _3_under;
    E 4 _4 _4_range _4_in _4_starts_with _4_prefix _4_within _4_under;
    F 5 _5 _5_range _5_in _5_starts_with _5_prefix _5_within _5_under;
    G 6 _6 _6_range _6_in _6_starts_with _6_prefix _6_within _6_under;
    H 7 _7 _7_range _7_in _7_starts_with _7_prefix _7_within _7_under;
    I 8 _8 _8_range _8_in _8_starts_with _8_prefix _8_within _8_under;
    J 9 _9 _9_range _9_in _9_starts_with _9_prefix _9_within _9_under;
    K 10 _10 _10_range _10_in _10_starts_with _10_prefix _10_within _10_under;
    L 11 _11 _11_range _11_in _11_starts_with _11_prefix _11_within _11_under;
}
