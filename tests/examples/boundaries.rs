//! See examples/boundaries.rs.
