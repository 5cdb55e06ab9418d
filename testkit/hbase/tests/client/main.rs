//! The client at a server with responses of a test's script: faults that a real server shows too rarely.

mod admin;
mod batches;
mod buffered;
mod deadlines;
mod requests;
mod retries;
mod runtimes;
mod scans;
mod traces;
