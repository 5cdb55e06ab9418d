//! `rowkey check`.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::design::Date;
use rowkey_design::{CheckOptions, Severity};

use crate::failure::Failure;
use crate::output::{self, Format, Styles};
use crate::samples::Form;

const EXAMPLES: &str = "Examples:
  rowkey check designs/
  rowkey check --sample visits=keys.txt --form shell visits.rowkey.toml
  rowkey check --deny error --format github visits.rowkey.toml
  rowkey rule Q01

Exit status: 0 no finding at or above --deny, 1 findings, 2 a design file is not valid.";

/// Checks designs against every rule.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The design's files, and folders of files `*.rowkey.toml`.
    #[arg(required = true)]
    designs: Vec<PathBuf>,
    /// The cluster that the tables are for. Default: the first of the design.
    #[arg(long)]
    cluster: Option<String>,
    /// A sample of a table's keys, one a line: TABLE=FILE, or TABLE=- for standard input. What follows a tab is left out, but
    /// for a number: the bytes of the row's value.
    #[arg(long, value_name = "TABLE=FILE")]
    sample: Vec<String>,
    /// The form of the keys in samples, those that the design names too.
    #[arg(long, default_value = "hex")]
    form: Form,
    /// The least severity that is exit status 1.
    #[arg(long, default_value = "warning")]
    deny: Deny,
    /// The form of the output.
    #[arg(long, default_value = "text")]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Whether text has colours. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, default_value = "auto")]
    color: Color,
    /// The day on which `until` of an `allow` is read, as 2026-01-31. Default: today in UTC.
    #[arg(long, value_parser = crate::designs::day)]
    today: Option<Date>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Deny {
    Note,
    Warning,
    Error,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(crate) fn styles(self) -> Styles {
        let coloured = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
            }
        };
        if coloured { Styles::Coloured } else { Styles::Plain }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut design = crate::designs::read(&args.designs)?;
    if let Some(cluster) = args.cluster.as_ref().filter(|cluster| !design.clusters.contains_key(*cluster)) {
        let known: Vec<&str> = design.clusters.keys().map(String::as_str).collect();
        return Err(Failure::new(format!("there is no cluster {cluster:?}; the design has: {}", known.join(", "))));
    }
    let mut options = CheckOptions::new(args.today.unwrap_or_else(crate::designs::today));
    options.cluster.clone_from(&args.cluster);
    let notes = crate::samples::read(&mut design, &args.sample, args.form, &mut options)?;
    let mut report = design.check(&options);
    report.notes.extend(notes);
    let format = if args.json { Format::Json } else { args.format };
    let mut out = std::io::stdout().lock();
    out.write_all(output::report(format, &design, &options, &report, args.color.styles()).as_bytes())?;
    out.flush()?;
    let deny = match args.deny {
        Deny::Note => Severity::Note,
        Deny::Warning => Severity::Warning,
        Deny::Error => Severity::Error,
    };
    Ok(if !report.problems.is_empty() {
        ExitCode::from(2)
    } else if report.findings.iter().any(|finding| finding.severity >= deny) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}
