//! `rowkey import`.

#[cfg(feature = "hbase")]
mod live;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rowkey_design::internal::import::{Source, import_with};

use crate::args::described_value;
use crate::designs;
use crate::failure::Failure;

#[cfg(not(feature = "hbase"))]
const OF_CLUSTER: &str = "";

#[cfg(feature = "hbase")]
const OF_CLUSTER: &str = "  rowkey import --from hbase conf/hbase-site.xml visits --sample 1000 -o guessed.rowkey.toml

Of --from hbase: nothing is written to the cluster. HBase lets all users read the list of regions, users with CREATE or \
ADMIN on a table its description, and users with READ on it its keys. Without the description, what the other two say is \
written. No row is read, but with --sample; then the servers pass over the rows of the sampled keys, and up to two more \
of each region, and count a row more for each scan that finds fewer than it asks for. The layout is a guess, which the file says: of the sample, or else of the start keys of regions.
";

const EXAMPLES: &str = "Examples:
  printf \"describe 'visits'\\nget_splits 'visits'\\n\" | hbase shell -n | rowkey import --from describe
  rowkey import --from describe pasted.txt
  rowkey import --from shell create_tables.rb
  rowkey import --from terraform bigtable.tf
  cbt ls visits | rowkey import --from cbt --name visits > visits.rowkey.toml
  cargo run -p rowkey-bigtable --example schema -- PROJECT INSTANCE visits | rowkey import --from schema --name visits
  rowkey import --from phoenix visits.sql
  printf '!set maxwidth 10000\\n!columns VISITS\\n' | sqlline.py zookeeper | rowkey import --from phoenix
";

const NOTES: &str = "
Lines of describe may be broken at any width, as a terminal breaks them.

The lists of sqlline have to have COLUMN_NAME, TYPE_NAME or DATA_TYPE, and KEY_SEQ. TABLE_SCHEM, TABLE_NAME, COLUMN_FAMILY,
COLUMN_SIZE, NULLABLE, SORT_ORDER (1 is descending) and SALT_BUCKETS are read where they are there; what a list does not say is
a comment of the result.";

/// Makes a design file of what HBase, Phoenix, cbt or Terraform say of a table.
///
/// From a struct's layout, a wide table's schema, HBase's describe or create, Phoenix's CREATE TABLE and CREATE INDEX,
/// cbt ls, or Terraform's resources.
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLES, OF_CLUSTER, NOTES].concat())]
pub(crate) struct Args {
    /// The text. Default, or -: standard input. Of --from hbase, the hbase-site.xml of the cluster.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Of --from hbase, the table, as in HBase.
    #[cfg(feature = "hbase")]
    #[arg(value_name = "TABLE")]
    table: Option<String>,
    /// The kind of the text; or a running cluster.
    #[arg(long, value_parser = from(), value_name = "SOURCE")]
    from: From,
    /// The table's name, where the text does not say it.
    #[arg(long, value_name = "TABLE")]
    name: Option<String>,
    /// Of --from hbase, reads so many keys, and infers their layout.
    #[cfg(feature = "hbase")]
    #[arg(long, value_name = "KEYS", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    sample: Option<u64>,
    /// Writes a new file, and not to standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The origin of a design file.
#[derive(Clone, Copy, Debug)]
enum From {
    /// A text.
    Text(Source),
    /// A running HBase.
    #[cfg(feature = "hbase")]
    HBase,
}

fn from() -> impl TypedValueParser<Value = From> {
    let texts = Source::ALL.iter().map(described_value);
    #[cfg(feature = "hbase")]
    let texts = texts.chain([PossibleValue::new("hbase").help("A table of a running HBase: SITE.XML TABLE")]);
    let texts: Vec<PossibleValue> = texts.collect();
    PossibleValuesParser::new(texts).try_map(|name| match &*name {
        #[cfg(feature = "hbase")]
        "hbase" => Ok(From::HBase),
        text => text.parse().map(From::Text),
    })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let text = match args.from {
        #[cfg(feature = "hbase")]
        From::HBase => live::text(args)?,
        From::Text(source) => {
            #[cfg(feature = "hbase")]
            live::is_text(args)?;
            text(args.file.as_deref(), source, args.name.as_deref())?
        }
    };
    match &args.out {
        Some(path) => designs::create(path, &text)?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The design file of a text; of standard input where no file is named.
pub(super) fn text(path: Option<&Path>, from: Source, name: Option<&str>) -> Result<String, Failure> {
    let file = match path.filter(|path| !designs::is_stdin(path)) {
        Some(path) => designs::file(path)?,
        None => designs::of("standard input".to_owned(), designs::stdin()?)?,
    };
    // A file that the text names lies beside it.
    let folder = path.and_then(Path::parent).unwrap_or(Path::new(""));
    let named = |path: &str| {
        let path = folder.join(path);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    Ok(import_with(file, from, name, &named)?)
}
