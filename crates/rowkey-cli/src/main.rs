//! `rowkey`: the design of tables in a sorted store, judged, explained and created from the command line.

mod args;
mod ask;
#[cfg(feature = "hbase")]
mod cluster;
mod command;
mod designs;
mod failure;
mod fix;
mod levels;
mod revision;
mod samples;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use rowkey_design::internal::quote::terminal;

use crate::command::Cli;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    cli.run().unwrap_or_else(|failure| failure.report())
}

/// Prints the help that was asked for, or why the command line is not valid, and returns the exit status.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // As clap does: it can only fail where nobody reads.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // Arguments may be names of files, which can hold anything. The same arguments as a terminal can show them have the
    // same fault, and their line breaks are no lines of the message.
    let shown = std::env::args_os().map(|argument| terminal(&argument.to_string_lossy()));
    let again = Cli::try_parse_from(shown).err().filter(|again| again.kind() == error.kind());
    let text = again.as_ref().unwrap_or(error).render().to_string();
    let lines: String = text.lines().map(|line| terminal(line) + "\n").collect();
    let _ = io::stderr().write_all(lines.as_bytes());
    ExitCode::from(2)
}
