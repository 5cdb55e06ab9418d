//! What is built on typed tables: secondary tables, migrations, parallel scans and loads, split points, ids.

pub mod ids;
mod job;
pub mod jobs;
pub mod migrate;
mod purge;
pub mod secondary;
pub mod splits;
mod token;
