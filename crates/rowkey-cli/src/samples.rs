//! Reads the samples of keys that a design names, and those of the command line.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, IsTerminal as _};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use rowkey::LayoutBuf;
use rowkey_design::internal::forms::KeyForm;
use rowkey_design::internal::profile::Profile;
use rowkey_design::internal::quote::terminal;
use rowkey_design::internal::sample::{self, SampleUse};
use rowkey_design::{CheckOptions, Design, Problem, Problems};

use crate::args::described;
use crate::failure::Failure;

/// Samples of the keys of tables.
#[derive(Debug, clap::Args)]
pub(crate) struct SampleArgs {
    /// A sample of a table's keys, one a line: TABLE=FILE, or TABLE=- for standard input. Text after a tab is ignored,
    /// but for a number: the size of the row's value in bytes.
    #[arg(long, value_name = "TABLE=FILE")]
    pub(crate) sample: Vec<String>,
    /// The form of the keys in samples, those that the design names too.
    #[arg(long, value_parser = described::<KeyForm>(), default_value = "hex")]
    pub(crate) form: KeyForm,
}

/// Reads the files that the design names, then those of `TABLE=FILE` arguments, whose profiles are used instead.
/// Returns the options with the profiles, and a note for each file of the design that is not there.
pub(crate) fn read(
    design: &mut Design,
    arguments: &[String],
    form: KeyForm,
    mut options: CheckOptions,
) -> Result<(CheckOptions, Vec<Problem>), Failure> {
    let given = given(design, arguments)?;
    let paths = design.sample_paths();
    let mut notes = Vec::new();
    // Split points first: the profiles count the keys of each region.
    for splits in [true, false] {
        for sample in paths.iter().filter(|sample| matches!(sample.what, SampleUse::Splits(_)) == splits) {
            if !splits && given.contains_key(sample.table.as_str()) {
                continue;
            }
            if !sample.path.exists() {
                let message = format!("{} is not there: what it would say is not known", sample.path.display());
                let help = Some("write the file, a key a line, or leave `sample` out".to_owned());
                notes.push(Problem { place: sample.place, message, help });
                continue;
            }
            let Some(layout) = design.layout_of(sample) else { continue };
            let regions = design.tables.get(&sample.table).and_then(|table| table.split_points(sample.secondary));
            let located = |problem| Failure::Design(Problems { files: design.files.clone(), list: vec![problem] });
            let profile = file(&sample.path, form, layout, regions.as_ref()).map_err(|failure| match failure {
                Failure::Other(message) => located(Problem { place: sample.place, message, help: None }),
                other => other,
            })?;
            match splits {
                true => design.split_by_sample(sample, &profile).map_err(|problem| {
                    Failure::Design(Problems { files: design.files.clone(), list: vec![problem] })
                })?,
                false => options = options.profile(&sample.table, profile),
            }
        }
    }
    for (name, path) in given {
        let Some(table) = design.tables.get(name) else { continue };
        let regions = table.split_points(None);
        let profile = match path {
            "-" => lines("standard input", None, crate::designs::stdin()?, form, &table.layout, regions.as_ref())?,
            path => file(Path::new(path), form, &table.layout, regions.as_ref())?,
        };
        options = options.profile(name, profile);
    }
    Ok((options, notes))
}

/// The same, with the notes on standard error.
pub(crate) fn read_with_notes(
    design: &mut Design,
    arguments: &[String],
    form: KeyForm,
    options: CheckOptions,
) -> Result<CheckOptions, Failure> {
    let (options, notes) = read(design, arguments, form, options)?;
    notes.iter().for_each(|note| eprintln!("note: {}", terminal(&note.message)));
    Ok(options)
}

/// The tables and files of `TABLE=FILE` arguments.
fn given<'a>(design: &Design, arguments: &'a [String]) -> Result<BTreeMap<&'a str, &'a str>, Failure> {
    let mut given = BTreeMap::new();
    for argument in arguments {
        let Some((name, path)) = argument.split_once('=') else {
            return Err(Failure::new(format!(
                "{argument:?} is not a sample: write it as TABLE=FILE, or TABLE=- for standard input"
            )));
        };
        if !design.tables.contains_key(name) {
            let known: Vec<&str> = design.tables.keys().map(String::as_str).collect();
            return Err(Failure::new(format!("there is no table {name:?}; the design has: {}", known.join(", "))));
        }
        let again = path == "-" && given.values().any(|path| *path == "-");
        if again || given.insert(name, path).is_some() {
            return Err(Failure::new(format!(
                "{argument:?} comes after another sample of the table, or of standard input: give one"
            )));
        }
    }
    Ok(given)
}

type Splits = rowkey::splits::Splits;

fn file(path: &Path, form: KeyForm, layout: &LayoutBuf, splits: Option<&Splits>) -> Result<Profile, Failure> {
    let cannot = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
    let file = fs::File::open(path).map_err(cannot)?;
    let bytes = file.metadata().ok().filter(fs::Metadata::is_file).map(|metadata| metadata.len());
    lines(&path.display().to_string(), bytes, BufReader::with_capacity(1 << 20, file), form, layout, splits)
}

fn lines(
    name: &str,
    bytes: Option<u64>,
    reader: impl BufRead,
    form: KeyForm,
    layout: &LayoutBuf,
    splits: Option<&Splits>,
) -> Result<Profile, Failure> {
    let bar = progress(bytes);
    let told = |keys: u64, bytes: u64| told(&bar, keys, bytes);
    let profile = sample::read(reader, form, layout, splits, told);
    bar.finish_and_clear();
    profile.map_err(|error| Failure::new(format!("{name}: {error}")))
}

/// A progress bar of the bytes read, on a terminal alone and on standard error, which leaves the output as it is.
pub(crate) fn progress(bytes: Option<u64>) -> ProgressBar {
    let bar = match (io::stderr().is_terminal(), bytes) {
        (false, _) => ProgressBar::hidden(),
        (true, Some(bytes)) => ProgressBar::new(bytes),
        (true, None) => ProgressBar::no_length(),
    };
    if let Ok(style) = ProgressStyle::with_template("{bytes}/{total_bytes} {eta} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Shows how many keys and bytes were read.
pub(crate) fn told(bar: &ProgressBar, keys: u64, bytes: u64) {
    bar.set_position(bytes);
    bar.set_message(format!("{keys} keys"));
}
