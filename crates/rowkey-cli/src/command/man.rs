//! `rowkey man`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::failure::Failure;

/// Writes man pages, one for each sub-command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rowkey man ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// The folder, which has to be there.
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let cannot = |error| Failure::new(format!("cannot write to {}: {error}", args.folder.display()));
    clap_mangen::generate_to(super::Cli::command(), &args.folder).map_err(cannot)?;
    Ok(ExitCode::SUCCESS)
}
