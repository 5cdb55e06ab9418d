//! See examples/actions.rs.
