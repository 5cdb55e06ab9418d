//! `rowkey completions`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::failure::Failure;

/// Prints completions for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rowkey completions bash > ~/.local/share/bash-completion/completions/rowkey")]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    // `generate` panics where it cannot write, as into a closed pipe.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "rowkey", &mut text);
    let mut out = std::io::stdout().lock();
    out.write_all(&text)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
