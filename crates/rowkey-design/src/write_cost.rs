//! The cost of writing a row, in the unit in which it is said what a server takes.

use crate::design::Engine;
use crate::file::{Count, Rate};

/// The bytes of an item that one of DynamoDB's write units writes.
const UNIT: f64 = 1024.0;

/// The writes that a server has for a row that is put: it takes `region.writes` of them a second.
///
/// ```
/// use rowkey_design::internal::cost::WriteCost;
/// use rowkey_design::internal::design::Engine;
///
/// assert_eq!(WriteCost::of(Engine::HBase).of_row(10_000.0), 1.0);
/// // DynamoDB counts the bytes of whole items.
/// assert_eq!(WriteCost::of(Engine::DynamoDb).of_row(10_000.0), 10.0);
/// assert_eq!(WriteCost::of(Engine::DynamoDb).of_row(0.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteCost {
    /// A row is a write, however large it is.
    Rows,
    /// DynamoDB's write units.
    Units,
}

impl WriteCost {
    /// That of an engine.
    pub fn of(engine: Engine) -> Self {
        if engine == Engine::DynamoDb { Self::Units } else { Self::Rows }
    }

    /// The writes of a row with so many bytes.
    pub fn of_row(self, bytes: f64) -> f64 {
        match self {
            Self::Rows => 1.0,
            Self::Units => (bytes / UNIT).ceil().max(1.0),
        }
    }

    /// The unit, in words.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rows => "a row",
            Self::Units => "a write unit: up to 1 KB of an item",
        }
    }

    /// Writes a second, in words.
    pub fn rate(self, rate: f64) -> String {
        match self {
            Self::Rows => Rate(rate).to_string(),
            Self::Units => format!("{} {}s/s", Count(rate.round()), self.word()),
        }
    }

    /// The word for one.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rows => "write",
            Self::Units => "write unit",
        }
    }
}
