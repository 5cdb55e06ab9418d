//! `rowkey import`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::internal::import::{Source, import_with};

use crate::args::described;
use crate::failure::Failure;

/// Makes a design file of what HBase, Phoenix, cbt or Terraform say of a table.
///
/// From a struct's layout, a wide table's schema, HBase's describe or create, Phoenix's CREATE TABLE and CREATE INDEX,
/// cbt ls, or Terraform's resources.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  printf \"describe 'visits'\\nget_splits 'visits'\\n\" | hbase shell -n | rowkey import --from describe
  rowkey import --from describe pasted.txt
  rowkey import --from shell create_tables.rb
  rowkey import --from terraform bigtable.tf
  cbt ls visits | rowkey import --from cbt --name visits > visits.rowkey.toml
  cargo run -p rowkey-bigtable --example schema -- PROJECT INSTANCE visits | rowkey import --from schema --name visits
  rowkey import --from phoenix visits.sql
  printf '!set maxwidth 10000\n!columns VISITS\n' | sqlline.py zookeeper | rowkey import --from phoenix

Lines of describe may be broken at any width, as a terminal breaks them.

The lists of sqlline have to have COLUMN_NAME, TYPE_NAME or DATA_TYPE, and KEY_SEQ. TABLE_SCHEM, TABLE_NAME, COLUMN_FAMILY,
COLUMN_SIZE, NULLABLE, SORT_ORDER (1 is descending) and SALT_BUCKETS are read where they are there; what a list does not say is
a comment of the result.")]
pub(crate) struct Args {
    /// The text. Default, or -: standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The kind of the text.
    #[arg(long, value_parser = described::<Source>(), value_name = "SOURCE")]
    from: Source,
    /// The table's name, where the text does not say it.
    #[arg(long, value_name = "TABLE")]
    name: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let text = text(args.file.as_deref(), args.from, args.name.as_deref())?;
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The design file of a text; of standard input where no file is named.
pub(super) fn text(path: Option<&Path>, from: Source, name: Option<&str>) -> Result<String, Failure> {
    let file = match path.filter(|path| !crate::designs::is_stdin(path)) {
        Some(path) => crate::designs::file(path)?,
        None => crate::designs::of("standard input".to_owned(), crate::designs::stdin()?)?,
    };
    // A file that the text names lies beside it.
    let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
    let named = |path: &str| {
        let path = folder.join(path);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    Ok(import_with(file, from, name, &named)?)
}
