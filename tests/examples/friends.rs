//! See examples/friends.rs.
