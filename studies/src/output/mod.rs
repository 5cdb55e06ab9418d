//! What a study prints: its key, its table, its queries and what they cost.

pub mod report;

mod exit;
mod list;
mod progress;

pub use exit::{exit, reasons};
pub use list::list;
pub use progress::progress;
