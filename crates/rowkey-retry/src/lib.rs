#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod attempts;
mod backoff;
mod execution;
mod idempotency;
mod single_flight;

pub use self::attempts::{Attempts, Delay, cut_pause};
pub use self::backoff::Backoff;
pub use self::execution::{Execution, Failure};
pub use self::idempotency::Idempotency;
pub use self::single_flight::{SingleFlight, Work};
