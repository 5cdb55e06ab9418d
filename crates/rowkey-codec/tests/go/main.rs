//! Generated Go: the golden vectors, random layouts, ranges, and Go's own tools.

mod driver;
mod golden;
mod tools;
