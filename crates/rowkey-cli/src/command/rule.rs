//! `rowkey rule`.

use std::process::ExitCode;

use crate::failure::Failure;

/// Prints a rule's page.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    Err(Failure::new("not written yet"))
}
