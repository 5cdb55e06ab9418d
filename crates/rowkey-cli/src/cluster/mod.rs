//! A running HBase, and what is read of its tables.

mod alphabet;
#[cfg(test)]
mod evenness;
pub(crate) mod guess;
#[cfg(test)]
mod in_memory;
mod keys;
mod places;
mod range;
mod region;
mod spread;

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use hbase_client::{Client, Error, ErrorKind, Options, Region};

use crate::failure::Failure;

/// Keys of a table.
pub(crate) type Keys = Vec<Vec<u8>>;

/// The time for the first response of a master, before which nothing is known.
pub(crate) const FIRST_PATIENCE: Duration = Duration::from_secs(10);

/// Runs what speaks with the cluster of an hbase-site.xml.
pub(crate) fn run<T, F>(site: &Path, work: impl FnOnce(Client) -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    let options = Options::from_site(site).map_err(|error| Failure::new(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { work(Client::new(options).map_err(|error| refused(&error))?).await })
}

/// The failure of an error, with what to do.
pub(crate) fn refused(error: &Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::TableNotFound => "; a table is named as in HBase, with its namespace",
        ErrorKind::AccessDenied => "; it needs the rights that the message names, and none to write",
        ErrorKind::Security => "; is it the user, the ticket or the certificate?",
        ErrorKind::Unavailable => "; are these the quorum or the masters of hbase-site.xml, and is the cluster up?",
        _ => "",
    };
    Failure::new(format!("{error}{help}"))
}

/// Refuses the table that lists the regions of all others: its own region is in no list.
pub(crate) fn may_be_read(table: &str) -> Result<(), Failure> {
    match table {
        "hbase:meta" => Err(Failure::new(
            "hbase:meta lists the regions of all other tables, and not its own: it can be neither watched nor imported",
        )),
        _ => Ok(()),
    }
}

/// The regions of a table, from the first key to the last.
pub(crate) async fn regions(client: &Client, table: &str) -> Result<Vec<Region>, Failure> {
    let regions = client.table(table).regions().await.map_err(|error| refused(&error))?;
    Ok(regions.into_iter().map(|(region, _)| region).collect())
}

/// A sample of at most `most` keys.
pub(crate) async fn sample(client: &Client, table: &str, regions: &[Region], most: u64) -> Result<Keys, Failure> {
    keys::keys(&client.table(table), regions, most).await.map_err(|error| unsampled(&error))
}

/// The failure of a sample.
fn unsampled(error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::AccessDenied => {
            Failure::new(format!("{error}; --sample reads rows: it needs the right READ to the table"))
        }
        _ => refused(error),
    }
}

/// The start keys of regions, but for the first.
pub(crate) fn starts(regions: &[Region]) -> Keys {
    let mut starts: Vec<_> = regions.iter().map(|region| region.start().to_vec()).collect();
    // While regions are merged, two may begin alike.
    starts.dedup();
    starts.retain(|start| !start.is_empty());
    starts
}
