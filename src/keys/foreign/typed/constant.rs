//! Bytes that are the same in every key.

use std::marker::PhantomData;

use super::Writes;
use crate::keys::foreign::{Delimiter, Foreign};
use crate::keys::untyped::Value;

/// One to eight bytes that are known, as a type: for [`ConstantBytes`].
pub trait Literal {
    /// The bytes.
    const BYTES: &'static [u8];
}

/// An encoding: the character `C`, the same in every key, as a tag of a table. Of `()`.
///
/// ```
/// use rowkey::foreign::{Constant, ConstantBytes, Literal};
/// use rowkey::{KeyRange, RowKey, Select};
///
/// struct RowTag;
///
/// impl Literal for RowTag {
///     const BYTES: &'static [u8] = b"_r";
/// }
///
/// /// A row of TiDB. Its integers have the sign flipped, as rowkey's own.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Row {
///     #[rowkey(with = Constant<'t'>)]
///     table_tag: (),
///     table: i64,
///     #[rowkey(with = ConstantBytes<RowTag>)]
///     row_tag: (),
///     row: i64,
/// }
///
/// let row = Row { table_tag: (), table: 10, row_tag: (), row: 1 };
/// assert_eq!(row.encode(), b"t\x80\0\0\0\0\0\0\x0a_r\x80\0\0\0\0\0\0\x01");
/// assert_eq!(Row::decode(&row.encode())?, row);
/// assert_eq!(Row::LAYOUT.shape(), "const['t'], i64, const['_r'], i64");
///
/// let rows = Row::prefix().table_tag(()).table(10).row_tag(()).row_range(1..).ranges();
/// assert!(rows[0].contains(&row.encode()));
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
pub struct Constant<const C: char>;

/// An encoding: the bytes of `L`, the same in every key. Of `()`.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{ConstantBytes, Literal};
///
/// struct Service;
///
/// impl Literal for Service {
///     const BYTES: &'static [u8] = b"\x81";
/// }
///
/// #[derive(RowKey)]
/// struct Index {
///     #[rowkey(with = ConstantBytes<Service>)]
///     kind: (),
///     at: u64,
/// }
///
/// assert_eq!(Index { kind: (), at: 7 }.encode(), b"\x81\0\0\0\0\0\0\0\x07");
/// ```
pub struct ConstantBytes<L>(PhantomData<L>);

pub(super) const fn literal<L: Literal>() -> Delimiter {
    match Delimiter::new(L::BYTES) {
        Some(bytes) => bytes,
        None => panic!("a `Literal` has one to eight bytes"),
    }
}

macro_rules! constants {
    ($([$($generics:tt)*] $encoding:ty, $bytes:expr;)*) => {$(
        impl<$($generics)*> Writes<()> for $encoding {
            const FOREIGN: Foreign = Foreign::Constant($bytes);

            fn value((): &()) -> Value {
                Value::Tuple(Vec::new())
            }

            fn of_value(_: Value) -> Result<(), &'static str> {
                Ok(())
            }
        }
    )*};
}
constants! {
    [const C: char] Constant<C>, Delimiter::of_char(C);
    [L: Literal] ConstantBytes<L>, literal::<L>();
}
