//! The output of a study: its key, its table, its queries and their cost.

pub mod report;

mod exit;
mod list;
mod progress;

pub use exit::{exit, reasons};
pub use list::list;
pub use progress::progress;
