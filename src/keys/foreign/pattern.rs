//! Dates and times as text, by a pattern.

use std::fmt;

use crate::keys::moment::NANOS_PER_SECOND;

/// A pattern of a date or a time in UTC, with letters of Java's `DateTimeFormatter`: `yyyyMMdd`,
/// `yyyy-MM-dd'T'HH:mm:ss`.
///
/// | letters | part | digits |
/// |---|---|---|
/// | `yyyy` | year, 0000 to 9999 | 4 |
/// | `MM`, `dd` | month, day of the month | 2 |
/// | `DDD` | day of the year | 3 |
/// | `HH`, `mm`, `ss` | hour, minute, second | 2 |
/// | `SSS`, `SSSSSS`, `SSSSSSSSS` | fraction of the second | 3, 6 or 9 |
///
/// Other letters are in quotes, other characters stand for themselves. A pattern has the year, and of each part all
/// larger ones, so that the text is one instant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    text: [u8; Self::MOST],
    len: u8,
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Year,
    Month,
    Day,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Fraction(u8),
    Literal(u8),
}

impl Part {
    const fn digits(self) -> usize {
        match self {
            Self::Year => 4,
            Self::Month | Self::Day | Self::Hour | Self::Minute | Self::Second => 2,
            Self::DayOfYear => 3,
            Self::Fraction(digits) => digits as usize,
            Self::Literal(_) => 1,
        }
    }

    /// The place among the parts, from the year on; `None` for a literal.
    const fn rank(self) -> Option<u8> {
        Some(match self {
            Self::Year => 0,
            Self::Month => 1,
            Self::Day | Self::DayOfYear => 2,
            Self::Hour => 3,
            Self::Minute => 4,
            Self::Second => 5,
            Self::Fraction(_) => 6,
            Self::Literal(_) => return None,
        })
    }
}

/// A place in the text of a pattern, and whether it is within quotes.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    is_quoted: bool,
}

impl Place {
    const START: Self = Self { at: 0, is_quoted: false };
}

/// No part begins here.
struct NoPart;

/// The reason why a text is no pattern.
const NO_PATTERN: &str = "a pattern has a year `yyyy`, of each part all larger ones, each once: `yyyyMMdd`, \
                          `yyyyDDD`, `yyyy-MM-dd'T'HH:mm:ss.SSS`; at most 32 printable ASCII characters";

impl Pattern {
    /// The number of bytes that a pattern has at most.
    pub const MOST: usize = 32;

    /// The pattern of this text.
    ///
    /// # Errors
    /// If it is none: with the reason.
    ///
    /// ```
    /// use rowkey::foreign::Pattern;
    ///
    /// assert_eq!(Pattern::new("yyyy-MM-dd'T'HH")?.as_str(), "yyyy-MM-dd'T'HH");
    /// assert!(Pattern::new("MMdd").is_err());
    /// # Ok::<(), &'static str>(())
    /// ```
    pub const fn new(text: &str) -> Result<Self, &'static str> {
        let of = text.as_bytes();
        if of.len() > Self::MOST {
            return Err(NO_PATTERN);
        }
        let mut bytes = [0; Self::MOST];
        let mut i = 0;
        while i < of.len() {
            bytes[i] = of[i];
            i += 1;
        }
        let pattern = Self { text: bytes, len: of.len() as u8 };
        if pattern.is_valid() { Ok(pattern) } else { Err(NO_PATTERN) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.text[..self.len.into()]).unwrap_or_default()
    }

    /// Returns whether each part is there once, with all larger ones.
    const fn is_valid(&self) -> bool {
        let (mut place, mut ranks) = (Place::START, 0_u8);
        while let Some(next) = self.part(place) {
            let (part, after) = match next {
                Ok(next) => next,
                Err(NoPart) => return false,
            };
            place = after;
            if let Some(rank) = part.rank() {
                if ranks & 1 << rank != 0 {
                    return false;
                }
                ranks |= 1 << rank;
                if matches!(part, Part::DayOfYear) {
                    // It stands for the month, too.
                    if ranks & 1 << 1 != 0 {
                        return false;
                    }
                    ranks |= 1 << 1;
                }
            }
        }
        ranks & 1 == 1 && (ranks & ranks.wrapping_add(1)) == 0
    }

    /// The part at a place, and the place after it. `None` at the end.
    const fn part(&self, Place { at, is_quoted }: Place) -> Option<Result<(Part, Place), NoPart>> {
        if at >= self.len as usize {
            return if is_quoted { Some(Err(NoPart)) } else { None };
        }
        let first = self.text[at];
        let mut run = 1;
        while at + run < self.len as usize && self.text[at + run] == first {
            run += 1;
        }
        let (part, taken, is_quoted) = match (first, run) {
            (b'a'..=b'z' | b'A'..=b'Z', _) if is_quoted => {
                // The quote that closes it comes with the last letter.
                let closes = at + 1 < self.len as usize && self.text[at + 1] == b'\'';
                (Part::Literal(first), 1 + closes as usize, !closes)
            }
            (b'\'', 1) if !is_quoted => match self.part(Place { at: at + 1, is_quoted: true }) {
                Some(part) => return Some(part),
                None => return Some(Err(NoPart)),
            },
            _ if is_quoted => return Some(Err(NoPart)),
            (b'y', 4) => (Part::Year, 4, false),
            (b'M', 2) => (Part::Month, 2, false),
            (b'd', 2) => (Part::Day, 2, false),
            (b'D', 3) => (Part::DayOfYear, 3, false),
            (b'H', 2) => (Part::Hour, 2, false),
            (b'm', 2) => (Part::Minute, 2, false),
            (b's', 2) => (Part::Second, 2, false),
            (b'S', 3 | 6 | 9) => (Part::Fraction(run as u8), run, false),
            (b'\'' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9', _) => return Some(Err(NoPart)),
            (b' '..=b'~', _) => (Part::Literal(first), 1, false),
            _ => return Some(Err(NoPart)),
        };
        Some(Ok((part, Place { at: at + taken, is_quoted })))
    }

    fn parts(&self) -> impl Iterator<Item = Part> + use<'_> {
        let mut place = Place::START;
        std::iter::from_fn(move || {
            let (part, after) = self.part(place)?.ok()?;
            place = after;
            Some(part)
        })
    }

    /// The number of bytes of a text of this pattern.
    pub const fn width(&self) -> usize {
        let (mut place, mut width) = (Place::START, 0);
        while let Some(Ok((part, after))) = self.part(place) {
            width += part.digits();
            place = after;
        }
        width
    }

    /// Returns whether texts sort as their instants do: the parts go from the year on.
    pub const fn is_ordered(&self) -> bool {
        let (mut place, mut last) = (Place::START, 0);
        while let Some(Ok((part, after))) = self.part(place) {
            if let Some(rank) = part.rank() {
                if rank < last {
                    return false;
                }
                last = rank;
            }
            place = after;
        }
        true
    }

    /// The number of seconds that the times of a text are multiples of: a day or less, or 0 with a fraction.
    fn seconds_at_least(parts: &[Part]) -> u64 {
        match parts.iter().filter_map(|part| part.rank()).max() {
            Some(6) => 0,
            Some(5) => 1,
            Some(4) => 60,
            Some(3) => 3600,
            _ => 86_400,
        }
    }

    /// The text of an instant; `None` if it is not exactly one of the pattern's.
    pub(super) fn text(&self, seconds: i64, nanos: u32) -> Option<String> {
        let parts: Vec<Part> = self.parts().collect();
        let days = seconds.div_euclid(86_400);
        let of_day = seconds.rem_euclid(86_400) as u64;
        let (year, month, day) = date_of(days)?;
        let unit = Self::seconds_at_least(&parts);
        let has = |wanted: Part| parts.contains(&wanted);
        let whole_day = has(Part::Day) || has(Part::DayOfYear) || day == 1;
        let whole_month = has(Part::Month) || has(Part::DayOfYear) || month == 1;
        if (unit > 0 && (nanos != 0 || !of_day.is_multiple_of(unit))) || !whole_day || !whole_month {
            return None;
        }
        let mut text = String::with_capacity(self.width());
        for part in parts {
            let number = match part {
                Part::Year => u64::from(year),
                Part::Month => u64::from(month),
                Part::Day => u64::from(day),
                Part::DayOfYear => u64::try_from(days - days_to(year, 1, 1) + 1).ok()?,
                Part::Hour => of_day / 3600,
                Part::Minute => of_day / 60 % 60,
                Part::Second => of_day % 60,
                Part::Fraction(digits) => {
                    let unit = 10_u32.pow(9 - u32::from(digits));
                    if !nanos.is_multiple_of(unit) {
                        return None;
                    }
                    u64::from(nanos / unit)
                }
                Part::Literal(byte) => {
                    text.push(char::from(byte));
                    continue;
                }
            };
            text += &format!("{number:0width$}", width = part.digits());
        }
        Some(text)
    }

    /// The last instant up to this one that a text can say: seconds since 1970 and nanoseconds. `None` outside the years
    /// 0000 to 9999.
    ///
    /// ```
    /// use rowkey::foreign::Pattern;
    ///
    /// assert_eq!(Pattern::new("yyyyMMddHH")?.floor(7_300, 5), Some((7_200, 0)));
    /// # Ok::<(), &'static str>(())
    /// ```
    pub fn floor(&self, seconds: i64, nanos: u32) -> Option<(i64, u32)> {
        let (parts, nanos): (Vec<Part>, _) = (self.parts().collect(), nanos.min(NANOS_PER_SECOND - 1));
        let days = seconds.div_euclid(86_400);
        let (year, month, day) = date_of(days)?;
        let has = |wanted: Part| parts.contains(&wanted);
        let whole_day = match (has(Part::Day) || has(Part::DayOfYear), has(Part::Month)) {
            (true, _) => days_to(year, month, day),
            (false, true) => days_to(year, month, 1),
            (false, false) => days_to(year, 1, 1),
        };
        let fraction = parts.iter().find_map(|part| match part {
            Part::Fraction(digits) => Some(10_u32.pow(9 - u32::from(*digits))),
            _ => None,
        });
        let of_day = seconds.rem_euclid(86_400);
        match (fraction, Self::seconds_at_least(&parts)) {
            (Some(unit), _) => Some((seconds, nanos - nanos % unit)),
            (None, 0 | 86_400..) => Some((whole_day * 86_400, 0)),
            (None, unit) => Some((whole_day * 86_400 + of_day - of_day % unit as i64, 0)),
        }
    }

    /// The instant of a text: seconds since 1970 and nanoseconds. `None` if the text is not of the pattern.
    pub(super) fn instant(&self, text: &[u8]) -> Option<(i64, u32)> {
        let (mut year, mut month, mut day, mut day_of_year) = (0, 1, 1, None);
        let (mut seconds, mut nanos) = (0_i64, 0);
        let mut rest = text;
        for part in self.parts() {
            let (digits, after) = rest.split_at_checked(part.digits())?;
            rest = after;
            if let Part::Literal(byte) = part {
                if digits != [byte] {
                    return None;
                }
                continue;
            }
            let number = digits.iter().try_fold(0_u32, |number, digit| {
                digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
            })?;
            let below = |most: u32| (number < most).then_some(i64::from(number));
            match part {
                Part::Year => year = number,
                Part::Month => month = (1..=12).contains(&number).then_some(number)?,
                Part::Day => day = number,
                Part::DayOfYear => day_of_year = Some(number),
                Part::Hour => seconds += below(24)? * 3600,
                Part::Minute => seconds += below(60)? * 60,
                Part::Second => seconds += below(60)?,
                Part::Fraction(digits) => nanos = number * 10_u32.pow(9 - u32::from(digits)),
                Part::Literal(_) => {}
            }
        }
        let days = match day_of_year {
            Some(day) => days_to(year, 1, 1) + i64::from(day) - 1,
            None => days_to(year, month, day),
        };
        // A day that the month or the year does not have is in another one.
        let back = date_of(days)?;
        let is_right = match day_of_year {
            Some(day) => back.0 == year && day > 0,
            None => back == (year, month, day),
        };
        (rest.is_empty() && is_right && nanos < NANOS_PER_SECOND).then(|| (days * 86_400 + seconds, nanos))
    }
}

/// The days from 1970-01-01 to a day of the Gregorian calendar, by the method of Howard Hinnant's `days_from_civil`.
fn days_to(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (i64::from(month) + 9) % 12;
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a day since 1970, from the year 0 to 9999, by Howard Hinnant's `civil_from_days`.
fn date_of(days: i64) -> Option<(u32, u32, u32)> {
    let days = days.checked_add(719_468)?;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = u32::try_from(year_of_era + era * 400 + i64::from(month <= 2)).ok().filter(|year| *year <= 9999)?;
    Some((year, u32::try_from(month).ok()?, u32::try_from(day).ok()?))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).unwrap()
    }

    #[test]
    fn texts_are_the_instants_that_they_say() {
        for (of, text, seconds, nanos) in [
            ("yyyyMMdd", "20210228", 1_614_470_400, 0),
            ("yyyy-MM-dd", "1970-01-01", 0, 0),
            ("yyyyMMddHHmmss", "20011009014640", 1_002_592_000, 0),
            ("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", "2009-02-13T23:31:30.123Z", 1_234_567_890, 123_000_000),
            ("yyyyDDD", "2020366", 1_609_372_800, 0),
            ("ddMMyyyy", "31121969", -86_400, 0),
            ("yyyyMM", "196912", -2_678_400, 0),
            ("yyyy", "0000", -62_167_219_200, 0),
            ("yyyy", "9999", 253_370_764_800, 0),
        ] {
            assert_eq!(pattern(of).instant(text.as_bytes()), Some((seconds, nanos)), "{of} {text}");
            assert_eq!(pattern(of).text(seconds, nanos).as_deref(), Some(text), "{of} {text}");
            assert_eq!(pattern(of).width(), text.len(), "{of}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for (of, text) in [
            ("yyyyMMdd", "20210229"),
            ("yyyyMMdd", "20210001"),
            ("yyyyMMdd", "20211301"),
            ("yyyyMMdd", "2021010"),
            ("yyyyMMdd", "202101010"),
            ("yyyyMMdd", "2021010a"),
            ("yyyyMMddHH", "2021010124"),
            ("yyyy-MM-dd", "2021/01/01"),
            ("yyyyDDD", "2021366"),
            ("yyyyDDD", "2021000"),
        ] {
            assert_eq!(pattern(of).instant(text.as_bytes()), None, "{of} {text}");
        }
        for (of, seconds, nanos) in [
            ("yyyyMMdd", 1, 0),
            ("yyyyMMdd", 0, 1),
            ("yyyyMM", 86_400, 0),
            ("yyyy", 31 * 86_400, 0),
            ("yyyyMMddHHmmssSSS", 0, 1),
            ("yyyy", 253_402_300_800, 0),
            ("yyyy", i64::MAX, 0),
            ("yyyy", i64::MIN, 0),
        ] {
            assert_eq!(pattern(of).text(seconds, nanos), None, "{of} {seconds} {nanos}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "",
            "MMdd",
            "yyyydd",
            "yyyyHH",
            "yyyyMMdd HHss",
            "yy",
            "yyyyy",
            "yyyyMMM",
            "yyyyMMMM",
            "'yyyy",
            "yyyy''",
            "yyyyT",
            "yyyy1",
            "yyyyMMDDD",
            "yyyyMMddyyyy",
            "yyyyé",
            "yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSS'ZZZZZ'",
        ] {
            assert!(Pattern::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_order_is_worked_out() {
        assert!(pattern("yyyy/MM/dd HH").is_ordered() && pattern("yyyyDDD").is_ordered());
        assert!(!pattern("ddMMyyyy").is_ordered() && !pattern("MMyyyydd").is_ordered());
    }

    proptest! {
        #[test]
        fn every_second_has_one_text(seconds in -62_167_219_200_i64..253_402_300_800, nanos in 0..1_000_000_000_u32) {
            let of = pattern("yyyyMMddHHmmssSSSSSSSSS");
            let text = of.text(seconds, nanos).unwrap();
            prop_assert_eq!(of.instant(text.as_bytes()), Some((seconds, nanos)));
            let later = of.text(seconds + 1, nanos);
            prop_assert!(later.is_none_or(|later| later > text));
        }
    }
}
