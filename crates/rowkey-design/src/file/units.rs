//! Numbers with units, as a design file writes them: `"50k/s"`, `"400 B"`, `"13 months"`, `2_000` or `"2M"`.

use std::fmt;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::node::{FromToml, Node, Reading, number};

/// A number of bytes. `kB`, `MB`, `GB`, `TB` are powers of 1000; `KiB`, `MiB`, `GiB`, `TiB` of 1024.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Bytes(pub f64);

/// How often something happens, per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

/// A length of time. A month is 30 days, a year 365.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(pub Duration);

/// A number of things.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Count(pub f64);

const BYTES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

const SECONDS: &[(&str, f64)] = &[
    ("ms", 0.001),
    ("s", 1.0),
    ("second", 1.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("h", 3600.0),
    ("hour", 3600.0),
    ("d", 86_400.0),
    ("day", 86_400.0),
    ("week", 604_800.0),
    ("month", 2_592_000.0),
    ("year", 31_536_000.0),
];

const MULTIPLES: &[(&str, f64)] = &[("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];

const PER: &[(&str, f64)] = &[("s", 1.0), ("min", 60.0), ("h", 3600.0), ("day", 86_400.0)];

/// The number at the start of a text, with `_` between digits, and the rest without the space between.
fn split(text: &str) -> Option<(f64, &str)> {
    let len = text.bytes().take_while(|byte| byte.is_ascii_digit() || b"._".contains(byte)).count();
    let (digits, rest) = text.split_at(len);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !digits.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number: f64 = digits.replace('_', "").parse().ok()?;
    // A thousand digits are no number that a unit could be multiplied with.
    (number < 1e30).then_some((number, rest.strip_prefix(' ').unwrap_or(rest)))
}

fn factor(unit: &str, units: &[(&str, f64)]) -> Option<f64> {
    units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
}

impl Bytes {
    /// Reads a text such as `"400 B"`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, unit) = split(text)?;
        Some(Self(number * factor(unit, BYTES)?))
    }
}

impl Period {
    /// Reads a text such as `"13 months"`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, unit) = split(text)?;
        let seconds = factor(unit, SECONDS).or_else(|| {
            // `s` is no plural of an empty unit.
            unit.strip_suffix('s').filter(|unit| unit.len() > 2).and_then(|unit| factor(unit, SECONDS))
        })?;
        Duration::try_from_secs_f64(number * seconds).ok().map(Self)
    }

    /// Its seconds.
    pub fn seconds(self) -> f64 {
        self.0.as_secs_f64()
    }
}

impl Rate {
    /// Reads a text such as `"50k/s"`.
    pub fn parse(text: &str) -> Option<Self> {
        let (count, per) = text.split_once('/')?;
        Some(Self(Count::parse(count.trim_end())?.0 / factor(per.trim_start(), PER)?))
    }
}

impl Count {
    /// Reads a text such as `"2M"`.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, multiple) = split(text)?;
        Some(Self(number * factor(multiple, MULTIPLES)?))
    }
}

/// A number of a text, as a pattern of JSON Schema.
const NUMBER: &str = r"[0-9]([0-9_]*(\.[0-9_]*)?[0-9])?";

macro_rules! units {
    ($($type:ident, $expected:literal, $example:literal, $first:literal, $unit:literal;)*) => {$(
        impl FromToml for $type {
            fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
                let read = node.get_ref().as_str().and_then(Self::parse);
                if read.is_none() {
                    let help = concat!("write it as ", $example);
                    reading.problem(node, format!("{} is not {}", super::node::described(node.get_ref()), $expected), help);
                }
                read
            }

            fn schema() -> Json {
                let pattern = format!("^{NUMBER} ?{}$", $unit);
                json!({"type": "string", "pattern": pattern, "examples": [$first]})
            }
        }
    )*};
}
units! {
    Bytes, "a size: a number with a unit of bytes", "\"400 B\" or \"10 GB\"", "400 B", r"(B|[kK]B|[MGTP]B|[KMGT]iB)";
    Rate, "a rate: a number of times a second, minute, hour or day", "\"50k/s\" or \"200/day\"", "50k/s", r"[kMGT]?\s*/\s*(s|min|h|day)";
    Period, "a length of time: a number with a unit of time", "\"20 ms\" or \"13 months\"", "13 months", r"(ms|s|h|d|(second|min|minute|hour|day|week|month|year)s?)";
}

impl FromToml for Count {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let read = match node.get_ref().as_str() {
            Some(text) => Self::parse(text),
            None => number(node.get_ref()).filter(|count| *count >= 0.0 && count.is_finite()).map(Self),
        };
        if read.is_none() {
            let found = super::node::described(node.get_ref());
            reading.problem(node, format!("{found} is not a count"), "write it as 2_000 or \"2M\"");
        }
        read
    }

    fn schema() -> Json {
        let pattern = format!("^{NUMBER} ?[kMGT]?$");
        json!({"type": ["integer", "number", "string"], "minimum": 0, "pattern": pattern, "examples": [2_000, "2M"]})
    }
}

/// With three significant digits at most, and the largest unit that leaves a number of at least one.
fn short(f: &mut fmt::Formatter<'_>, number: f64, units: &[(&str, f64)], space: &str) -> fmt::Result {
    let (unit, factor) = units.iter().rev().find(|(_, factor)| number >= *factor).unwrap_or(&units[0]);
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

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", Count(self.0))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: &[(&str, f64)] =
            &[("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86_400.0), ("years", 31_536_000.0)];
        short(f, self.seconds(), UNITS, " ")
    }
}
