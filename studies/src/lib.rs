//! What the case studies share: samples, readers of real files, and how a study shows what it found.
//!
//! The studies are programs, one a file or folder of `src/bin`. Each runs without an argument, on a sample of [`sample`]
//! or on rows made with a fixed seed; a file of one's own is an option.

pub mod geo;
pub mod input;
pub mod output;
pub mod packages;
pub mod sample;
pub mod series;
pub mod weblog;
