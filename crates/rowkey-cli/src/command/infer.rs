//! `rowkey infer`.

use std::fs;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::infer::{KeyText, Sample};
use rowkey_design::internal::report;

use crate::args::{Form, form};
use crate::failure::Failure;

/// Finds the layout of keys that are there, from a sample.
///
/// Fields, salt, and units of times, with the evidence for each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rowkey infer keys.txt
  echo \"scan 'visits', {LIMIT => 5000, FILTER => 'FirstKeyOnlyFilter()'}\" | hbase shell -n | rowkey infer
  cbt read visits count=5000 | rowkey infer --form line
  rowkey infer --form hex --name visits --out visits.rowkey.toml keys.txt

Candidates come best first. + is what speaks for one, - what speaks against it. All known hashes are tried.
Tuples of FoundationDB, keys of OrderedCode and constants are found too; little-endian numbers are not.
Exit status: 0 if a candidate was found, 1 if there is none, 2 if the input is invalid.")]
pub(crate) struct Args {
    /// The keys, one a line, or rows as HBase's scan or cbt read prints them. Default, or -: standard input. Text after
    /// a tab is ignored.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The form of the keys. Default: what the first lines look like.
    #[arg(long, value_parser = form())]
    form: Option<Form>,
    /// The table's name in the design file.
    #[arg(long, value_name = "TABLE", default_value = "inferred")]
    name: String,
    /// Writes a design file with the first candidate; `rowkey init --from-keys` asks for the rest too.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// The bytes of the input that are looked at to see its form.
const LOOKED_AT: usize = 1 << 16;

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (sample, text) = sample(args.file.as_deref(), args.form)?;
    let inferred = sample.infer();
    if let Some((path, first)) = args.out.as_ref().zip(inferred.candidates.first()) {
        crate::designs::write(path, &first.design(&args.name)?)?;
    }
    let printed = if args.json {
        report::inferred_as_json(&inferred, text, &args.name)
    } else {
        report::inferred_as_text(&inferred, text, &args.name)
    };
    let mut out = io::stdout().lock();
    out.write_all(printed.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::from(u8::from(inferred.candidates.is_empty())))
}

/// The keys of a file, and the form that they have; of standard input where no file is named.
pub(super) fn sample(path: Option<&Path>, form: Option<Form>) -> Result<(Sample, KeyText), Failure> {
    match path.filter(|path| !crate::designs::is_stdin(path)) {
        None => read(form, "standard input", None, crate::designs::stdin()?),
        Some(path) => {
            let name = path.display().to_string();
            let file = fs::File::open(path).map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
            let bytes = file.metadata().ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
            read(form, &name, bytes, file)
        }
    }
}

fn read(
    form: Option<Form>,
    name: &str,
    bytes: Option<u64>,
    source: impl io::Read,
) -> Result<(Sample, KeyText), Failure> {
    let mut reader = BufReader::with_capacity(LOOKED_AT.max(1 << 20), source);
    let failed = |error: io::Error| Failure::new(format!("cannot read {name}: {error}"));
    let text = match form {
        Some(Form::Key(form)) => KeyText::Lines(form),
        Some(Form::Line) => KeyText::Rows,
        None => {
            let beginning = reader.fill_buf().map_err(failed)?;
            KeyText::of(&beginning[..beginning.len().min(LOOKED_AT)])
        }
    };
    let bar = crate::samples::progress(bytes);
    let mut sample = Sample::new();
    let read = sample.read(reader, text, |keys, bytes| crate::samples::told(&bar, keys, bytes));
    bar.finish_and_clear();
    read.map_err(|error| Failure::new(format!("{name}: {error}")))?;
    Ok((sample, text))
}
