//! See examples/students.rs.
