//! Layouts that are inferred from keys.

mod drawn;
mod judge;
mod rates;
mod written;
