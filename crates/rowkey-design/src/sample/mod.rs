//! Samples of keys: what a file of keys says of a table, in one pass and bounded memory.

mod direction;
mod field;
mod kept;
mod profiler;
mod spread;
mod value;

pub use self::profiler::Profiler;
