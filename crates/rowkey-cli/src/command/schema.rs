//! `rowkey schema`.

use std::io::Write as _;
use std::process::ExitCode;

use crate::failure::Failure;

/// Prints every key of design files, as a JSON Schema or a page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  rowkey schema > rowkey.schema.json\n  rowkey schema --markdown")]
pub(crate) struct Args {
    /// Prints a page of Markdown.
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    match args.markdown {
        true => write!(out, "{}", rowkey_design::internal::design::reference())?,
        false => writeln!(out, "{:#}", rowkey_design::internal::design::json_schema())?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
