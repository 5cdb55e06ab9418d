//! `rowkey explain`.

mod query;
mod regions;
mod stream;
mod subject;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use rowkey::LayoutBuf;
use rowkey_design::internal::explain::{self, key_of_line};
use rowkey_design::internal::report;

use self::subject::Subject;
use crate::args::{Form, form};
use crate::failure::Failure;

/// Takes keys apart; shows what a query scans, and what regions hold.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "rowkey explain [OPTIONS] DESIGN TABLE KEY...
       rowkey explain [OPTIONS] --shape SHAPE KEY...
       rowkey explain DESIGN TABLE --values FIELD=VALUE...
       rowkey explain DESIGN TABLE --query NAME [FIELD=VALUE | FIELD=FROM..TO (without TO)]...
       rowkey explain DESIGN TABLE --regions FILE",
    after_help = "Examples:
  rowkey explain app.rowkey.toml visits 626f6e6e007fffffffffffffff
  rowkey explain app.rowkey.toml visits --form shell 'bonn\\x00\\x7F\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF'
  rowkey explain app.rowkey.toml visits --form line ' bonn\\x00\\x7F\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF column=f:q'
  rowkey explain --shape 'text, i64 desc' 626f6e6e007fffffffffffffff --svg > key.svg
  rowkey explain app.rowkey.toml visits --values host=bonn at=2026
  rowkey explain app.rowkey.toml visits --query 'a day' host=bonn at=0..86400
  echo \"list_regions 'visits'\" | hbase shell -n | rowkey explain app.rowkey.toml visits --regions -
  rowkey explain app.rowkey.toml visits --form hex - < keys.txt

Values are text or JSON: 42, bonn, \"42\", null, 1.5, 2026-01-31T12:00:00Z; bytes are hex. A field that means seconds or
another unit since 1970 takes a date too. FROM..TO has FROM and not TO. A KEY that is - reads keys from
standard input, one a line, and prints the values of each as JSON.
Exit status: 0 all keys decode, 1 some do not, 2 the input is not valid."
)]
pub(crate) struct Args {
    /// DESIGN TABLE KEY... (without DESIGN TABLE with --shape or --layout). DESIGN may be -, standard input; TABLE may
    /// be a secondary table.
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
    /// The key's shape, in place of DESIGN TABLE.
    #[arg(long, conflicts_with = "layout")]
    shape: Option<String>,
    /// A file with the key's layout as JSON, in place of DESIGN TABLE.
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,
    /// The form of the keys that are given.
    #[arg(long, value_parser = form(), default_value = "hex")]
    form: Form,
    /// Make the key of field values: FIELD=VALUE for each field, or one JSON array.
    #[arg(long, conflicts_with_all = ["query", "regions"])]
    values: bool,
    /// Print what a query of the design reads, ready to paste. Values that are not given are made up.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["shape", "layout", "svg"])]
    query: Option<String>,
    /// The cluster of the design that a query is for. Default: the first.
    #[arg(long, requires = "query")]
    cluster: Option<String>,
    /// A sample of a table's keys, in the form, by which a query's rows are counted: TABLE=FILE.
    #[arg(long, value_name = "TABLE=FILE", requires = "query")]
    sample: Vec<String>,
    /// Decode the boundaries of regions: of list_regions' output, or start keys, one a line, in the form. - is standard
    /// input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "svg"])]
    regions: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print an SVG.
    #[arg(long, conflicts_with = "json")]
    svg: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (mut subject, rest) = Subject::of(args)?;
    if let Some(query) = &args.query {
        return query::run(args, &mut subject, query, &texts(rest)?);
    }
    let layout = subject.layout();
    if let Some(file) = &args.regions {
        if let [first, ..] = rest {
            return Err(Failure::new(format!("{}: --regions takes no keys", first.display())));
        }
        return regions::run(args, file, layout);
    }
    if args.values {
        let values = explain::values_of(layout, &texts(rest)?, &subject.times())
            .map_err(|error| Failure::new(error.to_string()))?;
        let key = layout.encode(&values).map_err(|error| Failure::new(error.to_string()))?;
        return print(args, &[key], &subject, true);
    }
    if matches!(rest, [only] if only == "-") {
        return stream::run(args, layout);
    }
    if rest.is_empty() {
        return Err(Failure::new(
            "there is no key to explain: write one, or - for standard input; see rowkey explain --help",
        ));
    }
    let keys: Result<Vec<_>, _> =
        rest.iter().enumerate().map(|(i, text)| key(args.form, i + 1, text, layout)).collect();
    print(args, &keys?, &subject, false)
}

fn texts(arguments: &[OsString]) -> Result<Vec<&str>, Failure> {
    let text = |argument: &'_ OsString| -> Result<_, Failure> {
        argument.to_str().ok_or_else(|| Failure::new(format!("{}: not UTF-8", argument.display())))?;
        Ok(())
    };
    arguments.iter().try_for_each(text)?;
    Ok(arguments.iter().filter_map(|argument| argument.to_str()).collect())
}

fn key(form: Form, number: usize, text: &OsString, layout: &LayoutBuf) -> Result<Vec<u8>, Failure> {
    let fault = |reason: &str| Failure::new(format!("key {number}: {reason}"));
    let Form::Key(form) = form else {
        let key = key_of_line(text.as_encoded_bytes()).map_err(|reason| fault(&reason))?;
        return key.ok_or_else(|| fault("the line has no key: paste a row of HBase's scan or of cbt read"));
    };
    let text = text.to_str().ok_or_else(|| fault("it is not UTF-8: write it in hex, or use --form line"))?;
    form.parse(text, layout).map_err(|error| fault(&format!("{error}; it was read as {form} (--form)")))
}

/// The forms alone are enough of a key whose values are known.
fn print(args: &Args, keys: &[Vec<u8>], subject: &Subject, forms: bool) -> Result<ExitCode, Failure> {
    let (layout, times) = (subject.layout(), subject.times());
    let mut out = std::io::stdout().lock();
    if args.svg {
        out.write_all(report::svg(keys, layout).as_bytes())?;
    } else if args.json {
        out.write_all(report::keys_as_json(keys, layout, &times).as_bytes())?;
    } else {
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            let text =
                if forms { report::forms_as_text(key, layout) } else { report::key_as_text(key, layout, &times) };
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()?;
    let all = keys.iter().all(|key| layout.decode(key).is_ok());
    Ok(ExitCode::from(u8::from(!all)))
}
