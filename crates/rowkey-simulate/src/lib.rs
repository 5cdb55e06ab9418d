//! A simulation of a table's regions, from its design, a trace or a log: the hot region, before the table exists.
//!
//! A [`run`] is what a cluster did: of the simulated cluster and of a recorded HBase the same lines of JSON.

pub mod answer;
mod chance;
pub mod cluster;
pub mod compare;
pub mod event;
pub mod load;
mod moments;
pub mod page;
pub mod recording;
pub mod run;
pub mod simulation;
mod wrap;

/// The code in README.md, compiled and run by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub mod _readme {}
