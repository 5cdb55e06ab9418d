//! The client at a server that answers as a test says: faults that a real one shows too rarely.

mod admin;
mod batches;
mod buffered;
mod deadlines;
mod requests;
mod retries;
mod runtimes;
mod scans;
mod traces;
