//! Asynchronous engines, tables and adapters.

mod conforming;
mod drivers;
mod jobs;
