//! `rowkey fmt`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::format;
use rowkey_design::internal::SCHEMA_FILE;
use rowkey_design::internal::quote::terminal;

use crate::designs::is_stdin;
use crate::failure::Failure;

/// Formats design files in place, and keeps every comment.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  rowkey fmt designs/\n  rowkey fmt --check designs/visits.rowkey.toml\n  rowkey fmt - < visits.rowkey.toml\n\nAll lines end as the first of the file does (LF or CR LF). A byte order mark stays. Strings are not changed.\nThe first line names the schema rowkey.schema.json beside the file, if it names none: by it editors complete and check.\nExit status: 0 formatted, 1 with --check if a file is not, 2 a file is not TOML."
)]
pub(crate) struct Args {
    /// The files, and folders of files `*.rowkey.toml`; - is standard input, which is printed.
    #[arg(required = true)]
    designs: Vec<PathBuf>,
    /// Writes nothing; prints the names of files that are not formatted.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = std::io::stdout().lock();
    let stdin = args.designs.iter().find(|path| is_stdin(path));
    if let Some(path) = stdin.filter(|_| !args.check) {
        if args.designs.len() > 1 {
            return Err(Failure::new("fmt prints standard input, and writes files: give it alone"));
        }
        out.write_all(format(&crate::designs::file(path)?)?.as_bytes())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut unformatted = false;
    let mut folders = BTreeSet::new();
    for path in crate::designs::files(&args.designs)? {
        let file = crate::designs::file(&path)?;
        let text = format(&file)?;
        if text == file.text {
            continue;
        }
        writeln!(out, "{}", terminal(&file.name))?;
        unformatted = true;
        if !args.check {
            crate::designs::write(&path, &text)?;
            folders.extend(path.parent().map(Path::to_owned).filter(|_| text.contains(SCHEMA_FILE)));
        }
    }
    out.flush()?;
    for schema in folders.iter().map(|folder| folder.join(SCHEMA_FILE)).filter(|schema| !schema.exists()) {
        let schema = terminal(&schema.display().to_string()).to_string();
        eprintln!("note: editors complete and check designs by {schema}; `rowkey schema > {schema}` writes it");
    }
    Ok(ExitCode::from(u8::from(args.check && unformatted)))
}
