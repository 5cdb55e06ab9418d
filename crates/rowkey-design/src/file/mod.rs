//! The design file, as TOML.

pub(crate) mod node;
mod units;

pub use self::node::Named;
pub use self::units::{Bytes, Count, Period, Rate};
