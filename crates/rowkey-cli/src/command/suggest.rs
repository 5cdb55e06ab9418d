//! `rowkey suggest`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::CheckOptions;
use rowkey_design::internal::report;

use crate::failure::Failure;
use crate::samples;

/// Searches for better keys of a table.
///
/// Other orders of fields, directions, salts, and secondary tables.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  rowkey suggest designs/metrics.rowkey.toml tsdb")]
pub(crate) struct Args {
    /// The design's file or folder; - is standard input.
    design: PathBuf,
    /// The table. Default: the only one.
    table: Option<String>,
    /// The cluster that the table is for. Default: the first of the design.
    #[arg(long)]
    cluster: Option<String>,
    #[command(flatten)]
    samples: samples::SampleArgs,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut design = crate::designs::read(std::slice::from_ref(&args.design))?;
    let options = args.cluster.iter().fold(CheckOptions::new(crate::designs::today()), CheckOptions::cluster);
    let samples::SampleArgs { sample, form } = &args.samples;
    let options = samples::read_with_notes(&mut design, sample, *form, options)?;
    let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
    let table = match (&args.table, &known[..]) {
        (Some(table), _) => table,
        (None, [only]) => *only,
        (None, _) => return Err(Failure::new(format!("name the table: the design has {}", known.join(", ")))),
    };
    let Some(suggestions) = design.suggest(table, &options) else {
        return Err(Failure::new(format!("there is no table {table:?}; the design has {}", known.join(", "))));
    };
    let mut out = std::io::stdout().lock();
    let text =
        if args.json { report::suggestions_as_json(&suggestions) } else { report::suggestions_as_text(&suggestions) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
