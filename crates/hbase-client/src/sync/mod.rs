//! What tasks share.

mod locked;
mod single_flight;

pub(crate) use self::locked::Locked;
pub(crate) use self::single_flight::SingleFlight;
