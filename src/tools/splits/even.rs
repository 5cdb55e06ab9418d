//! Split points at even distances, as HBase's `RegionSplitter` sets them: the n-th point is the first key plus n times
//! an equal part, rounded down, of the distance from the first key to the last.
//!
//! ```text
//! uniform, 3 regions    55 55 55 55 55 55 55 55 | aa aa aa aa aa aa aa aa     UniformSplit
//! hex, 3 regions        55555555                | aaaaaaaa                    HexStringSplit
//! decimal, 3 regions    33333333                | 66666666                    DecimalStringSplit
//! ```
//!
//! Source: `org.apache.hadoop.hbase.util.RegionSplitter` and `Bytes.iterateOnSplits` of HBase 2.6.

use super::{Splits, SplitsError};
use crate::keys::range::KeyRange;

/// Number of bytes of a split point if no key determines it.
const WIDTH: usize = 8;

impl Splits {
    /// `regions` regions of the whole table, for keys whose first bytes are random: HBase's `UniformSplit`.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`].
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// assert_eq!(Splits::uniform(2)?.iter().next(), Some(&[0x80, 0, 0, 0, 0, 0, 0, 0][..]));
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn uniform(regions: u32) -> Result<Self, SplitsError> {
        Self::even_bytes(regions, &[0; WIDTH], None, 0)
    }

    /// Split points that divide a range evenly, for keys whose bytes are random there. They have as many bytes as the
    /// range's bounds (8 if it has no end), or more if necessary.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`]; [`SplitsError::TooManyRegions`] if only 00 bytes are between the range's bounds.
    ///
    /// ```
    /// # use rowkey::{KeyRange, splits::Splits};
    /// let splits = Splits::uniform_in(3, &KeyRange::prefix("user"))?;
    /// assert_eq!(splits.to_string(), r#"["userU", "user\xAA"]"#);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn uniform_in(regions: u32, range: &KeyRange) -> Result<Self, SplitsError> {
        let width = match range.end() {
            Some(end) => range.start().len().max(end.len()),
            None => WIDTH.max(range.start().len() + 1),
        };
        // Enough more bytes for u32::MAX distinct keys, wherever the bounds are.
        Self::even_bytes(regions, &padded(range.start(), width), range.end(), 5)
    }

    /// Points from `first` to `end`, which is padded to the width of `first`; `None` is the end of the table. If
    /// necessary, they are up to `longer` bytes longer.
    pub(super) fn even_bytes(
        regions: u32,
        first: &[u8],
        end: Option<&[u8]>,
        longer: usize,
    ) -> Result<Self, SplitsError> {
        let number = |leading: u8, bytes: &[u8]| [&[leading], bytes].concat();
        let mut width = first.len();
        let end_of = |width| match end {
            Some(end) => number(0, &padded(end, width)),
            None => number(1, &vec![0; width]),
        };
        if regions == 0 {
            return Err(SplitsError::NoRegions);
        }
        let longest = width + longer;
        loop {
            let first = number(0, &padded(first, width));
            match points(256, first, &end_of(width), regions) {
                Some(points) => return Ok(Self(points.into_iter().map(|point| point[1..].to_vec()).collect())),
                None if width < longest => width += 1,
                None => return Err(SplitsError::TooManyRegions { regions, keys: None }),
            }
        }
    }

    /// `regions` regions for keys that begin with random lower-case hex digits: HBase's `HexStringSplit`, 8 digits.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`].
    pub fn hex(regions: u32) -> Result<Self, SplitsError> {
        Self::hex_in(regions, "00000000", "ffffffff")
    }

    /// `regions` regions for keys that begin with hex digits from `first` to `last`, with as many digits as `last`.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`], [`SplitsError::TooManyRegions`], [`SplitsError::Order`],
    /// [`SplitsError::NotANumber`].
    ///
    /// ```
    /// # use rowkey::splits::Splits;
    /// assert_eq!(Splits::hex_in(4, "00", "ff")?.to_string(), r#"["40", "80", "c0"]"#);
    /// # Ok::<(), rowkey::splits::SplitsError>(())
    /// ```
    pub fn hex_in(regions: u32, first: &str, last: &str) -> Result<Self, SplitsError> {
        Self::even_digits(16, regions, first, last)
    }

    /// `regions` regions for keys that begin with random decimal digits: HBase's `DecimalStringSplit`, 8 digits.
    ///
    /// # Errors
    /// [`SplitsError::NoRegions`], [`SplitsError::TooManyRegions`] beyond 10⁸.
    pub fn decimal(regions: u32) -> Result<Self, SplitsError> {
        Self::decimal_in(regions, "00000000", "99999999")
    }

    /// `regions` regions for keys that begin with decimal digits from `first` to `last`, with as many digits as `last`.
    ///
    /// # Errors
    /// As [`Splits::hex_in`].
    pub fn decimal_in(regions: u32, first: &str, last: &str) -> Result<Self, SplitsError> {
        Self::even_digits(10, regions, first, last)
    }

    fn even_digits(base: u32, regions: u32, first: &str, last: &str) -> Result<Self, SplitsError> {
        if regions == 0 {
            return Err(SplitsError::NoRegions);
        }
        let width = last.len();
        let number = |text: &str| {
            let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(base).map(|digit| digit as u8)).collect();
            let not_a_number = || SplitsError::NotANumber { text: text.to_owned(), base, digits: width };
            let digits = digits.filter(|digits| (1..=width).contains(&digits.len())).ok_or_else(not_a_number)?;
            Ok::<_, SplitsError>([vec![0; width + 1 - digits.len()], digits].concat())
        };
        let (start, mut end) = (number(first)?, number(last)?);
        if start >= end {
            return Err(SplitsError::Order { first: first.to_owned(), last: last.to_owned() });
        }
        let one = [vec![0; width], vec![1]].concat();
        add(base, &mut end, &one);
        let points = points(base, start, &end, regions).ok_or(SplitsError::TooManyRegions { regions, keys: None })?;
        let text = |digits: Vec<u8>| digits[1..].iter().map(|&digit| b"0123456789abcdef"[usize::from(digit)]).collect();
        Ok(Self(points.into_iter().map(text).collect()))
    }
}

fn padded(bytes: &[u8], width: usize) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(width, 0);
    padded
}

/// The numbers that divide `first` to `end` into `parts` parts; `None` if there are fewer numbers. A number is its
/// digits in `base`, the highest first, all of one length.
fn points(base: u32, first: Vec<u8>, end: &[u8], parts: u32) -> Option<Vec<Vec<u8>>> {
    let mut step = end.to_vec();
    subtract(base, &mut step, &first);
    divide(base, &mut step, parts);
    if parts > 1 && step.iter().all(|&digit| digit == 0) {
        return None;
    }
    let mut at = first;
    let mut next = || {
        add(base, &mut at, &step);
        at.clone()
    };
    Some((1..parts).map(|_| next()).collect())
}

fn add(base: u32, sum: &mut [u8], other: &[u8]) {
    let mut carry = 0;
    for (digit, &other) in sum.iter_mut().zip(other).rev() {
        let both = u32::from(*digit) + u32::from(other) + carry;
        *digit = (both % base) as u8;
        carry = both / base;
    }
}

fn subtract(base: u32, difference: &mut [u8], other: &[u8]) {
    let mut borrow = 0;
    for (digit, &other) in difference.iter_mut().zip(other).rev() {
        let both = base + u32::from(*digit) - u32::from(other) - borrow;
        *digit = (both % base) as u8;
        borrow = u32::from(both < base);
    }
}

fn divide(base: u32, quotient: &mut [u8], by: u32) {
    let mut rest = 0;
    for digit in quotient {
        let part = rest * u64::from(base) + u64::from(*digit);
        *digit = (part / u64::from(by)) as u8;
        rest = part % u64::from(by);
    }
}
