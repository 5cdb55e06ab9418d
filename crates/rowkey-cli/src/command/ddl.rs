//! `rowkey ddl`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::internal::ddl::{self, Options, Target};
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::{quote, report};
use rowkey_design::{CheckOptions, Problems};

use crate::args::described;
use crate::designs;
use crate::failure::Failure;

/// Prints what creates the tables: HBase's shell, cbt, Phoenix, Terraform.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rowkey ddl app.rowkey.toml --for hbase > create.rb && hbase shell -n create.rb
  rowkey ddl app.rowkey.toml --table visits --for cbt | bash
  rowkey ddl designs/ --for terraform > tables.tf
  rowkey ddl app.rowkey.toml --for hbase --json

What the target does otherwise than the design says is noted on standard error. The notes change no exit status.")]
pub(crate) struct Args {
    /// The form of the keys in the samples that designs take split points from (`splits.sample`).
    #[arg(long, value_parser = described::<KeyForm>(), default_value = "hex")]
    form: KeyForm,
    /// The design's files, and folders of files `*.rowkey.toml`; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The program that reads the result.
    #[arg(long = "for", value_parser = described::<Target>(), value_name = "TARGET")]
    target: Target,
    /// This table alone, and the tables of its rows under other keys.
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    /// Leave the split points out: one region at first.
    #[arg(long)]
    no_splits: bool,
    /// Print JSON: the statements table by table, and the notes.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut design = designs::read(&args.files)?;
    if !args.no_splits {
        crate::samples::read(&mut design, &[], args.form, CheckOptions::new(designs::today()))?;
    }
    let options = Options::new(args.target).splits(!args.no_splits);
    let options = args.table.iter().fold(options, Options::table);
    let ddl = ddl::ddl(&design, &options)?;
    if args.json {
        let mut out = std::io::stdout().lock();
        out.write_all(report::ddl_as_json(&design, args.target, &ddl).as_bytes())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let notes = Problems { files: design.files, list: ddl.notes };
    // Whoever closed standard error wants no notes.
    let mut errors = std::io::stderr().lock();
    notes.to_string().lines().for_each(|note| _ = writeln!(errors, "note: {}", quote::terminal(note)));
    let mut out = std::io::stdout().lock();
    out.write_all(ddl.text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
