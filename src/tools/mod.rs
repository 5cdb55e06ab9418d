//! Tools on typed tables: secondary indexes, migrations, jobs, parallel scans and bulk loads, split points, ids.

pub mod ids;
mod job;
pub mod jobs;
#[doc(alias = "migration")]
pub mod migrate;
mod piece;
mod purge;
#[doc(alias = "index")]
#[doc(alias = "secondary index")]
pub mod secondary;
#[doc(alias = "regions")]
#[doc(alias = "presplit")]
pub mod splits;
mod token;
