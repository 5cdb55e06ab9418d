//! Operations, which make attempts until one succeeds or their time is over.

pub(crate) mod admin;
mod backoff;
pub(crate) mod batch;
pub(crate) mod buffered;
pub(crate) mod executor;
pub(crate) mod regions;
pub(crate) mod scan;
