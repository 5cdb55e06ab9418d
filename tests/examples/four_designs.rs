//! See examples/four_designs.rs.
