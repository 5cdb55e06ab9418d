//! See examples/metrics.rs.
