//! `rowkey ddl`.

use std::process::ExitCode;

use crate::failure::Failure;

/// Prints what creates the tables.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::new("not written yet"))
}
