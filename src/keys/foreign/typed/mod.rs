//! Fields of keys of other programs in a derive: `#[rowkey(with = Before<Decimal, '#'>)]`.
//!
//! An encoding can't refuse a value, so a value that could not be read back is refused where it is made: text that has
//! the delimiter by [`Segment`], a number with too many digits by [`Digits`].

mod binary;
mod checked;
mod constant;
mod dated;
mod fdb;
mod optional;
mod ordered;
mod strings;
mod text;

pub use self::binary::{BigEndian, LittleEndian, Uint};
pub use self::checked::{CharText, Code, Digits, JavaText, Segment, SegmentBefore, UpTo, WrongText, ZeroPaddedText};
use self::checked::{char_width, wrong};
pub use self::constant::{Constant, ConstantBytes, Literal};
pub use self::dated::{Date, DatePattern, Dated};
pub use self::fdb::{Fdb, FdbAny, FdbUuid, FdbVersionstamp};
pub use self::optional::Optional;
pub use self::ordered::{Ordered, OrderedBigEndian};
pub use self::strings::{Char, Groups, JavaUtf, ZeroPadded};
pub use self::text::{
    Before, BeforeBytes, BeforeLast, Decimal, Ending, EndsBefore, EndsBeforeBytes, EndsBeforeLast, EndsByWidth,
    EndsUntil, EndsWithKey, Hex, HexBytes, Minus, Padded, Reversed, Str, TextForm, ToEnd, Until, UpperHex,
    UpperHexBytes, UuidText,
};
use super::Foreign;
use crate::keys::encode::{Encoding, Reader, Sink, StartsWith, With, Writer};
use crate::keys::error::DecodeError;
use crate::keys::prefix::{PrefixBuf, Selection};
use crate::keys::untyped::Value;

/// An encoding of another program that writes values of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{T}` can't be written as `{Self}`",
    label = "does not write `{T}`",
    note = "constants are of `()`; `Uint<N>` is of an unsigned integer whose type has no more bytes, or of `UpTo<MAX>`; `LittleEndian` is of integers of two bytes or more, `BigEndian` of signed ones: unsigned ones are big-endian without it",
    note = "`Groups` is of `Vec<u8>`, `JavaUtf` of `JavaText`, `Char<N>` of `CharText<N>`, `ZeroPadded<N>` of `ZeroPaddedText<N>`",
    note = "`Fdb` is of `String`, `Vec<u8>`, integers up to `i128`, `f32`, `f64`, `bool`, `()` and `FdbAny`; `FdbUuid` of `[u8; 16]`, `FdbVersionstamp` of `[u8; 12]` and `[u8; 10]`",
    note = "`Optional<E, D>` is of an `Option` of what `E` writes",
    note = "`Ordered` is of `String`, `Vec<u8>`, `i64` and `Micros`; `OrderedBigEndian` of the latter two"
)]
pub trait Writes<T> {
    #[doc(hidden)]
    const FOREIGN: Foreign;
    #[doc(hidden)]
    fn value(of: &T) -> Value;
    #[doc(hidden)]
    fn of_value(value: Value) -> Result<T, &'static str>;
}

/// Of a value of another type, which no encoding decodes to.
const OTHER: &str = "it is of the field's type";
const FITS: &str = "it fits into the field's type";

/// Implements [`Writes`]: an encoding, the type of its values, the encoding in a layout, and the value of the untyped
/// layout from one of the type and back.
macro_rules! writes {
    ($([$($generics:tt)*] $encoding:ty, $type:ty, $foreign:expr, |$of:ident| $value:expr, $from:pat => $to:expr;)*) => {$(
        impl<$($generics)*> $crate::keys::foreign::Writes<$type> for $encoding {
            const FOREIGN: $crate::keys::foreign::Foreign = $foreign;

            fn value($of: &$type) -> $crate::keys::untyped::Value {
                $value
            }

            fn of_value(value: $crate::keys::untyped::Value) -> Result<$type, &'static str> {
                match value {
                    $from => $to,
                    #[allow(unreachable_patterns)]
                    _ => Err($crate::keys::foreign::typed::OTHER),
                }
            }
        }
    )*};
}
use writes;

/// Implements `Eq` and `Ord` by an order, whatever the parameters of the type are.
macro_rules! compared {
    ($([$($generics:tt)*] $type:ty, |$a:ident, $b:ident| $order:expr;)*) => {$(
        impl<$($generics)*> PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl<$($generics)*> Eq for $type {}

        impl<$($generics)*> PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<$($generics)*> Ord for $type {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let ($a, $b) = (self, other);
                $order
            }
        }
    )*};
}
use compared;

/// Fields of OrderedCode are written as if none was the first one: the key takes the first separator off.
const NOT_FIRST: usize = 1;

fn write<W: Writes<T>, T>(value: &T, w: &mut Writer<'_, impl Sink>) {
    let written = W::FOREIGN.placed(NOT_FIRST).encode(&W::value(value), w);
    debug_assert!(written.is_ok(), "every value of the type can be written");
}

fn read<W: Writes<T>, T>(r: &mut Reader<'_>) -> Result<T, DecodeError> {
    let at = r.offset();
    let value = W::FOREIGN.placed(at).decode(r)?;
    let told = value.to_string();
    W::of_value(value).map_err(|due| r.bad_value(at, told, due))
}

macro_rules! encodings {
    ($([$($generics:tt)*] $encoding:ty;)*) => {$(
        impl<$($generics)* T> Encoding<T> for $encoding
        where
            Self: Writes<T>,
        {
            const SHAPE: &'static str = "foreign";
            const WIDTH: Option<usize> = <Self as Writes<T>>::FOREIGN.width();
            const FOREIGN: Option<Foreign> = Some(<Self as Writes<T>>::FOREIGN);

            fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
                write::<Self, T>(value, w);
            }

            fn decode(r: &mut Reader<'_>) -> Result<T, DecodeError> {
                read::<Self, T>(r)
            }
        }
    )*};
}
encodings! {
    [F, const D: char,] Before<F, D>;
    [F, L: Literal,] BeforeBytes<F, L>;
    [F, const N: usize,] BeforeLast<F, N>;
    [F,] ToEnd<F>;
    [F, const D: char,] Until<F, D>;
    [E, const D: char,] Optional<E, D>;
    [const N: usize,] Padded<N>;
    [const MAX: u128,] Minus<MAX>;
    [const N: usize,] Hex<N>;
    [const N: usize,] UpperHex<N>;
    [] HexBytes;
    [] UpperHexBytes;
    [] UuidText;
    [P,] Date<P>;
    [] Str;
    [const C: char,] Constant<C>;
    [L: Literal,] ConstantBytes<L>;
    [const N: usize,] Uint<N>;
    [] LittleEndian;
    [] BigEndian;
    [] Groups;
    [] JavaUtf;
    [const N: usize,] Char<N>;
    [const N: usize,] ZeroPadded<N>;
    [] Fdb;
    [] FdbUuid;
    [] FdbVersionstamp;
    [] Ordered;
    [] OrderedBigEndian;
}

/// Text and bytes that have beginnings. One that no value has, as text with the delimiter, selects nothing.
macro_rules! beginnings {
    ($([$($generics:tt)*] $encoding:ty, $type:ty: $start:ty as $value:ident;)*) => {$(
        impl<$($generics)*> StartsWith<$start> for With<$encoding, $type> {
            fn starting<K: ?Sized>(prefix: PrefixBuf, start: &$start, desc: bool, _: bool) -> Selection<K> {
                let foreign = <$encoding as Writes<$type>>::FOREIGN.placed(NOT_FIRST);
                prefix.beginning_of(foreign, &Value::$value(start.into()), desc)
            }
        }
    )*};
}
beginnings! {
    [const D: char] Before<Str, D>, Segment<D>: str as Text;
    [L: Literal] BeforeBytes<Str, L>, SegmentBefore<L>: str as Text;
    [] ToEnd<Str>, String: str as Text;
    [const D: char] Until<Str, D>, Segment<D>: str as Text;
    [const D: char] Optional<ToEnd<Str>, D>, Option<String>: str as Text;
    [const N: usize] Str, Code<N>: str as Text;
    [const N: usize] Char<N>, CharText<N>: str as Text;
    [const N: usize] ZeroPadded<N>, ZeroPaddedText<N>: str as Text;
    [] Groups, Vec<u8>: [u8] as Bytes;
    [] Fdb, String: str as Text;
    [] Fdb, Vec<u8>: [u8] as Bytes;
    [] Ordered, String: str as Text;
    [] Ordered, Vec<u8>: [u8] as Bytes;
}
