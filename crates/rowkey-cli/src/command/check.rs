//! `rowkey check`.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::internal::baseline::{BASELINE_LINE, Baseline};
use rowkey_design::internal::quote::terminal;
use rowkey_design::internal::report::{self, Format, Styles, counted};
use rowkey_design::{CheckOptions, Date, Design, Report};
use rowkey_simulate::page;

use crate::args::{Color, described};
use crate::failure::Failure;
use crate::levels::Levels;
use crate::{fix, samples};

const EXAMPLES: &str = "Examples:
  rowkey check designs/
  rowkey check --sample visits=keys.txt --form shell visits.rowkey.toml
  rowkey check --deny error --format github visits.rowkey.toml
  rowkey check --allow H10,H19 --warn Q03 --deny H01 designs/
  rowkey check --fix visits.rowkey.toml
  rowkey check --html visits.html visits.rowkey.toml
  rowkey check --write-baseline known.toml designs/
  rowkey check --baseline known.toml designs/
  rowkey rule Q01

`rowkey init` writes a first design. `rowkey schema --markdown` has every key of one.
Exit status: 0 no finding at or above --deny, 1 findings, 2 a design file is not valid.";

/// Checks designs: where the writes land, what each query reads, what does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The design's files, and folders of files `*.rowkey.toml`; - is standard input.
    #[arg(required = true)]
    designs: Vec<PathBuf>,
    /// The cluster that the tables are for. Default: the first of the design.
    #[arg(long)]
    cluster: Option<String>,
    #[command(flatten)]
    samples: samples::SampleArgs,
    /// Writes the edits of findings at or above --deny into the files, those that do not touch each other, then checks
    /// again. Removes each `allow` that the edits make unnecessary.
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    levels: Levels,
    /// Allows the findings that this file knows; one that is new, or more severe, fails.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Writes the findings into this file, which --baseline reads. With --baseline: those alone that it knows and that
    /// are found still.
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Writes a page for browsers into this file too: each table's keys, where its writes land, the ranges of its
    /// queries, and the findings. It replaces no file but such a page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The form of the output.
    #[arg(long, value_parser = described::<Format>(), default_value = "text")]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The colours of text. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, default_value = "auto")]
    color: Color,
    /// The day on which `until` of an `allow` is read, as 2026-01-31. Default: today in UTC.
    #[arg(long)]
    today: Option<Date>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let format = if args.json { Format::Json } else { args.format };
    let checked = if args.fix { fix(args, format) } else { check(args, format, &[]) };
    match checked {
        Err(Failure::Design(problems)) => {
            // People read faults on standard error, programs where they read findings.
            if format == Format::Text {
                let text = report::invalid(format, &problems, args.color.styles(&io::stderr()));
                let _ = io::stderr().write_all(text.as_bytes());
            } else {
                print(&report::invalid(format, &problems, Styles::Plain))?;
            }
            Ok(ExitCode::from(2))
        }
        checked => checked,
    }
}

fn check(args: &Args, format: Format, before: &[String]) -> Result<ExitCode, Failure> {
    let deny = args.levels.fails_from()?;
    let Checked { design, options, mut report, known } = checked(args)?;
    let mut before = before.to_vec();
    if let Some(path) = args.write_baseline.as_ref().filter(|_| report.problems.is_empty()) {
        let known = known.unwrap_or_else(|| {
            let found = Baseline::of(&report);
            report.allow_known(&found, &design.files)
        });
        crate::designs::may_replace(path, &args.designs, BASELINE_LINE, "baseline that `rowkey check` wrote")?;
        crate::designs::write(path, &known.to_string())?;
        before.push(format!("wrote {} to {}", counted(known.len(), "finding"), path.display()));
    }
    if let Some(path) = &args.html {
        crate::designs::may_replace(path, &args.designs, page::FIRST_LINE, "page that `rowkey` wrote")?;
        crate::designs::write(path, &page::checked(&design, &options, &report))?;
        before.push(format!("wrote {}", path.display()));
    }
    let mut text = String::new();
    if matches!(format, Format::Text | Format::Short) {
        before.iter().for_each(|line| text += &format!("{}\n", terminal(line)));
    }
    text += &report::report(format, &design, &options, &report, args.color.styles(&io::stdout()));
    print(&text)?;
    Ok(if report.refused(&design).is_some() {
        ExitCode::from(2)
    } else if report.findings.iter().any(|finding| finding.severity >= deny) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// A design that was checked.
struct Checked {
    design: Design,
    options: CheckOptions,
    report: Report,
    /// As much of the baseline as is found still.
    known: Option<Baseline>,
}

/// Reads the design, its samples and its baseline, and checks it.
fn checked(args: &Args) -> Result<Checked, Failure> {
    let mut design = crate::designs::read(&args.designs)?;
    let baseline = args.baseline.as_deref().map(crate::designs::file).transpose()?;
    let baseline = baseline.map(|file| Baseline::read(&mut design, file)).transpose()?;
    crate::designs::has_cluster(&design, args.cluster.as_deref())?;
    let options = CheckOptions::new(args.today.unwrap_or_else(crate::designs::today));
    let options = args.levels.of(args.cluster.iter().fold(options, CheckOptions::cluster))?;
    let (options, notes) = samples::read(&mut design, &args.samples.sample, args.samples.form, options)?;
    let mut report = design.check(&options);
    report.notes.extend(notes);
    let known = baseline.map(|baseline| report.allow_known(&baseline, &design.files));
    Ok(Checked { design, options, report, known })
}

/// Applies the edits of findings, one of each table at a time, and checks what the files are then.
fn fix(args: &Args, format: Format) -> Result<ExitCode, Failure> {
    if args.designs.iter().any(|path| crate::designs::is_stdin(path)) {
        return Err(Failure::new("--fix writes into files: give a file instead of standard input"));
    }
    if args.samples.sample.iter().any(|sample| sample.ends_with("=-")) {
        return Err(Failure::new("--fix reads samples a second time: give a file instead of standard input"));
    }
    let deny = args.levels.fails_from()?;
    let (mut said, mut left, mut tried) = (Vec::new(), 0, HashSet::new());
    loop {
        let Checked { design, report, .. } = checked(args)?;
        // Before the first edit an unused `allow` is a problem, and nothing is written: these are of what was mended.
        if let Some(unused) = report.unused.first().filter(|_| !said.is_empty())
            && let Some(removed) = fix::take_away(&design, unused, &args.designs)?
        {
            said.push(removed);
            continue;
        }
        let findings = report.findings.iter().filter(|finding| finding.severity >= deny);
        let findings = fix::one_a_table(findings, &tried);
        if findings.is_empty() || !report.problems.is_empty() {
            break;
        }
        tried.extend(findings.iter().map(|finding| fix::name(finding)));
        let applied = fix::apply(&design, findings.into_iter(), &args.designs)?;
        said.extend(applied.said);
        left += applied.left;
    }
    if left > 0 {
        said.push(format!("left {} whose edits would not give a valid design: edit by hand", counted(left, "finding")));
    }
    if !said.is_empty() {
        said.push(String::new());
    }
    check(args, format, &said)
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    Failure::of_printing(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}
