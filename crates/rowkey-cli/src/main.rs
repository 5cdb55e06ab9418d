//! `rowkey`: the design of tables in a sorted store, judged, explained and created from the command line.

mod args;
mod command;
mod designs;
mod failure;
mod fix;
mod revision;
mod samples;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rowkey_design::quote::terminal;

const EXAMPLES: &str = "Examples:
  rowkey check designs/
  rowkey rule Q01
  rowkey ddl --for hbase designs/

Exit status: 0 nothing found, 1 findings or differences, 2 the input is not valid.";

/// Row keys and schemas of sorted stores (HBase, Bigtable), judged before the table exists.
#[derive(Debug, Parser)]
#[command(name = "rowkey", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(command::check::Args),
    Rule(command::rule::Args),
    Explain(command::explain::Args),
    Ddl(command::ddl::Args),
    Import(command::import::Args),
    Diff(command::diff::Args),
    Suggest(command::suggest::Args),
    Fmt(command::fmt::Args),
    Schema(command::schema::Args),
    Completions(command::completions::Args),
    Man(command::man::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let done = match cli.command {
        Command::Check(args) => command::check::run(&args),
        Command::Rule(args) => command::rule::run(&args),
        Command::Explain(args) => command::explain::run(&args),
        Command::Ddl(args) => command::ddl::run(&args),
        Command::Import(args) => command::import::run(&args),
        Command::Diff(args) => command::diff::run(&args),
        Command::Suggest(args) => command::suggest::run(&args),
        Command::Fmt(args) => command::fmt::run(&args),
        Command::Schema(args) => command::schema::run(&args),
        Command::Completions(args) => command::completions::run(&args),
        Command::Man(args) => command::man::run(&args),
    };
    done.unwrap_or_else(|failure| failure.report())
}

/// Prints the help that was asked for, or why the command line is not valid, and returns the exit status.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // As clap does: it can only fail where nobody reads.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // Arguments may be names of files, which can hold anything. The same arguments as a terminal can show them have the same
    // fault, and their line breaks are no lines of the message.
    let shown = std::env::args_os().map(|argument| terminal(&argument.to_string_lossy()));
    let again = Cli::try_parse_from(shown).err().filter(|again| again.kind() == error.kind());
    let text = again.as_ref().unwrap_or(error).render().to_string();
    let lines: String = text.lines().map(|line| terminal(line) + "\n").collect();
    let _ = io::stderr().write_all(lines.as_bytes());
    ExitCode::from(2)
}
