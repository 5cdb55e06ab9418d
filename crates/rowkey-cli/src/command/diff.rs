//! `rowkey diff`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey_design::internal::{LOCK_LINE, report};
use rowkey_design::{CheckOptions, Date, Design, Difference, Impact, RuleKind, diff, lock};

use crate::args::named;
use crate::failure::Failure;

const EXAMPLES: &str = "Examples:
  rowkey diff old/ designs/
  rowkey diff --against git:main designs/visits.rowkey.toml
  rowkey diff --write-lock rowkey.lock designs/
  rowkey diff --lock rowkey.lock designs/

Exit status: 0 no difference at or above --deny, 1 some, 2 a design is not valid.";

/// Compares two designs: what each change does to stored rows.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The old design and the new one, each a file, a folder, or - for standard input; with `--against` or `--lock` the
    /// new one's files and folders.
    #[arg(required = true)]
    designs: Vec<PathBuf>,
    /// The old design is these files in a revision of git, as `git:main`. A file that is new, or gone, has all its
    /// tables new, or gone.
    #[arg(long, value_name = "git:REV", conflicts_with_all = ["lock", "write_lock"])]
    against: Option<String>,
    /// The old design is a lock file.
    #[arg(long, value_name = "FILE", conflicts_with = "write_lock")]
    lock: Option<PathBuf>,
    /// Writes a lock file of the design, and compares nothing. A file that is there is replaced if it is a lock file.
    #[arg(long, value_name = "FILE")]
    write_lock: Option<PathBuf>,
    /// The lowest class that makes the exit status 1.
    #[arg(long, value_parser = named::<Impact>(), default_value = "after-compaction")]
    deny: Impact,
    /// The rows a second that a rewrite is planned with.
    #[arg(long, default_value_t = 10_000.0, value_parser = rate)]
    rate: f64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// The day on which `until` of an `allow` is read. Default: today in UTC.
    #[arg(long)]
    today: Option<Date>,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "it is a number of rows a second".to_owned())?;
    if rate.is_finite() && rate > 0.0 { Ok(rate) } else { Err("it is greater than 0".to_owned()) }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.write_lock {
        let design = crate::designs::read(&args.designs)?;
        crate::designs::may_replace(path, &args.designs, LOCK_LINE, "lock file that `rowkey diff` wrote")?;
        crate::designs::write(path, &lock(&design).text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (old, new) = match (&args.against, &args.lock, &args.designs[..]) {
        (Some(against), None, paths) => {
            let (old, new) = crate::revision::read(against, paths)?;
            (Design::parse(old)?, Design::parse(new)?)
        }
        (None, Some(lock), paths) => (Design::parse([crate::designs::file(lock)?])?, crate::designs::read(paths)?),
        (None, None, [old, new]) => {
            (crate::designs::read(std::slice::from_ref(old))?, crate::designs::read(std::slice::from_ref(new))?)
        }
        _ => {
            return Err(Failure::new("two designs are compared: the old one and the new one, or --against, or --lock"));
        }
    };
    let options = CheckOptions::new(args.today.unwrap_or_else(crate::designs::today));
    let mut differences = diff(&old, &new, &options, args.rate);
    if args.lock.is_some() {
        // A lock file has what rows depend on alone: no other options, no queries and no rates.
        differences.retain(|change| change.rule.kind == RuleKind::Change);
    }
    differences.sort_by_key(|change| (std::cmp::Reverse(change.class), change.table.clone()));
    let mut out = std::io::stdout().lock();
    out.write_all(
        if args.json { report::diff_as_json(&new, &differences) } else { report::diff_as_text(&new, &differences) }
            .as_bytes(),
    )?;
    out.flush()?;
    let denied = |change: &Difference| {
        change.allowed.is_none() && (change.class >= args.deny || change.rule.kind == RuleKind::NewFinding)
    };
    Ok(if differences.iter().any(denied) { ExitCode::from(1) } else { ExitCode::SUCCESS })
}
