//! `rowkey schema`.

use std::io::Write as _;
use std::process::ExitCode;

use crate::failure::Failure;

/// Prints the JSON Schema of design files, for editors.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rowkey schema > rowkey.schema.json")]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:#}", rowkey_design::file::json_schema())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
