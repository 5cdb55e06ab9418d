//! Generated code beside this crate's Rust: golden vectors both ways, refusals, and ranges, one process a language.
//!
//! Each language has a program of its tests in `tests/`, which reads a [manifest] of the keys and then a line a
//! question; see [program].

mod asking;
mod benches;
mod bounds;
mod docs;
mod go;
mod golden;
mod java;
mod java_cases;
mod java_mutants;
mod manifest;
mod program;
mod python;
mod python_mutants;
mod random;
mod typed;
