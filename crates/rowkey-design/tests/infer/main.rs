//! Layouts that are inferred from keys.

mod drawn;
mod foreign;
mod hostile;
mod judge;
mod named;
mod rates;
mod written;
