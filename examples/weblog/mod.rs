//! What the examples on web logs share: reading the logs.

pub(crate) mod combined;
pub(crate) mod input;
