//! `rowkey import`.

use std::process::ExitCode;

use crate::failure::Failure;

/// Writes a design file from what exists.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::new("not written yet"))
}
