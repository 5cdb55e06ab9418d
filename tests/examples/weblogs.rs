//! See examples/weblogs.rs.
