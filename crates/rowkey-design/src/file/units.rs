//! Numbers with units, as a design file writes them: `"50k/s"`, `"400 B"`, `"13 months"`, `2_000` or `"2M"`.

use std::fmt;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::bounds::Bounds;
use super::node::{FromToml, Node, Reading};
use super::number::{json_number, number};

/// A number of bytes. `kB`, `MB`, `GB`, `TB` are powers of 1000; `KiB`, `MiB`, `GiB`, `TiB` of 1024.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Bytes(pub f64);

/// A rate, per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

/// A number of bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct ByteRate(pub f64);

/// A length of time. A month is 30 days, a year 365.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(pub Duration);

/// A number of things.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Count(pub f64);

/// A unit: its names, what one is, and how many digits a number of it has before and after the point. Both are bounded,
/// so that no number vanishes, or overflows where it is multiplied.
struct Unit {
    names: &'static [&'static str],
    factor: f64,
    digits: usize,
    decimals: usize,
}

const fn unit(names: &'static [&'static str], factor: f64, digits: usize, decimals: usize) -> Unit {
    Unit { names, factor, digits, decimals }
}

const BYTES: &[Unit] = &[
    unit(&["B"], 1.0, 15, 0),
    unit(&["kB", "KB"], 1e3, 12, 3),
    unit(&["MB"], 1e6, 12, 3),
    unit(&["GB"], 1e9, 12, 3),
    unit(&["TB"], 1e12, 12, 3),
    unit(&["PB"], 1e15, 12, 3),
    unit(&["KiB"], 1024.0, 12, 3),
    unit(&["MiB"], 1_048_576.0, 12, 3),
    unit(&["GiB"], 1_073_741_824.0, 12, 3),
    unit(&["TiB"], 1_099_511_627_776.0, 12, 3),
];

/// Each up to some 30,000 years.
const SECONDS: &[Unit] = &[
    unit(&["ms"], 0.001, 15, 6),
    unit(&["s", "second", "seconds"], 1.0, 12, 6),
    unit(&["min", "mins", "minute", "minutes"], 60.0, 10, 6),
    unit(&["h", "hour", "hours"], 3600.0, 8, 6),
    unit(&["d", "day", "days"], 86_400.0, 7, 6),
    unit(&["week", "weeks"], 604_800.0, 6, 6),
    unit(&["month", "months"], 2_592_000.0, 5, 6),
    unit(&["year", "years"], 31_536_000.0, 4, 6),
];

const COUNTS: &[Unit] = &[
    unit(&[""], 1.0, 15, 3),
    unit(&["k"], 1e3, 12, 3),
    unit(&["M"], 1e6, 12, 3),
    unit(&["G"], 1e9, 12, 3),
    unit(&["T"], 1e12, 12, 3),
];

const PER: &[(&str, f64)] = &[("s", 1.0), ("min", 60.0), ("h", 3600.0), ("day", 86_400.0)];

/// A number with a unit, as it is written.
struct Written<'t> {
    number: f64,
    /// The number without its point.
    mantissa: Option<u128>,
    digits: usize,
    decimals: usize,
    /// The text after it, without the space between.
    rest: &'t str,
}

/// The number at the start of a text, with `_` between digits.
fn written(text: &str) -> Option<Written<'_>> {
    let len = text.bytes().take_while(|byte| byte.is_ascii_digit() || b"._".contains(byte)).count();
    let (number, rest) = text.split_at(len);
    let (before, after) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| {
        let valid = part.split('_').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        valid.then(|| part.bytes().filter(u8::is_ascii_digit).count())
    };
    let (digits, decimals) = (digits(before)?, digits(after)?);
    let decimals = if number.contains('.') { decimals } else { 0 };
    let number = number.replace('_', "");
    let mantissa = number.replace('.', "").parse().ok();
    let number = number.parse().ok()?;
    Some(Written { number, mantissa, digits, decimals, rest: rest.strip_prefix(' ').unwrap_or(rest) })
}

impl Written<'_> {
    /// The number of ones: exact where it is whole, as 8.2 millions are.
    fn times(&self, factor: f64) -> f64 {
        let whole = || {
            let ones = self.mantissa?.checked_mul((factor.fract() == 0.0).then_some(factor as u128)?)?;
            let scale = 10_u128.checked_pow(self.decimals.try_into().ok()?)?;
            (ones % scale == 0).then_some((ones / scale) as f64)
        };
        whole().unwrap_or(self.number * factor)
    }
}

/// The number of a text in a unit of some, or what is wrong with it; none if it has not their form.
fn measured(text: &str, units: &[Unit], whole: bool) -> Result<f64, Option<String>> {
    let written = written(text).ok_or(None)?;
    let Written { digits, decimals, rest, .. } = written;
    let unit = units.iter().find(|unit| unit.names.contains(&rest)).ok_or(None)?;
    let most = if whole && unit.factor == 1.0 { 0 } else { unit.decimals };
    if digits > unit.digits {
        return Err(Some(format!("it has more than {} digits before the point", unit.digits)));
    }
    match most {
        _ if decimals <= most => Ok(written.times(unit.factor)),
        0 => Err(Some("it has to be a whole number".to_owned())),
        most => Err(Some(format!("it has more than {most} digits after the point"))),
    }
}

/// A pattern of JSON Schema for what [`measured`] takes.
fn pattern(units: &[Unit], whole: bool) -> String {
    let more = |most: usize| match most {
        0 | 1 => String::new(),
        most => format!("(_?[0-9]){{0,{}}}", most - 1),
    };
    let unit = |unit: &Unit| {
        let most = if whole && unit.factor == 1.0 { 0 } else { unit.decimals };
        let decimals = if most == 0 { String::new() } else { format!(r"(\.[0-9]{})?", more(most)) };
        format!("[0-9]{}{decimals} ?({})", more(unit.digits), unit.names.join("|"))
    };
    units.iter().map(unit).collect::<Vec<_>>().join("|")
}

/// The same, for numbers that are not 0 alone.
fn bounded(pattern: &str, positive: bool) -> String {
    let positive = if positive { "(?=[^1-9]*[1-9])" } else { "" };
    format!("^{positive}({pattern})$")
}

impl Bytes {
    /// Reads a text such as `"400 B"`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).ok()
    }

    fn read(text: &str) -> Result<Self, Option<String>> {
        measured(text, BYTES, false).map(Self)
    }

    fn pattern() -> String {
        pattern(BYTES, false)
    }
}

impl Period {
    /// Reads a text such as `"13 months"`; none is of no length.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).ok().filter(|period| !period.0.is_zero())
    }

    /// True if a text is a number with a unit of time, even if it is too long or of no length.
    pub(crate) fn is_meant(text: &str) -> bool {
        !matches!(Self::read(text), Err(None))
    }

    fn read(text: &str) -> Result<Self, Option<String>> {
        let seconds = measured(text, SECONDS, false)?;
        Duration::try_from_secs_f64(seconds).map(Self).map_err(|error| Some(error.to_string()))
    }

    pub(crate) fn pattern() -> String {
        pattern(SECONDS, false)
    }

    /// Its seconds.
    pub fn seconds(self) -> f64 {
        self.0.as_secs_f64()
    }

    /// The text that is read as the same length again.
    pub(crate) fn exact(self) -> String {
        match self.0.subsec_nanos() {
            0 => format!("{} s", self.0.as_secs()),
            nanos => format!("{}.{:06} ms", self.0.as_millis(), nanos % 1_000_000),
        }
    }
}

impl Rate {
    /// Reads a text such as `"50k/s"`; none is 0.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).ok().filter(|rate| rate.0 > 0.0)
    }

    fn read(text: &str) -> Result<Self, Option<String>> {
        per_second(text, COUNTS).map(Self)
    }

    fn pattern() -> String {
        pattern_per_second(COUNTS)
    }
}

impl ByteRate {
    fn read(text: &str) -> Result<Self, Option<String>> {
        per_second(text, BYTES).map(Self)
    }

    fn pattern() -> String {
        pattern_per_second(BYTES)
    }
}

/// The number a second of a text such as `50k/s`, or what is wrong with it; none if it has not this form.
fn per_second(text: &str, units: &[Unit]) -> Result<f64, Option<String>> {
    let (count, per) = text.split_once('/').ok_or(None)?;
    let (_, seconds) = PER.iter().find(|(name, _)| *name == per.trim_start()).ok_or(None)?;
    Ok(measured(count.trim_end(), units, false)? / seconds)
}

/// A pattern of JSON Schema for what [`per_second`] takes.
fn pattern_per_second(units: &[Unit]) -> String {
    let per: Vec<&str> = PER.iter().map(|(name, _)| *name).collect();
    format!(r"({})\s*/\s*({})", pattern(units, false), per.join("|"))
}

impl Count {
    /// Reads a text such as `"2M"`.
    pub fn parse(text: &str) -> Option<Self> {
        measured(text, COUNTS, false).map(Self).ok()
    }
}

macro_rules! units {
    ($($type:ident, $number:expr, $least:expr, $expected:literal, $example:literal, $first:literal;)*) => {$(
        impl FromToml for $type {
            fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
                Self::from_toml_in(Bounds::ANY, node, reading)
            }

            fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
                let help = concat!("write it as ", $example);
                let read = node.get_ref().as_str().ok_or(None).and_then(Self::read).and_then(|read| {
                    let number: fn(&Self) -> f64 = $number;
                    let zero = $least.max(bounds.least) > 0.0 && number(&read) == 0.0;
                    if zero { Err(Some("it has to be more than 0".to_owned())) } else { Ok(read) }
                });
                let why = match read {
                    Ok(read) => return Some(read),
                    Err(why) => why.map_or(String::new(), |why| format!(": {why}")),
                };
                let found = super::node::described(node.get_ref());
                let message = if why.is_empty() { format!("{found} is not {}", $expected) } else { format!("{found}{why}") };
                reading.problem(node, message, help);
                None
            }

            fn schema() -> Json {
                Self::schema_in(Bounds::ANY)
            }

            fn schema_in(bounds: Bounds) -> Json {
                let pattern = bounded(&Self::pattern(), $least.max(bounds.least) > 0.0);
                json!({"type": "string", "pattern": pattern, "examples": [$first]})
            }
        }
    )*};
}
units! {
    Bytes, |bytes| bytes.0, 0.0_f64, "a size: a number with a unit of bytes", "\"400 B\" or \"10 GB\"", "400 B";
    Rate, |rate| rate.0, 1.0_f64, "a rate: a number of times a second, minute, hour or day", "\"50k/s\" or \"200/day\"", "50k/s";
    ByteRate, |rate| rate.0, 1.0_f64, "a rate of bytes: a size a second, minute, hour or day", "\"50 MB/s\"", "50 MB/s";
    Period, |period| period.seconds(), 1.0_f64, "a length of time: a number with a unit of time", "\"20 ms\" or \"13 months\"", "13 months";
}

impl FromToml for Count {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        Self::from_toml_in(Bounds::ANY, node, reading)
    }

    fn from_toml_in(bounds: Bounds, node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let read = match node.get_ref().as_str() {
            Some(text) => measured(text, COUNTS, bounds.whole),
            None => number(node.get_ref()).ok_or(None),
        };
        let read = read.and_then(|count| {
            let said = || Some(format!("it has to be {}", bounds.described()));
            if bounds.has(count) { Ok(Self(count)) } else { Err(said()) }
        });
        let why = match read {
            Ok(read) => return Some(read),
            Err(why) => why,
        };
        let found = super::node::described(node.get_ref());
        let message = why.map_or_else(|| format!("{found} is not a count"), |why| format!("{found}: {why}"));
        reading.problem(node, message, "write it as 2_000 or \"2M\"");
        None
    }

    fn schema() -> Json {
        Self::schema_in(Bounds::ANY)
    }

    fn schema_in(bounds: Bounds) -> Json {
        let pattern = bounded(&pattern(COUNTS, bounds.whole), bounds.least > 0.0);
        let types = if bounds.whole { json!(["integer", "string"]) } else { json!(["integer", "number", "string"]) };
        json!({
            "type": types,
            "minimum": json_number(bounds.least),
            "maximum": json_number(bounds.most),
            "pattern": pattern,
            "examples": [2_000, "2M"],
        })
    }
}

/// The factors of a [`Count`], for people.
const MULTIPLES: &[(&str, f64)] = &[("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];

/// With three significant digits at most, and the largest unit that leaves a number of at least one.
fn short(f: &mut fmt::Formatter<'_>, number: f64, units: &[(&str, f64)], space: &str) -> fmt::Result {
    /// A number that rounds to a thousand of a unit is one of the next.
    const ROUNDED: f64 = 0.9995;
    let (unit, factor) = units.iter().rev().find(|(_, factor)| number >= ROUNDED * factor).unwrap_or(&units[0]);
    let scaled = number / factor;
    let decimals = if scaled >= 100.0 || scaled.fract() == 0.0 {
        0
    } else if scaled >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{scaled:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    // Only whole words have a plural.
    let unit = if text == "1" && unit.len() > 2 { unit.trim_end_matches('s') } else { unit };
    write!(f, "{text}{space}{unit}")
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        short(f, self.0, &[("B", 1.0), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("PB", 1e15)], " ")
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        short(f, self.0, MULTIPLES, "")
    }
}

impl Count {
    /// The number of these things.
    ///
    /// ```
    /// use rowkey_design::internal::file::Count;
    ///
    /// assert_eq!([1.0, 2e6].map(|count| Count(count).of("query")), ["1 query", "2M queries"]);
    /// assert_eq!(Count(900.0).of("key"), "900 keys");
    /// assert_eq!([999_400.0, 999_600.0].map(|count| Count(count).to_string()), ["999k", "1M"]);
    /// ```
    pub fn of(self, what: &str) -> String {
        format!("{self} {}", plural(self.0 == 1.0, what))
    }
}

/// A number of whole things, such as rows or bytes. It is a mean: of fewer than one, some are there now and then.
pub(crate) fn whole<T: fmt::Display>(number: f64, of: impl Fn(f64) -> T) -> String {
    if 0.0 < number && number < 1.0 { format!("<{}", of(1.0)) } else { of(number.round()).to_string() }
}

/// The word for one thing, or for several.
pub(crate) fn plural(is_one: bool, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if is_one => what.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ => format!("{what}s"),
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Count(self.0))
    }
}

impl fmt::Display for ByteRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Bytes(self.0))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: &[(&str, f64)] =
            &[("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86_400.0), ("years", 31_536_000.0)];
        short(f, self.seconds(), UNITS, " ")
    }
}
