//! One sorted stream of rows out of many.

mod prefetch;

pub use self::prefetch::Prefetch;
