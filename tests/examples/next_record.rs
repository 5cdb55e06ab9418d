//! See examples/next_record.rs.
