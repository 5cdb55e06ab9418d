//! The sub-commands, a file each.

mod check;
mod completions;
mod ddl;
mod diff;
mod explain;
mod fmt;
mod import;
mod infer;
mod man;
mod rule;
mod schema;
mod suggest;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

const EXAMPLES: &str = "Examples:
  rowkey check designs/
  rowkey rule Q01
  rowkey ddl --for hbase designs/

Exit status: 0 nothing found, 1 findings or differences, 2 the input is not valid.";

/// Row keys and schemas of sorted stores (HBase, Bigtable), judged before the table exists.
#[derive(Debug, Parser)]
#[command(name = "rowkey", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Rule(rule::Args),
    Explain(explain::Args),
    Ddl(ddl::Args),
    Import(import::Args),
    Infer(infer::Args),
    Diff(diff::Args),
    Suggest(suggest::Args),
    Fmt(fmt::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.command {
            Command::Check(args) => check::run(&args),
            Command::Rule(args) => rule::run(&args),
            Command::Explain(args) => explain::run(&args),
            Command::Ddl(args) => ddl::run(&args),
            Command::Import(args) => import::run(&args),
            Command::Infer(args) => infer::run(&args),
            Command::Diff(args) => diff::run(&args),
            Command::Suggest(args) => suggest::run(&args),
            Command::Fmt(args) => fmt::run(&args),
            Command::Schema(args) => schema::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => man::run(&args),
        }
    }
}
