//! Operations, which make attempts until one succeeds or their time is over.

pub(crate) mod admin;
pub(crate) mod batch;
pub(crate) mod buffered;
pub(crate) mod executor;
pub(crate) mod regions;
pub(crate) mod request;
pub(crate) mod retry;
pub(crate) mod rows;
pub(crate) mod scan;
