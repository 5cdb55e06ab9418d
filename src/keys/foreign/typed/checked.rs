//! Values that are checked where they are made, because an encoding can't refuse one.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU16;
use std::ops::Deref;

use super::constant::{Literal, literal};
use crate::keys::encode::Writer;
use crate::keys::foreign::Foreign;
use crate::keys::foreign::text::digits_of;
use crate::keys::untyped::Value;

/// Why a value can't be in a field of a text key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} is not a value of the field: {reason}")]
pub struct WrongText {
    found: String,
    reason: &'static str,
}

pub(super) fn wrong(found: &dyn fmt::Display, reason: &'static str) -> WrongText {
    WrongText { found: crate::keys::error::quoted(found), reason }
}

/// Text without the delimiter `D`: what a field before it can hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment<const D: char>(pub(super) String);

/// Text without the delimiter `L`, and without a beginning of it at its end that would be taken for it: what a field
/// before it can hold.
pub struct SegmentBefore<L>(pub(super) String, PhantomData<fn() -> L>);

impl<L> SegmentBefore<L> {
    pub(super) const fn unchecked(text: String) -> Self {
        Self(text, PhantomData)
    }
}

impl<L> Clone for SegmentBefore<L> {
    fn clone(&self) -> Self {
        Self::unchecked(self.0.clone())
    }
}

impl<L> fmt::Debug for SegmentBefore<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SegmentBefore").field(&self.0).finish()
    }
}

super::compared! {
    [L] SegmentBefore<L>, |a, b| a.0.cmp(&b.0);
}

/// Text of `N` bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code<const N: usize>(pub(super) String);

fn can_write(foreign: Foreign, text: &str) -> bool {
    foreign.encode(&Value::Text(text.to_owned()), &mut Writer::new(&mut Vec::new())).is_ok()
}

macro_rules! texts {
    ($([$($generics:tt)*] $name:ty = $make:expr, |$text:ident| $is_valid:expr, $reason:literal;)*) => {$(
        impl<$($generics)*> TryFrom<String> for $name {
            type Error = WrongText;

            fn try_from($text: String) -> Result<Self, WrongText> {
                if $is_valid { Ok($make($text)) } else { Err(wrong(&format_args!("{:?}", $text), $reason)) }
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
    [const D: char] Segment<D> = Self, |text| !text.contains(D), "it holds the delimiter, and would not be read back";
    [L: Literal] SegmentBefore<L> = Self::unchecked, |text| const { literal::<L>() }.ends(text.as_bytes()),
        "it holds the delimiter, and would not be read back";
    [const N: usize] Code<N> = Self, |text| text.len() == N, "it does not have the width of the field";
    [] JavaText = Self, |text| can_write(Foreign::JavaUtf, &text), "it has more than 65,535 bytes in modified UTF-8";
    [const N: usize] CharText<N> = Self, |text| can_write(Foreign::Char(const { char_width(N) }), &text),
        "it is printable ASCII, no longer than the field, and without blanks at its end";
    [const N: usize] ZeroPaddedText<N> = Self, |text| can_write(Foreign::ZeroPadded(const { char_width(N) }), &text),
        "it has at most as many bytes as the field, and no zero byte";
}

/// Text that Java's `writeUTF` can write: of at most 65,535 bytes in modified UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JavaText(pub(super) String);

/// Text that `CHAR(N)` can hold: at most `N` printable characters of ASCII, without blanks at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CharText<const N: usize>(pub(super) String);

/// Text of at most `N` bytes, none of them zero: what [`ZeroPadded`](super::ZeroPadded) can hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZeroPaddedText<const N: usize>(pub(super) String);

pub(super) const fn char_width(width: usize) -> NonZeroU16 {
    match NonZeroU16::new(width as u16) {
        Some(width_) if width <= u16::MAX as usize => width_,
        _ => panic!("the width of padded text is from 1 to 65535"),
    }
}

/// A number of at most `N` decimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digits<const N: usize>(pub(super) u128);

/// A number up to `MAX`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UpTo<const MAX: u128>(pub(super) u128);

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
    [const MAX: u128] UpTo<MAX>, |number| number <= MAX, "it is more than the greatest number of its type";
}
