//! See examples/links.rs.
