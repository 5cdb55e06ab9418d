//! See examples/inbox.rs.
