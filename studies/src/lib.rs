//! The parts that case studies share: samples, readers of real files, and reports.
//!
//! The studies are in `src/study`, each a file or a folder. One program runs them by name, and the README lists them.
//! Each runs without an argument, on a [`sample`] or on rows made with a fixed seed. An option names a file of your
//! own.

pub mod engine;
pub mod geo;
pub mod input;
pub mod output;
pub mod packages;
pub mod sample;
pub mod series;
pub mod weblog;
