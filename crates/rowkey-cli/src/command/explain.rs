//! `rowkey explain`.

use std::process::ExitCode;

use crate::failure::Failure;

/// Explains keys, queries and regions of a table.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::new("not written yet"))
}
