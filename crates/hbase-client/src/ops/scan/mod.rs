//! Scans: many rows in the order of their keys, region after region.

mod assembly;
mod counts;
mod position;
mod reader;
mod scanner;

pub use self::counts::ScanCounts;
pub use self::scanner::Scanner;
