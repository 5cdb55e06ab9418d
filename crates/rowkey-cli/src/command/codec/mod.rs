//! `rowkey codec`.

mod folder;
mod list;
mod lock;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_codec::ir::Table;
use rowkey_codec::{Language, Package, generate};
use rowkey_design::Design;
use rowkey_design::internal::quote::terminal;
use rowkey_design::internal::report::counted;

use self::folder::Kept;
use crate::args::described;
use crate::designs;
use crate::failure::Failure;

/// Writes the keys of tables in another language, byte for byte those of rowkey.
///
/// The result is a package with its own runtime: no native library, and nothing but the language's standard library.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rowkey codec visits.rowkey.toml --lang python --out visits-keys
  rowkey codec designs/ visits clicks --lang python --out keys --package app-keys
  rowkey codec layout.json --lang python --out keys

Files of an earlier run in the folder are replaced, or removed where this run has no such file. A file that the command
did not write is never touched, and no symbolic link is followed. One that somebody changed since is kept, and a line on
standard error says so: remove it to have it anew. While a run is at work in a folder, another one is refused.
Exit status: 0 the package is written, 1 a file that is kept lacks what is new, 2 the input is not valid, or the folder
cannot be written.")]
pub(crate) struct Args {
    /// The language.
    #[arg(long = "lang", value_parser = described::<Language>(), value_name = "LANGUAGE")]
    language: Language,
    /// A design file, a folder of files `*.rowkey.toml`, or a layout as JSON; - is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// These tables alone, each with the tables of its rows under other keys. Default: all.
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
    /// The folder of the package.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The name of the package. Default: the file's, and `keys`.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let tables = tables(args)?;
    if tables.is_empty() {
        return Err(Failure::new(format!("{} has no tables: nothing is written", args.file.display())));
    }
    let package = Package::new(args.package.clone().unwrap_or_else(|| of_file(&args.file)));
    let files = generate(&tables, args.language, &package).map_err(|refusal| Failure::new(refusal.to_string()))?;
    let changes = folder::write(&args.out, &files)?;
    for kept in &changes.kept {
        writeln!(std::io::stderr(), "{}", terminal(&kept.to_string()))?;
    }
    let removed = match changes.removed {
        0 => String::new(),
        removed => format!(", {} of an earlier run removed", counted(removed, "file")),
    };
    let (keys, files) = (counted(tables.len(), "key"), counted(files.len(), "file"));
    writeln!(std::io::stdout(), "{keys} in {files} in {}{removed}", args.out.display())?;
    Ok(ExitCode::from(u8::from(changes.kept.iter().any(Kept::is_stale))))
}

fn of_file(path: &Path) -> String {
    let stem = path.file_name().map(|name| name.to_string_lossy());
    let stem = stem.as_deref().and_then(|name| name.split('.').next()).unwrap_or_default();
    format!("{} keys", stem.trim_start_matches('-'))
}

/// The tables that are asked for.
fn tables(args: &Args) -> Result<Vec<Table>, Failure> {
    let design = match args.file.is_dir() {
        true => designs::read(std::slice::from_ref(&args.file))?,
        false => {
            let file = designs::file(&args.file)?;
            if file.text.trim_start().starts_with('{') {
                let table = Table::of_json(&file.text);
                let table = table.map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
                return asked_for(vec![vec![table]], &args.tables);
            }
            Design::parse([file])?
        }
    };
    asked_for(design.tables.values().map(Table::of_design).collect(), &args.tables)
}

/// Of groups of tables those with these names: of a group's first name the whole group.
fn asked_for(groups: Vec<Vec<Table>>, names: &[String]) -> Result<Vec<Table>, Failure> {
    let known: Vec<String> = groups.iter().flatten().map(|table| table.name().to_owned()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        return Err(Failure::new(format!("there is no table {unknown:?}; there are: {}", known.join(", "))));
    }
    let is_asked = |table: &Table| names.is_empty() || names.iter().any(|name| name == table.name());
    let of_group = |group: Vec<Table>| {
        let whole = group.first().is_some_and(is_asked);
        group.into_iter().filter(move |table| whole || is_asked(table)).collect::<Vec<_>>()
    };
    Ok(groups.into_iter().flat_map(of_group).collect())
}
