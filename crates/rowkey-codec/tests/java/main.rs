//! Generated Java against Rust: golden vectors, refusals, random layouts, ranges. Needs a JDK of Java 17 or later.

mod golden;
mod lines;
mod project;
mod random;
