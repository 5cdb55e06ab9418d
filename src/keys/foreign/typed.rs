//! Fields of text keys in a derive: `#[rowkey(with = Before<Decimal, '#'>)]`.
//!
//! An encoding can't refuse a value, so a value that could not be read back is refused where it is made: text that has
//! the delimiter by [`Segment`], a number with too many digits by [`Digits`].

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::text::digits_of;
use super::{Case, Delimiter, End, Foreign, Form, Pattern, TextField};
use crate::keys::encode::{Encoding, Reader, Sink, StartsWith, With, Writer};
use crate::keys::error::DecodeError;
use crate::keys::moment::{Moment, TimeError};
use crate::keys::prefix::{PrefixBuf, Selection};
use crate::keys::untyped::Value;

/// An encoding: `F`, up to the delimiter `D`.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{Before, Decimal, Padded, Segment, Str, ToEnd};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Login {
///     #[rowkey(with = Before<Str, '#'>)]
///     user: Segment<'#'>,
///     #[rowkey(with = Before<Padded<10>, '#'>)]
///     at: u32,
///     #[rowkey(with = ToEnd<Decimal>)]
///     attempt: u64,
/// }
///
/// let login = Login { user: "ada".parse()?, at: 1_600_000_001, attempt: 3 };
/// assert_eq!(login.encode(), b"ada#1600000001#3");
/// assert_eq!(Login::decode(b"ada#1600000001#3")?, login);
/// assert_eq!(Login::LAYOUT.shape(), "text['#'], dec[10 '#'], dec[end]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A field that is not padded has no ranges, as 10 sorts before 9:
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::{Before, Decimal};
/// #[derive(RowKey)]
/// struct Order {
///     #[rowkey(with = Before<Decimal, '#'>)]
///     number: u64,
///     item: u8,
/// }
///
/// Order::prefix().number_range(7..12).ranges();
/// ```
///
/// Nor has a field or a key that has such a field:
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select, Selection};
/// # use rowkey::foreign::{Before, Decimal};
/// #[derive(RowKey)]
/// struct Order {
///     #[rowkey(with = Before<Decimal, '#'>)]
///     number: u64,
///     item: u8,
/// }
///
/// Selection::<Order>::between(Order { number: 9, item: 0 }..Order { number: 20, item: 0 }).ranges();
/// ```
pub struct Before<F, const D: char>(PhantomData<F>);

/// An encoding: `F`, up to the end of the key. For the last field.
pub struct ToEnd<F>(PhantomData<F>);

/// Text as it is: of a [`Segment`], or with `ToEnd` of a `String`.
pub struct Str;

/// Text from its last character to its first: of a [`Segment`], or with `ToEnd` of a `String`.
pub struct Reversed;

/// A number in decimal, as many digits as it has, and a `-` below 0.
pub struct Decimal;

/// A number in decimal, padded with zeros to `N` digits, so that it sorts as the number does. Of an unsigned integer
/// whose type has no more digits, or of [`Digits`].
pub struct Padded<const N: usize>;

/// `MAX` minus a number, in decimal, with as many digits as `MAX` has: the greatest number sorts first. Of [`UpTo`].
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{Before, Minus, Segment, Str, UpTo};
///
/// const LONG_MAX: u128 = i64::MAX as u128;
///
/// /// The newest first, as `Long.MAX_VALUE - timestamp` in Java.
/// #[derive(RowKey)]
/// struct Event {
///     #[rowkey(with = Before<Str, '#'>)]
///     user: Segment<'#'>,
///     #[rowkey(with = Minus<LONG_MAX>)]
///     at: UpTo<LONG_MAX>,
/// }
///
/// let event = Event { user: "ada".parse()?, at: 1_600_000_001_000_u128.try_into()? };
/// assert_eq!(event.encode(), b"ada#9223370436854774807");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Minus<const MAX: u128>;

/// An unsigned integer in `N` lower-case hex digits.
pub struct Hex<const N: usize>;

/// Bytes in lower-case hex digits, two each.
pub struct HexBytes;

/// Sixteen bytes as the text of a UUID, 36 characters in lower case.
pub struct UuidText;

/// A date or a time in UTC, by the pattern `P`. Of [`Dated`].
pub struct Date<P>(PhantomData<P>);

/// A pattern of dates, as a type: for [`Date`].
pub trait DatePattern {
    /// The pattern's text.
    const PATTERN: &'static str;
}

/// The place where a field of a text key ends.
pub trait Ending {
    /// The place.
    const END: End;
}

/// A field ends before the delimiter `D`.
pub struct EndsBefore<const D: char>;
/// A field ends with the key.
pub struct EndsWithKey;
/// A field ends after its width.
pub struct EndsByWidth;

impl<const D: char> Ending for EndsBefore<D> {
    const END: End = End::Before(Delimiter::of_char(D));
}

impl Ending for EndsWithKey {
    const END: End = End::Key;
}

impl Ending for EndsByWidth {
    const END: End = End::Width;
}

/// A form of the fields of text keys, for values of type `T` where a field ends as `E` says.
#[diagnostic::on_unimplemented(
    message = "`{T}` can't be written as `{Self}` where the field `{E}`",
    note = "text before a delimiter is a `Segment` of the same delimiter, which does not hold it; padded numbers are integers whose type has no more digits, or `Digits`; dates are `Dated`"
)]
pub trait TextForm<T, E> {
    #[doc(hidden)]
    const FORM: Form;
    #[doc(hidden)]
    const DIGITS: Option<u16> = None;
    #[doc(hidden)]
    fn value(of: &T) -> Value;
    #[doc(hidden)]
    fn of_value(value: Value) -> Result<T, &'static str>;
}

const fn field<F: TextForm<T, E>, T, E: Ending>() -> TextField {
    match TextField::new(F::FORM, F::DIGITS, E::END) {
        Ok(field) => field,
        Err(_) => {
            panic!("keys of this field could not be read back: its values can hold the delimiter, or have no end")
        }
    }
}

fn write<F: TextForm<T, E>, T, E: Ending>(value: &T, w: &mut Writer<'_, impl Sink>) {
    let written = Foreign::Text(const { field::<F, T, E>() }).encode(&F::value(value), w);
    debug_assert!(written.is_ok(), "every value of the type has a text");
}

fn read<F: TextForm<T, E>, T, E: Ending>(r: &mut Reader<'_>) -> Result<T, DecodeError> {
    let at = r.offset();
    let value = Foreign::Text(const { field::<F, T, E>() }).decode(r)?;
    let told = value.to_string();
    F::of_value(value).map_err(|due| r.bad_value(at, told, due))
}

macro_rules! encodings {
    ($([$($generics:tt)*] $encoding:ty, $form:ty, $end:ty;)*) => {$(
        impl<$($generics)* T> Encoding<T> for $encoding
        where
            $form: TextForm<T, $end>,
        {
            const SHAPE: &'static str = "foreign";
            const WIDTH: Option<usize> = field::<$form, T, $end>().width();
            const FOREIGN: Option<Foreign> = Some(Foreign::Text(field::<$form, T, $end>()));

            fn encode<S: Sink>(value: &T, w: &mut Writer<'_, S>) {
                write::<$form, T, $end>(value, w);
            }

            fn decode(r: &mut Reader<'_>) -> Result<T, DecodeError> {
                read::<$form, T, $end>(r)
            }
        }
    )*};
}
encodings! {
    [F, const D: char,] Before<F, D>, F, EndsBefore<D>;
    [F,] ToEnd<F>, F, EndsWithKey;
    [const N: usize,] Padded<N>, Self, EndsByWidth;
    [const MAX: u128,] Minus<MAX>, Self, EndsByWidth;
    [const N: usize,] Hex<N>, Self, EndsByWidth;
    [] HexBytes, Self, EndsByWidth;
    [] UuidText, Self, EndsByWidth;
    [P,] Date<P>, Self, EndsByWidth;
    [] Str, Self, EndsByWidth;
}

/// Why a value can't be in a field of a text key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} is not a value of the field: {reason}")]
pub struct WrongText {
    found: String,
    reason: &'static str,
}

fn wrong(found: &dyn fmt::Display, reason: &'static str) -> WrongText {
    WrongText { found: crate::keys::error::quoted(found), reason }
}

/// Text without the delimiter `D`: what a field before it can hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment<const D: char>(String);

/// Text of `N` bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code<const N: usize>(String);

macro_rules! texts {
    ($([$($generics:tt)*] $name:ty, |$text:ident| $is_valid:expr, $reason:literal;)*) => {$(
        impl<$($generics)*> TryFrom<String> for $name {
            type Error = WrongText;

            fn try_from($text: String) -> Result<Self, WrongText> {
                if $is_valid { Ok(Self($text)) } else { Err(wrong(&format_args!("{:?}", $text), $reason)) }
            }
        }

        impl<$($generics)*> std::str::FromStr for $name {
            type Err = WrongText;

            fn from_str(text: &str) -> Result<Self, WrongText> {
                text.to_owned().try_into()
            }
        }

        impl<$($generics)*> Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<$($generics)*> fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<$($generics)*> From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }
    )*};
}
texts! {
    [const D: char] Segment<D>, |text| !text.contains(D), "it holds the delimiter, and would not be read back";
    [const N: usize] Code<N>, |text| text.len() == N, "it does not have the width of the field";
}

/// A number of at most `N` decimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digits<const N: usize>(u128);

/// A number up to `MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UpTo<const MAX: u128>(u128);

macro_rules! numbers {
    ($([$($generics:tt)*] $name:ty, |$number:ident| $is_valid:expr, $reason:literal;)*) => {$(
        impl<$($generics)*> $name {
            /// The number.
            pub const fn get(self) -> u128 {
                self.0
            }
        }

        impl<$($generics)*> TryFrom<u128> for $name {
            type Error = WrongText;

            fn try_from($number: u128) -> Result<Self, WrongText> {
                if $is_valid { Ok(Self($number)) } else { Err(wrong(&$number, $reason)) }
            }
        }

        impl<$($generics)*> fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}
numbers! {
    [const N: usize] Digits<N>, |number| usize::from(digits_of(number)) <= N, "it has more digits than the field";
    [const MAX: u128] UpTo<MAX>, |number| number <= MAX, "it is more than the number that it is taken from";
}

/// An instant that the text of a pattern says.
pub struct Dated<P> {
    seconds: i64,
    nanos: u32,
    pattern: PhantomData<P>,
}

impl<P: DatePattern> Dated<P> {
    const PATTERN: Pattern = match Pattern::new(P::PATTERN) {
        Ok(pattern) => pattern,
        Err(_) => panic!("not a pattern of dates: see `rowkey::foreign::Pattern`"),
    };

    /// The last instant up to this one that the pattern can say.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use rowkey::RowKey;
    /// use rowkey::foreign::{Date, DatePattern, Dated};
    ///
    /// struct Day;
    ///
    /// impl DatePattern for Day {
    ///     const PATTERN: &'static str = "yyyyMMdd";
    /// }
    ///
    /// #[derive(RowKey)]
    /// struct Total {
    ///     #[rowkey(with = Date<Day>)]
    ///     day: Dated<Day>,
    ///     shop: u16,
    /// }
    ///
    /// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_614_513_600);
    /// assert_eq!(Total { day: Dated::floor(noon)?, shop: 7 }.encode(), b"20210228\0\x07");
    /// # Ok::<(), rowkey::TimeError>(())
    /// ```
    ///
    /// # Errors
    /// If it is not in the years 0000 to 9999.
    pub fn floor(moment: impl Moment) -> Result<Self, TimeError> {
        let (seconds, nanos) = moment.to_unix();
        let out_of_range = TimeError::OutOfRange { seconds, nanos, of: "a date with a year of four digits" };
        let (seconds, nanos) = Self::PATTERN.floor(seconds, nanos.min(999_999_999)).ok_or(out_of_range)?;
        Ok(Self { seconds, nanos, pattern: PhantomData })
    }

    /// The instant.
    ///
    /// # Errors
    /// If the type can't hold it.
    pub fn moment<M: Moment>(&self) -> Result<M, TimeError> {
        M::from_unix(self.seconds, self.nanos)
    }
}

impl<P> Clone for Dated<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Dated<P> {}

impl<P> PartialEq for Dated<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P> Eq for Dated<P> {}

impl<P> PartialOrd for Dated<P> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Dated<P> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl<P> fmt::Debug for Dated<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::keys::moment::since_1970(self.seconds, self.nanos))
    }
}

/// Of a value of another type, which no form decodes to.
const OTHER: &str = "it is of the field's type";

macro_rules! forms {
    ($([$($generics:tt)*] $form:ty, $type:ty, $end:ty, $of:expr, $digits:expr, $value:ident($from:ident) => $to:expr,
        |$self:ident| $out:expr;)*) => {$(
        impl<$($generics)*> TextForm<$type, $end> for $form {
            const FORM: Form = $of;
            const DIGITS: Option<u16> = $digits;

            fn value($self: &$type) -> Value {
                Value::$value($out)
            }

            fn of_value(value: Value) -> Result<$type, &'static str> {
                match value {
                    Value::$value($from) => $to,
                    _ => Err(OTHER),
                }
            }
        }
    )*};
}

macro_rules! integers {
    ($($value:ident $form:ident: $($int:ty)*;)*) => {$($(
        forms! {
            [E: Ending] Decimal, $int, E, Form::$form, None,
                $value(number) => number.try_into().map_err(|_| "it fits into the field's type"), |n| (*n).into();
        }
    )*)*};
}
integers! {
    Unsigned Decimal: u8 u16 u32 u64 u128;
    Signed Signed: i8 i16 i32 i64 i128;
}

macro_rules! unsigned {
    ($($int:ty)*) => {$(
        forms! {
            [E: Ending, const N: usize] Padded<N>, $int, E, Form::Decimal, {
                assert!(N >= digits_of(<$int>::MAX as u128) as usize, "the integer's type has more digits: use `Digits<N>`");
                Some(N as u16)
            }, Unsigned(number) => number.try_into().map_err(|_| "it fits into the field's type"), |n| (*n).into();
            [E: Ending, const N: usize] Hex<N>, $int, E, Form::Hex(Case::Lower), {
                assert!(N >= size_of::<$int>() * 2, "the integer's type has more digits");
                Some(N as u16)
            }, Unsigned(number) => number.try_into().map_err(|_| "it fits into the field's type"), |n| (*n).into();
        }
    )*};
}
unsigned!(u8 u16 u32 u64 u128);

forms! {
    [const D: char] Str, Segment<D>, EndsBefore<D>, Form::Text, None, Text(text) => Ok(Segment(text)), |t| t.0.clone();
    [const D: char] Reversed, Segment<D>, EndsBefore<D>, Form::Reversed, None,
        Text(text) => Ok(Segment(text)), |t| t.0.clone();
    [] Str, String, EndsWithKey, Form::Text, None, Text(text) => Ok(text), |t| t.clone();
    [] Reversed, String, EndsWithKey, Form::Reversed, None, Text(text) => Ok(text), |t| t.clone();
    [E: Ending, const N: usize] Str, Code<N>, E, Form::Text, Some(N as u16), Text(text) => Ok(Code(text)), |t| t.0.clone();
    [E: Ending, const N: usize] Padded<N>, Digits<N>, E, Form::Decimal, Some(N as u16),
        Unsigned(number) => Ok(Digits(number)), |n| n.0;
    [E: Ending, const MAX: u128] Minus<MAX>, UpTo<MAX>, E, Form::Minus(MAX), Some(digits_of(MAX)),
        Unsigned(number) => Ok(UpTo(number)), |n| n.0;
    [E: Ending, const N: usize] HexBytes, [u8; N], E, Form::HexBytes(Case::Lower), Some(2 * N as u16),
        Bytes(bytes) => bytes.try_into().map_err(|_| OTHER), |bytes| bytes.to_vec();
    [] HexBytes, Vec<u8>, EndsWithKey, Form::HexBytes(Case::Lower), None, Bytes(bytes) => Ok(bytes), |b| b.clone();
    [const D: char] HexBytes, Vec<u8>, EndsBefore<D>, Form::HexBytes(Case::Lower), None,
        Bytes(bytes) => Ok(bytes), |b| b.clone();
    [E: Ending] UuidText, [u8; 16], E, Form::Uuid, None,
        Bytes(bytes) => bytes.try_into().map_err(|_| OTHER), |bytes| bytes.to_vec();
}

impl<E: Ending, P: DatePattern> TextForm<Dated<P>, E> for Date<P> {
    const FORM: Form = Form::Date(Dated::<P>::PATTERN);

    fn value(of: &Dated<P>) -> Value {
        Value::Instant(of.seconds, of.nanos)
    }

    fn of_value(value: Value) -> Result<Dated<P>, &'static str> {
        match value {
            Value::Instant(seconds, nanos) => Ok(Dated { seconds, nanos, pattern: PhantomData }),
            _ => Err(OTHER),
        }
    }
}

/// Text before a delimiter has beginnings, as all text has; one with the delimiter is that of none.
impl<const D: char> StartsWith<str> for With<Before<Str, D>, Segment<D>> {
    fn starting<K: ?Sized>(prefix: PrefixBuf, start: &str, desc: bool, _: bool) -> Selection<K> {
        if start.contains(D) { Selection::none() } else { prefix.starts_with(start, desc, true) }
    }
}

impl StartsWith<str> for With<ToEnd<Str>, String> {
    fn starting<K: ?Sized>(prefix: PrefixBuf, start: &str, desc: bool, _: bool) -> Selection<K> {
        prefix.starts_with(start, desc, true)
    }
}
