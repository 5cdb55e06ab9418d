//! Prints the schema of a table of Bigtable, as `rowkey import --from schema` reads it:
//!
//! ```sh
//! cargo run -p rowkey-bigtable --example schema -- PROJECT INSTANCE TABLE | rowkey import --from schema --name TABLE
//! ```
//!
//! With BIGTABLE_EMULATOR_HOST the instance is one of an emulator.

use std::process::ExitCode;
use std::time::Duration;

use rowkey::nonblocking::AsyncWideDatabase;
use rowkey_bigtable::{Bigtable, BigtableOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [project, instance, table] = arguments.as_slice() else {
        eprintln!("usage: schema PROJECT INSTANCE TABLE");
        return ExitCode::from(2);
    };
    match print(project, instance, table).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn print(project: &str, instance: &str, table: &str) -> rowkey::Result<()> {
    let options = BigtableOptions::new(project, instance).retry_for(Duration::from_secs(10));
    let db = Bigtable::connect(options).await?;
    match db.schema(table).await? {
        // The types of the row keys too, if a program of rowkey created or opened the table with them.
        Some(schema) => print!("{schema}"),
        None => return Err(rowkey::Error::NoSuchTable(table.to_owned())),
    }
    Ok(())
}
