//! Values of a design that are neither records nor words: fields, split points, sizes, widths, days.

use serde_json::{Value as Json, json};
use toml_datetime::Datetime;

use rowkey::untyped::words::TYPES;
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::hints::type_of_others;
use super::{ColumnsOfRow, SizeSpread};
use crate::file::node::{FromToml, Node, Reading, nearest, record};
use crate::file::{Bounds, Bytes, Count, Period};
use crate::problem::Located;

/// A field of a key: `name: shape`.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyField {
    /// The name.
    pub name: String,
    /// The field; `None` if its shape is not valid, which is noted.
    pub field: Option<FieldBuf>,
}

impl FromToml for KeyField {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        const HELP: &str = "write it as \"name: shape\", for example \"at: i64 desc\"";
        let text = String::from_toml(node, reading)?;
        let Some((name, shape)) = text.split_once(':') else {
            reading.problem(node, format!("{text:?} is not a field"), HELP);
            return Some(Self { name: text, field: None });
        };
        let (name, shape) = (name.trim().to_owned(), shape.trim());
        if name.is_empty() || name.contains(char::is_whitespace) {
            reading.problem(node, format!("{name:?} is not the name of a field"), HELP);
            return None;
        }
        let field = match FieldBuf::new(name.clone(), shape) {
            Ok(FieldBuf { ty: TypeBuf::Custom(custom), .. }) => {
                let help = type_of_others(&custom.shape)
                    .map_or_else(|| nearest(&custom.shape, TYPES), |ty| format!("did you mean `{ty}`?"));
                reading.problem(node, format!("`{}` is not a type of the format", custom.shape), help);
                None
            }
            Ok(field) => Some(field),
            Err(error) => {
                let lower = shape.to_lowercase();
                let is_meant = lower != shape && FieldBuf::new(name.clone(), &lower).is_ok();
                let word = lower.split(|c: char| !c.is_alphanumeric()).next().and_then(type_of_others);
                let meant = if is_meant { Some(&*lower) } else { word };
                let help = meant.map_or_else(|| HELP.to_owned(), |meant| format!("did you mean `{meant}`?"));
                reading.problem(node, format!("{shape:?} is not a shape: {error}"), help);
                None
            }
        };
        Some(Self { name, field })
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^\\s*[^\\s:]+\\s*:.*\\S.*$"})
    }
}

/// The split points of a new table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Splits {
    /// Between the salt buckets.
    Buckets,
    /// This many regions with equal parts of all keys.
    Uniform(u32),
    /// This many regions with equal parts of all hex digits.
    Hex(u32),
    /// This many regions with equal parts of all decimal digits.
    Decimal(u32),
    /// This many regions with equal parts of a sample.
    Sample {
        /// The file, a path from the design file.
        path: String,
        /// Their number.
        regions: u32,
    },
    /// At these keys, in hex.
    Keys(Vec<Located<String>>),
}

record! {
    /// Splits by a rule, as the file has them.
    pub struct SplitsTable {
        /// Equal parts of all keys.
        uniform: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of all hex digits.
        hex: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of all decimal digits.
        decimal: Option<u32> where Bounds::FROM_ONE,
        /// Equal parts of the keys in a file, or of the bytes of rows where it has sizes.
        sample: Option<String>,
        /// The number of regions that a sample is divided into.
        regions: Option<u32> where Bounds::FROM_ONE,
        /// These keys, in hex.
        keys: Option<Vec<Located<String>>>,
    }
}

impl FromToml for Splits {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        const HELP: &str = "write \"buckets\", { uniform = 16 }, { hex = 16 }, { decimal = 10 }, { sample = \"keys.tsv\", regions = 40 } or { keys = [\"0a\"] }";
        if node.get_ref().is_str() {
            if node.get_ref().as_str() == Some("buckets") {
                return Some(Self::Buckets);
            }
        } else if node.get_ref().is_table() {
            let before = reading.problems.len();
            let table = SplitsTable::from_toml(node, reading)?;
            match table {
                // What is wrong is said where it is.
                _ if reading.problems.len() > before => return None,
                SplitsTable { uniform: Some(n), hex: None, decimal: None, sample: None, regions: None, keys: None } => {
                    return Some(Self::Uniform(n));
                }
                SplitsTable { uniform: None, hex: Some(n), decimal: None, sample: None, regions: None, keys: None } => {
                    return Some(Self::Hex(n));
                }
                SplitsTable { uniform: None, hex: None, decimal: Some(n), sample: None, regions: None, keys: None } => {
                    return Some(Self::Decimal(n));
                }
                SplitsTable {
                    uniform: None,
                    hex: None,
                    decimal: None,
                    sample: Some(path),
                    regions: Some(regions),
                    keys: None,
                } => return Some(Self::Sample { path, regions }),
                SplitsTable {
                    uniform: None,
                    hex: None,
                    decimal: None,
                    sample: None,
                    regions: None,
                    keys: Some(keys),
                } => return Some(Self::Keys(keys)),
                _ => {}
            }
        }
        reading.problem(node, "these are not split points", HELP);
        None
    }

    fn schema() -> Json {
        json!({"anyOf": [{"const": "buckets"}, SplitsTable::schema()]})
    }
}

/// The columns of a family.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// These.
    Names(Vec<Located<String>>),
    /// Columns whose names are data.
    OfRow(ColumnsOfRow),
}

impl FromToml for Columns {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            ColumnsOfRow::from_toml(node, reading).map(Self::OfRow)
        } else {
            FromToml::from_toml(node, reading).map(Self::Names)
        }
    }

    fn schema() -> Json {
        json!({"anyOf": [<Vec<Located<String>>>::schema(), ColumnsOfRow::schema()]})
    }
}

/// The size of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// About this.
    About(Bytes),
    /// It varies.
    Spread(SizeSpread),
}

impl FromToml for Size {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().is_table() {
            SizeSpread::from_toml(node, reading).map(Self::Spread)
        } else {
            Bytes::from_toml(node, reading).map(Self::About)
        }
    }

    fn schema() -> Json {
        json!({"anyOf": [Bytes::schema(), SizeSpread::schema()]})
    }
}

/// The width of a range of a field: a length of time, or a number of its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// A length of time.
    Time(Period),
    /// A number of values.
    Values(Count),
}

impl FromToml for Width {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        if node.get_ref().as_str().is_some_and(Period::is_meant) {
            return Period::from_toml(node, reading).map(Self::Time);
        }
        if let Some(text) = node.get_ref().as_str().filter(|text| Count::parse(text).is_none()) {
            let help = "write it as \"1 hour\", 2_000 or \"2M\"";
            reading.problem(node, format!("{text:?} is neither a length of time nor a count"), help);
            return None;
        }
        Count::from_toml_in(Bounds::MANY, node, reading).map(Self::Values)
    }

    fn schema() -> Json {
        json!({"anyOf": [Period::schema(), Count::schema_in(Bounds::MANY)]})
    }
}

/// The skew of a field's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skew {
    /// All as often as each other.
    Uniform,
    /// The k-th most frequent in proportion to `1 / k^s`.
    Zipf(f64),
    /// One has this share, and the others as much as each other.
    One(f64),
}

impl FromToml for Skew {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = String::from_toml(node, reading)?;
        let number = |word: &str, most: f64| {
            let number = text.strip_prefix(word)?.strip_prefix(' ')?;
            let digits = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let whole = number.starts_with(|c: char| c.is_ascii_digit()) && !number.ends_with('.');
            number.parse().ok().filter(|number: &f64| digits && whole && (0.0..=most).contains(number))
        };
        let skew = match text.as_str() {
            "uniform" => Some(Self::Uniform),
            "one value" => Some(Self::One(1.0)),
            _ => number("zipf", 10.0).map(Self::Zipf).or_else(|| number("one value", 1.0).map(Self::One)),
        };
        if skew.is_none() {
            let help = "write \"uniform\", \"zipf 0.9\", or \"one value 0.3\" where one value has 30 %";
            reading.problem(node, format!("{text:?} is not a distribution"), help);
        }
        skew
    }

    fn schema() -> Json {
        let pattern = "^(uniform|zipf 0*([0-9](\\.[0-9]+)?|10(\\.0+)?)|one value( 0+(\\.[0-9]+)?| 0*1(\\.0+)?)?)$";
        json!({"type": "string", "pattern": pattern})
    }
}

/// The order of the keys that something writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteOrder {
    /// As time goes on: the fields that grow do.
    Time,
    /// Any.
    Random,
    /// Any value of this field, and within it as time goes on.
    RandomIn(String),
    /// That of the key, as a load of sorted rows.
    Key,
    /// Always the same row.
    OneRow,
}

impl FromToml for WriteOrder {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = String::from_toml(node, reading)?;
        match text.as_str() {
            "time" => Some(Self::Time),
            "random" => Some(Self::Random),
            "key" => Some(Self::Key),
            "one row" => Some(Self::OneRow),
            other => {
                let field = other.strip_prefix("random in ").filter(|field| !field.is_empty());
                if field.is_none() {
                    let help = "write \"time\", \"random\", \"random in FIELD\", \"key\" or \"one row\"";
                    reading.problem(node, format!("{other:?} is not an order of writes"), help);
                }
                field.map(|field| Self::RandomIn(field.to_owned()))
            }
        }
    }

    fn schema() -> Json {
        json!({"type": "string", "pattern": "^(time|random|random in .+|key|one row)$"})
    }
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A text that is not a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write it as 2026-01-31")]
pub struct NotADay;

impl Date {
    const fn of(moment: &Datetime) -> Option<Self> {
        match moment {
            Datetime { date: Some(date), time: None, .. } => {
                Some(Self { year: date.year, month: date.month, day: date.day })
            }
            _ => None,
        }
    }
}

/// A day as design files have it.
///
/// ```
/// use rowkey_design::Date;
///
/// assert_eq!("2026-01-31".parse(), Ok(Date { year: 2026, month: 1, day: 31 }));
/// assert!("2026-02-30".parse::<Date>().is_err() && "2026-01-31T12:00:00Z".parse::<Date>().is_err());
/// ```
impl std::str::FromStr for Date {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        text.parse().ok().as_ref().and_then(Self::of).ok_or(NotADay)
    }
}

impl FromToml for Date {
    fn from_toml(node: Node<'_, '_>, reading: &mut Reading<'_>) -> Option<Self> {
        let date = node.get_ref().as_datetime().and_then(Self::of);
        if date.is_none() {
            reading.problem(node, "this is not a day", "write it as 2027-06-30, without quotes");
        }
        date
    }

    fn schema() -> Json {
        json!({"type": "string", "format": "date"})
    }
}
