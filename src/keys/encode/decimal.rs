//! Decimal numbers, in digits of base 100: `rust_decimal::Decimal` (feature `rust_decimal`), and numbers of any length
//! for keys without their Rust type.
//!
//! ```text
//! 12.5       c1 | 0d 33    | 00    ± d.ddd… × 100^e: the byte C1 + e, each digit + 1, the terminator
//! -12.5      3e | 59 33 66 | 00    the byte 3E - e, each digit 101 - d, then 66: a longer one sorts lower
//! 0          80            | 00
//! ```
//!
//! Neither the first nor the last digit is 0, so 12.5 and 12.50 are one key. There is no 00 before the terminator.
//! `raw`, on the last field of a key, leaves out the terminator.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::keys::encode::{Field, RawField, Reader, Sink, Writer};
use crate::keys::error::{DecodeError, DecodeReason};
use crate::keys::layout::{Scalar, Type};
use crate::keys::reader::Run;

const TERMINATOR: u8 = 0;
const ZERO: u8 = 0x80;
const NEGATIVE_END: u8 = 0x66;
/// The valid exponents. With 62, a negative number would begin with the terminator.
const EXPONENTS: RangeInclusive<isize> = -64..=61;

/// A decimal number of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    exponent: isize,
    /// In base 100. Empty if the number is 0.
    digits: Vec<u8>,
}

impl Number {
    const ZERO: Self = Self { negative: false, exponent: 0, digits: Vec::new() };

    fn read(run: Run<'_>) -> Result<Self, DecodeError> {
        let byte = |i: usize| run.bytes.get(i).map(|byte| byte ^ run.mask);
        let bad = |i: usize, expected| {
            let found = byte(i).map_or("the end".to_owned(), |byte| format!("{byte:02x}"));
            DecodeError::new(run.at + i, DecodeReason::Value { found, expected })
        };
        let len = run.bytes.len();
        let (negative, exponent, end) = match byte(0) {
            Some(ZERO) if len == 1 => return Ok(Self::ZERO),
            Some(ZERO) => return Err(bad(1, "nothing follows the 80 of a decimal 0")),
            Some(0x01..=0x7e) if byte(len - 1) != Some(NEGATIVE_END) => {
                return Err(bad(len, "a negative decimal ends with 66"));
            }
            Some(first @ 0x01..=0x7e) => (true, 0x3e - isize::from(first), len - 1),
            Some(first @ 0x81..=0xfe) => (false, isize::from(first) - 0xc1, len),
            _ => return Err(bad(0, "a decimal begins with 01 to 7e, 80, or 81 to fe")),
        };
        let digit = |i: usize| match (byte(i), negative) {
            (Some(byte @ 2..=101), true) => Ok(101 - byte),
            (Some(byte @ 1..=100), false) => Ok(byte - 1),
            (_, true) => Err(bad(i, "the digits of a negative decimal are 02 to 65")),
            (_, false) => Err(bad(i, "a decimal's digits are 01 to 64")),
        };
        let digits = (1..end).map(digit).collect::<Result<Vec<_>, _>>()?;
        if matches!(digits.as_slice(), [] | [0, ..] | [.., 0]) {
            return Err(bad(1, "a decimal has digits, of which the first and the last are not 0"));
        }
        Ok(Self { negative, exponent, digits })
    }

    /// The exponent of the last digit.
    fn last(&self) -> isize {
        self.exponent + 1 - self.digits.len() as isize
    }
}

/// Writes a number without its terminator.
fn write<S: Sink>(negative: bool, exponent: isize, digits: &[u8], w: &mut Writer<'_, S>) {
    if digits.is_empty() {
        return w.byte(ZERO);
    }
    let first = (0xc1 + exponent) as u8;
    w.byte(if negative { !first } else { first });
    digits.iter().for_each(|digit| w.byte(if negative { 101 - digit } else { digit + 1 }));
    if negative {
        w.byte(NEGATIVE_END);
    }
}

/// Reads only the one valid form of a number: `1.50`, `+1`, `01`, `.5`, `1e3` and `-0` are refused.
impl FromStr for Number {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |unsigned| (true, unsigned));
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        if [whole, fraction].iter().any(|part| part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit())) {
            return Err("a decimal is digits, optionally with a `-` before them and a `.` among them");
        }
        let padding = |len: usize| "0".repeat(len % 2);
        let padded = [&padding(whole.len()), whole, fraction, &padding(fraction.len())].concat();
        let digits: Vec<u8> =
            padded.as_bytes().chunks(2).map(|pair| 10 * (pair[0] - b'0') + (pair[1] - b'0')).collect();
        let start = digits.iter().position(|digit| *digit != 0).unwrap_or(0);
        let end = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let number = match end {
            0 => Self::ZERO,
            _ => Self {
                negative,
                exponent: whole.len().div_ceil(2) as isize - 1 - start as isize,
                digits: digits[start..end].to_vec(),
            },
        };
        if !EXPONENTS.contains(&number.exponent) {
            return Err("a decimal is 0, or from 10^-128 to below 10^124 in size");
        }
        match number.to_string() == text {
            true => Ok(number),
            false => Err("a decimal has no needless zeros, and 0 has no sign"),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |exponent: isize| {
            let digit = usize::try_from(self.exponent - exponent).ok().and_then(|i| self.digits.get(i));
            format!("{:02}", digit.unwrap_or(&0))
        };
        let whole: String = (0..=self.exponent).rev().map(digit).collect();
        let fraction: String = (self.last()..0).rev().map(digit).collect();
        f.write_str(if self.negative { "-" } else { "" })?;
        f.write_str(match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        })?;
        match fraction.trim_end_matches('0') {
            "" => Ok(()),
            fraction => write!(f, ".{fraction}"),
        }
    }
}

impl Field for Number {
    type Ref<'a> = Self;
    const TYPE: &'static Type = &Type::Scalar(Scalar::Decimal);

    fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
        self.encode_raw(w);
        w.byte(TERMINATOR);
    }

    fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Self::read(r.until_terminator()?)
    }

    fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
        r.until_terminator().map(drop)
    }
}

impl RawField for Number {
    fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>) {
        write(self.negative, self.exponent, &self.digits, w);
    }

    fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let at = r.offset();
        Self::read(Run { bytes: &r.remainder(), at, mask: 0 })
    }
}

#[cfg(feature = "rust_decimal")]
mod typed {
    use rust_decimal::Decimal;

    use super::{Number, TERMINATOR, write};
    use crate::keys::encode::{Field, IntoField, RawField, RawOf, Reader, Sink, Writer, into_field};
    use crate::keys::error::{DecodeError, DecodeReason};
    use crate::keys::layout::Type;

    /// The most digits of base 100 that 96 bits have, with one more digit of base 10.
    const MOST_DIGITS: usize = 15;

    fn exact(number: &Number) -> Option<Decimal> {
        let digits = number.digits.iter();
        let whole = digits.copied().try_fold(0i128, |sum, digit| sum.checked_mul(100)?.checked_add(digit.into()))?;
        let (mantissa, scale) = match number.last() {
            last @ 0.. => (100i128.checked_pow(last as u32)?.checked_mul(whole)?, 0),
            last if whole % 10 == 0 => (whole / 10, last.unsigned_abs() * 2 - 1),
            last => (whole, last.unsigned_abs() * 2),
        };
        let signed = if number.negative { -mantissa } else { mantissa };
        Decimal::try_from_i128_with_scale(signed, scale as u32).ok()
    }

    fn decimal(number: Number, at: usize) -> Result<Decimal, DecodeError> {
        exact(&number).ok_or_else(|| {
            let expected = "a Decimal (96 bits, 28 digits after the point) can't hold it exactly";
            DecodeError::new(at, DecodeReason::Value { found: number.to_string(), expected })
        })
    }

    /// The scale is not part of the key: 1.00 is read back as 1, which equals it.
    impl Field for Decimal {
        type Ref<'a> = Self;
        const TYPE: &'static Type = Number::TYPE;

        #[inline]
        fn encode<S: Sink>(&self, w: &mut Writer<'_, S>) {
            self.encode_raw(w);
            w.byte(TERMINATOR);
        }

        fn decode<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
            let at = r.offset();
            decimal(Number::decode(r)?, at)
        }

        #[inline]
        fn skip(r: &mut Reader<'_>) -> Result<(), DecodeError> {
            Number::skip(r)
        }
    }

    impl RawField for Decimal {
        fn encode_raw<S: Sink>(&self, w: &mut Writer<'_, S>) {
            let scale = self.scale();
            let mut rest = self.mantissa().unsigned_abs() * 10u128.pow(scale % 2);
            let mut digits = [0; MOST_DIGITS];
            let mut start = MOST_DIGITS;
            while rest > 0 {
                start -= 1;
                digits[start] = (rest % 100) as u8;
                rest /= 100;
            }
            let end = digits.iter().rposition(|digit| *digit != 0).map_or(start, |last| last + 1);
            let exponent = (MOST_DIGITS - start) as isize - 1 - scale.div_ceil(2) as isize;
            write(self.is_sign_negative(), exponent, &digits[start..end], w);
        }

        fn decode_raw<'a>(r: &mut Reader<'a>) -> Result<Self, DecodeError> {
            let at = r.offset();
            decimal(Number::decode_raw(r)?, at)
        }
    }

    into_field!(Decimal);

    #[diagnostic::do_not_recommend]
    impl IntoField<RawOf<Decimal>> for Decimal {
        #[inline]
        fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
            self.encode_raw(w);
        }
    }

    #[diagnostic::do_not_recommend]
    impl IntoField<RawOf<Decimal>> for &Decimal {
        #[inline]
        fn encode_field<S: Sink>(&self, w: &mut Writer<'_, S>) {
            self.encode_raw(w);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::keys::encode::tests::{bytes, refused, unhex};

        fn decimal(text: &str) -> Decimal {
            text.parse().unwrap()
        }

        #[test]
        fn equal_ones_are_one_key() {
            for (a, b) in [("1", "1.00"), ("100", "100.0"), ("0", "-0.000"), ("-0.5", "-0.50")] {
                assert_eq!(bytes(&decimal(a)), bytes(&decimal(b)));
            }
            let read = Decimal::decode(&mut Reader::new(&bytes(&decimal("1.500")))).unwrap();
            assert_eq!((read, read.scale()), (decimal("1.5"), 1));
        }

        #[test]
        fn what_a_decimal_does_not_hold_is_told() {
            let key = unhex("cf085d1d111a0f1b2c263c242c60042500");
            let error = Decimal::decode(&mut Reader::new(&key)).unwrap_err();
            assert_eq!(
                error.to_string(),
                "at byte 0: found 79228162514264337593543950336, a Decimal (96 bits, 28 digits after the point) can't \
                 hold it exactly"
            );
            for hex in ["b20200", "b20b00", "fe6400", "4d646600"] {
                refused::<Decimal>(hex);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::encode::tests::{bytes, refused};

    #[test]
    fn the_largest_and_the_smallest() {
        for (text, len) in [(format!("1{}", "0".repeat(123)), 3), (format!("-0.{}1", "0".repeat(127)), 4)] {
            let number: Number = text.parse().unwrap();
            assert_eq!((number.to_string(), bytes(&number).len()), (text, len));
        }
    }

    #[test]
    fn texts_have_one_form() {
        for text in ["1.50", "+1", "01", ".5", "1.", "1e3", "-0", "", "-", ".", "1.0", "1.2.3", " 1", "٣"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
        for text in [format!("1{}", "0".repeat(124)), format!("0.{}1", "0".repeat(128))] {
            assert!(text.parse::<Number>().unwrap_err().contains("10^124"));
        }
    }

    #[test]
    fn one_form() {
        for hex in [
            "00",
            "800200",
            "c100",
            "c10100",
            "c1010200",
            "c1020100",
            "c16500",
            "3e6600",
            "3e6400",
            "3e64006600",
            "3e656600",
            "3e64656600",
            "3e01666600",
            "3e646666",
            "3e676600",
            "7f646600",
            "ff0200",
            "c102",
        ] {
            refused::<Number>(hex);
        }
        let error = Number::decode(&mut Reader::new(&[0x3e, 0x64, 0])).unwrap_err();
        assert_eq!(error.to_string(), "at byte 2: found the end, a negative decimal ends with 66");
    }
}
