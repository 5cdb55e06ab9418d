//! See examples/locations.rs.
