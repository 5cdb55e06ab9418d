//! Recordings of a real HBase: that they are whole, how far they are from each other, and the rule by which it splits.

mod distances;
mod goldens;
mod reader;
mod rule;
mod schema;
mod simulated;
