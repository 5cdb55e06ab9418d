//! The cost of reading a range, in the unit in which it is said what a server takes.

use super::ROWS_PER_RANGE;
use crate::design::Engine;

/// The bytes of an item that one of DynamoDB's read units reads.
const UNIT: f64 = 4096.0;

/// The reads that a server has for a range of rows: it takes `region.reads` of them a second.
///
/// ```
/// use rowkey_design::internal::cost::ReadCost;
/// use rowkey_design::internal::design::Engine;
///
/// let of = ReadCost::of(Engine::HBase, 1000.0);
/// assert_eq!((of.of_range(1.0), of.of_range(51.0)), (1.0, 1.5));
/// // DynamoDB counts the bytes of whole items.
/// assert_eq!(ReadCost::of(Engine::DynamoDb, 1000.0).of_range(51.0), 13.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadCost {
    /// The start of a range is a read, as of a row by its key; each row after the first is a hundredth of one.
    Rows,
    /// DynamoDB's read units, where a row has so many bytes.
    Units(f64),
}

impl ReadCost {
    /// That of an engine, whose rows have so many bytes, all columns together.
    pub fn of(engine: Engine, row_bytes: f64) -> Self {
        if engine == Engine::DynamoDb { Self::Units(row_bytes) } else { Self::Rows }
    }

    /// The reads of a range with so many rows; of one without any too: somebody has to look.
    pub fn of_range(self, rows: f64) -> f64 {
        match self {
            Self::Rows => 1.0 + (rows - 1.0).max(0.0) / ROWS_PER_RANGE,
            Self::Units(bytes) => (rows * bytes / UNIT).ceil().max(1.0),
        }
    }

    /// The unit, in words.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Rows => "a row by its key, or the start of a range; each row after the first is a hundredth of one",
            Self::Units(_) => "a read unit: up to 4 KB of a range",
        }
    }

    /// The word for one.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rows => "read",
            Self::Units(_) => "read unit",
        }
    }
}
