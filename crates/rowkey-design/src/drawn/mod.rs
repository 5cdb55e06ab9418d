//! The rows of a design: which keys they have by its statistics. `check` judges by them where rows lie, and a simulation
//! writes and reads them: both have one idea of where the values of a field are.
//!
//! The same seed gives the same rows on any machine: see `rowkey_simulate::load`.

mod numbers;
mod ranks;
mod rows;
mod value;

pub use self::numbers::{Numbers, mix};
pub use self::ranks::Ranks;
pub use self::rows::{BEGIN, Row, Rows, skewed, spread};
pub(crate) use self::value::is_numbered;
