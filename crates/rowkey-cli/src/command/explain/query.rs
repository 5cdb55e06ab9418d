//! The ranges of a query, ready to paste.

use std::io::Write as _;
use std::process::ExitCode;

use rowkey_design::CheckOptions;
use rowkey_design::internal::explain::Plan;
use rowkey_design::internal::report;

use super::Args;
use super::subject::Subject;
use crate::args::Form;
use crate::failure::Failure;
use crate::samples;

pub(super) fn run(args: &Args, subject: &mut Subject, query: &str, given: &[&str]) -> Result<ExitCode, Failure> {
    let Subject::Table(design, table, _) = subject else {
        return Err(Failure::new("--query: queries are in a design: write DESIGN TABLE"));
    };
    let options = args.cluster.iter().fold(CheckOptions::new(crate::designs::today()), CheckOptions::cluster);
    let Form::Key(form) = args.form else {
        return Err(Failure::new("--form line: it is of a key's line, and a query's samples have keys alone"));
    };
    let options = samples::read_with_notes(design, &args.sample, form, options)?;
    let plan = Plan::of(design, table, query, given, &options);
    let plan = plan.map_err(|error| Failure::new(error.to_string()))?;
    let mut out = std::io::stdout().lock();
    let text = if args.json { report::query_as_json(&plan) } else { report::query_as_text(&plan) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
