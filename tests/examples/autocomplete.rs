//! See examples/autocomplete.rs.
