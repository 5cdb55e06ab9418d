//! Layouts that are inferred from keys.

mod drawn;
mod hostile;
mod judge;
mod named;
mod rates;
mod written;
