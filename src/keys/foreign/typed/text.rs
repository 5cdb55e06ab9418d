//! Fields of text keys: what they hold, and where they end.

use std::marker::PhantomData;

use super::checked::{Code, Digits, Segment, SegmentBefore, UpTo};
use super::constant::{Literal, literal};
use super::{Date, FITS, OTHER, Writes};
use crate::keys::foreign::text::digits_of;
use crate::keys::foreign::{Case, Delimiter, End, Foreign, Form, TextField};
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

/// An encoding: `F`, up to the delimiter `D` of the [`Optional`](super::Optional) field after it, or up to the end of the key.
///
/// ```
/// use rowkey::foreign::{Optional, Segment, Str, ToEnd, Until};
/// use rowkey::{KeyRange, RowKey, Select};
///
/// /// `home`, or `home#dark`.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Page {
///     #[rowkey(with = Until<Str, '#'>)]
///     name: Segment<'#'>,
///     #[rowkey(with = Optional<ToEnd<Str>, '#'>)]
///     variant: Option<String>,
/// }
///
/// let plain = Page { name: "home".parse()?, variant: None };
/// let dark = Page { name: "home".parse()?, variant: Some("dark".into()) };
/// assert_eq!((plain.encode(), dark.encode()), (b"home".to_vec(), b"home#dark".to_vec()));
/// assert_eq!(Page::decode(b"home")?, plain);
/// assert_eq!(Page::LAYOUT.shape(), "text[until '#'], text[end after '#']");
///
/// // Both, without `home2` and `home!`, which are between them.
/// let both = [KeyRange::point(*b"home"), KeyRange::prefix(*b"home#")];
/// assert_eq!(Page::prefix().name("home".parse::<Segment<'#'>>()?).ranges(), both);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A table's `first_of_each` returns the first row of each of the two ranges.
pub struct Until<F, const D: char>(PhantomData<F>);

/// An encoding: `F`, up to the bytes of `L`: a delimiter of several characters.
///
/// ```
/// use rowkey::foreign::{BeforeBytes, Literal, SegmentBefore, Str, UpperHex};
/// use rowkey::{RowKey, Select};
///
/// struct Colons;
///
/// impl Literal for Colons {
///     const BYTES: &'static [u8] = b"::";
/// }
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Page {
///     #[rowkey(with = BeforeBytes<Str, Colons>)]
///     site: SegmentBefore<Colons>,
///     #[rowkey(with = UpperHex<4>)]
///     part: u16,
/// }
///
/// let page = Page { site: "a:b".parse()?, part: 0xbeef };
/// assert_eq!(page.encode(), b"a:b::BEEF");
/// assert_eq!(Page::decode(b"a:b::BEEF")?, page);
/// assert_eq!(Page::LAYOUT.shape(), "text['::'], hex[4 upper]");
/// assert!("a:".parse::<SegmentBefore<Colons>>().is_err());
///
/// let begins = Page::prefix().site_starts_with("a:").ranges();
/// assert!(begins.iter().any(|range| range.contains(b"a:b::BEEF")));
/// assert!(!begins.iter().any(|range| range.contains(b"a::BEEF")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BeforeBytes<F, L>(PhantomData<(F, L)>);

/// An encoding: `F`, up to the last `N` bytes of the key, which are those of the fields after it.
///
/// ```
/// use rowkey::foreign::{BeforeLast, ConstantBytes, Literal, Str};
/// use rowkey::{KeyRange, RowKey, Select};
///
/// struct ByService;
///
/// impl Literal for ByService {
///     const BYTES: &'static [u8] = b"\x81";
/// }
///
/// /// An index of Jaeger: the name of a service has no end, but 24 bytes are after it.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Trace {
///     #[rowkey(with = ConstantBytes<ByService>)]
///     kind: (),
///     #[rowkey(with = BeforeLast<Str, 24>)]
///     service: String,
///     at: u64,
///     id: [u8; 16],
/// }
///
/// let trace = Trace { kind: (), service: "api".into(), at: 7, id: *b"0123456789abcdef" };
/// assert_eq!(trace.encode(), b"\x81api\0\0\0\0\0\0\0\x070123456789abcdef");
/// assert_eq!(Trace::decode(&trace.encode())?, trace);
/// assert_eq!(Trace::LAYOUT.shape(), "const['\\x81'], text[rest-24], u64, bytes[16]");
/// assert_eq!(Trace::prefix().kind(()).ranges(), [KeyRange::prefix(*b"\x81")]);
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
///
/// The beginning of a key does not say where the text ends, so no prefix fixes it:
///
/// ```compile_fail
/// # use rowkey::foreign::{BeforeLast, Str};
/// # use rowkey::{RowKey, Select};
/// #[derive(RowKey)]
/// struct Trace {
///     #[rowkey(with = BeforeLast<Str, 8>)]
///     service: String,
///     at: u64,
/// }
///
/// Trace::prefix().service("api".to_owned()).ranges();
/// ```
pub struct BeforeLast<F, const N: usize>(PhantomData<F>);

/// Text as it is: of a [`Segment`] or a [`SegmentBefore`], or with `ToEnd` or `BeforeLast` of a `String`.
pub struct Str;

/// Text from its last character to its first: of a [`Segment`], or with `ToEnd` or `BeforeLast` of a `String`.
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

/// An unsigned integer in `N` upper-case hex digits.
pub struct UpperHex<const N: usize>;

/// Bytes in lower-case hex digits, two each.
pub struct HexBytes;

/// Bytes in upper-case hex digits, two each.
pub struct UpperHexBytes;

/// Sixteen bytes as the text of a UUID, 36 characters in lower case.
pub struct UuidText;

/// The place where a field of a text key ends.
pub trait Ending {
    /// The place.
    const END: End;
}

/// A field ends before the delimiter `D`.
pub struct EndsBefore<const D: char>;
/// A field ends before the delimiter `L`.
pub struct EndsBeforeBytes<L>(PhantomData<L>);
/// A field ends before the delimiter `D`, which is the next field's, or with the key.
pub struct EndsUntil<const D: char>;
/// A field ends with the key.
pub struct EndsWithKey;
/// A field ends before the last `N` bytes of the key.
pub struct EndsBeforeLast<const N: usize>;
/// A field ends after its width.
pub struct EndsByWidth;

/// An end that text of any length and content can have, as it is not found by what the text holds.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "text or bytes of any length and content can't be where the field `{Self}`",
    note = "a `String` ends with the key, `ToEnd<Str>`, or before its last bytes, `BeforeLast<Str, N>`",
    note = "text before a delimiter is a `Segment` of it, or a `SegmentBefore`, which does not hold it; text of one width is a `Code`, and bytes are an array"
)]
pub trait OpenEnding: Ending {}

impl OpenEnding for EndsWithKey {}
impl<const N: usize> OpenEnding for EndsBeforeLast<N> {}

impl<const D: char> Ending for EndsBefore<D> {
    const END: End = End::Before(Delimiter::of_char(D));
}

impl<L: Literal> Ending for EndsBeforeBytes<L> {
    const END: End = End::Before(literal::<L>());
}

impl<const D: char> Ending for EndsUntil<D> {
    const END: End = End::Until(Delimiter::of_char(D));
}

impl Ending for EndsWithKey {
    const END: End = End::Key;
}

impl<const N: usize> Ending for EndsBeforeLast<N> {
    const END: End = {
        assert!(N <= u16::MAX as usize, "at most 65,535 bytes are after a field");
        End::Rest(N as u16)
    };
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
        Err(reason) => panic!("{}", reason),
    }
}

const fn width(of: usize) -> u16 {
    assert!(of <= u16::MAX as usize, "a field has at most 65,535 characters");
    of as u16
}

macro_rules! written {
    ($([$($generics:tt)*] $encoding:ty, $form:ty, $end:ty;)*) => {$(
        impl<$($generics)* T> Writes<T> for $encoding
        where
            $form: TextForm<T, $end>,
        {
            const FOREIGN: Foreign = Foreign::Text(field::<$form, T, $end>());

            fn value(of: &T) -> Value {
                <$form as TextForm<T, $end>>::value(of)
            }

            fn of_value(value: Value) -> Result<T, &'static str> {
                <$form as TextForm<T, $end>>::of_value(value)
            }
        }
    )*};
}
written! {
    [F, const D: char,] Before<F, D>, F, EndsBefore<D>;
    [F, L: Literal,] BeforeBytes<F, L>, F, EndsBeforeBytes<L>;
    [F, const N: usize,] BeforeLast<F, N>, F, EndsBeforeLast<N>;
    [F,] ToEnd<F>, F, EndsWithKey;
    [F, const D: char,] Until<F, D>, F, EndsUntil<D>;
    [const N: usize,] Padded<N>, Self, EndsByWidth;
    [const MAX: u128,] Minus<MAX>, Self, EndsByWidth;
    [const N: usize,] Hex<N>, Self, EndsByWidth;
    [const N: usize,] UpperHex<N>, Self, EndsByWidth;
    [] HexBytes, Self, EndsByWidth;
    [] UpperHexBytes, Self, EndsByWidth;
    [] UuidText, Self, EndsByWidth;
    [P,] Date<P>, Self, EndsByWidth;
    [] Str, Self, EndsByWidth;
}

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
                $value(number) => number.try_into().map_err(|_| FITS), |n| (*n).into();
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
                Some(width(N))
            }, Unsigned(number) => number.try_into().map_err(|_| FITS), |n| (*n).into();
        }
        hex! {
            $int: Hex Lower;
            $int: UpperHex Upper;
        }
    )*};
}
macro_rules! hex {
    ($($int:ty: $hex:ident $case:ident;)*) => {
        forms! {$(
            [E: Ending, const N: usize] $hex<N>, $int, E, Form::Hex(Case::$case), {
                assert!(N >= size_of::<$int>() * 2, "the integer's type has more digits");
                Some(width(N))
            }, Unsigned(number) => number.try_into().map_err(|_| FITS), |n| (*n).into();
        )*}
    };
}
unsigned!(u8 u16 u32 u64 u128);

forms! {
    [const D: char] Str, Segment<D>, EndsBefore<D>, Form::Text, None, Text(text) => Ok(Segment(text)), |t| t.0.clone();
    [const D: char] Reversed, Segment<D>, EndsBefore<D>, Form::Reversed, None,
        Text(text) => Ok(Segment(text)), |t| t.0.clone();
    [const D: char] Str, Segment<D>, EndsUntil<D>, Form::Text, None, Text(text) => Ok(Segment(text)), |t| t.0.clone();
    [L: Literal] Str, SegmentBefore<L>, EndsBeforeBytes<L>, Form::Text, None,
        Text(text) => Ok(SegmentBefore::unchecked(text)), |t| t.0.clone();
    [E: OpenEnding] Str, String, E, Form::Text, None, Text(text) => Ok(text), |t| t.clone();
    [E: OpenEnding] Reversed, String, E, Form::Reversed, None, Text(text) => Ok(text), |t| t.clone();
    [E: Ending, const N: usize] Str, Code<N>, E, Form::Text, Some(width(N)), Text(text) => Ok(Code(text)), |t| t.0.clone();
    [E: Ending, const N: usize] Padded<N>, Digits<N>, E, Form::Decimal, Some(width(N)),
        Unsigned(number) => Ok(Digits(number)), |n| n.0;
    [E: Ending, const MAX: u128] Minus<MAX>, UpTo<MAX>, E, Form::Minus(MAX), Some(digits_of(MAX)),
        Unsigned(number) => Ok(UpTo(number)), |n| n.0;
    [E: Ending] UuidText, [u8; 16], E, Form::Uuid, None,
        Bytes(bytes) => bytes.try_into().map_err(|_| OTHER), |bytes| bytes.to_vec();
}

macro_rules! hex_bytes {
    ($($hex:ident $case:ident;)*) => {
        forms! {$(
            [E: Ending, const N: usize] $hex, [u8; N], E, Form::HexBytes(Case::$case), Some(width(2 * N)),
                Bytes(bytes) => bytes.try_into().map_err(|_| OTHER), |bytes| bytes.to_vec();
            [E: OpenEnding] $hex, Vec<u8>, E, Form::HexBytes(Case::$case), None,
                Bytes(bytes) => Ok(bytes), |bytes| bytes.clone();
            [const D: char] $hex, Vec<u8>, EndsBefore<D>, Form::HexBytes(Case::$case), None,
                Bytes(bytes) => Ok(bytes), |bytes| bytes.clone();
            [L: Literal] $hex, Vec<u8>, EndsBeforeBytes<L>, Form::HexBytes(Case::$case), None,
                Bytes(bytes) => Ok(bytes), |bytes| bytes.clone();
        )*}
    };
}
hex_bytes! {
    HexBytes Lower;
    UpperHexBytes Upper;
}
