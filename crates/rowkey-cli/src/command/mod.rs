//! The sub-commands, a file each.

mod check;
mod codec;
mod completions;
mod ddl;
mod diff;
mod explain;
mod fmt;
mod import;
mod infer;
mod init;
mod man;
mod rule;
mod schema;
mod simulate;
mod suggest;
#[cfg(feature = "hbase")]
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

const EXAMPLES: &str = "Begin so:
  rowkey init                               asks, writes visits.rowkey.toml, and checks it
  rowkey check visits.rowkey.toml           after each change
  rowkey rule Q01                           what a finding means, and its cure
  rowkey suggest visits.rowkey.toml         better keys
  rowkey simulate visits.rowkey.toml        the hot region, before the table exists
  rowkey ddl --for hbase visits.rowkey.toml

Of a table that is there: rowkey infer --help, rowkey import --help.

Exit status: 0 nothing found, 1 findings or differences, 2 the input is not valid.";

/// Row keys of sorted stores (HBase, Bigtable, TiKV, DynamoDB and others), judged before they exist.
#[derive(Debug, Parser)]
#[command(name = "rowkey", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Check(check::Args),
    Rule(rule::Args),
    Suggest(suggest::Args),
    Simulate(simulate::Args),
    #[cfg(feature = "hbase")]
    Watch(watch::Args),
    Explain(explain::Args),
    Ddl(ddl::Args),
    Codec(codec::Args),
    Infer(infer::Args),
    Import(import::Args),
    Diff(diff::Args),
    Fmt(fmt::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        match self.command {
            Command::Init(args) => init::run(&args),
            Command::Check(args) => check::run(&args),
            Command::Rule(args) => rule::run(&args),
            Command::Explain(args) => explain::run(&args),
            Command::Ddl(args) => ddl::run(&args),
            Command::Codec(args) => codec::run(&args),
            Command::Import(args) => import::run(&args),
            Command::Infer(args) => infer::run(&args),
            Command::Diff(args) => diff::run(&args),
            Command::Suggest(args) => suggest::run(&args),
            Command::Simulate(args) => simulate::run(&args),
            #[cfg(feature = "hbase")]
            Command::Watch(args) => watch::run(&args),
            Command::Fmt(args) => fmt::run(&args),
            Command::Schema(args) => schema::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => man::run(&args),
        }
    }
}
