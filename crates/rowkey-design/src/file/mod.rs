//! The design file, as TOML.

mod bounds;
pub(crate) mod node;
mod number;
mod units;

pub(crate) use self::bounds::Bounds;
pub use self::node::Named;
pub use self::units::{ByteRate, Bytes, Count, Period, Rate};
pub(crate) use self::units::{plural, whole};
