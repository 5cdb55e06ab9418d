//! See examples/access_log.rs.
