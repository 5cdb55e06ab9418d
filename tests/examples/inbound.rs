//! See examples/inbound.rs.
