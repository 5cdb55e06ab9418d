//! What is built on typed tables: secondary tables, migrations, parallel scans and loads, split points, ids.

pub mod ids;
pub mod jobs;
pub mod migrate;
pub mod secondary;
pub mod splits;
mod token;
