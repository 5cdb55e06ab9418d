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
    let done = runtime.block_on(async { work(Client::new(options).map_err(|error| refused(&error))?).await });
    // A look-up of a name can't be ended, and may take long.
    runtime.shutdown_background();
    done
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
    Failure::new(format!("{}{help}", whole(error)))
}

/// An error with its causes, which its own text leaves out.
fn whole(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// An error whose cause is not in its text.
    #[derive(Debug)]
    struct Reading(std::io::Error);

    impl std::fmt::Display for Reading {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("reading")
        }
    }

    impl std::error::Error for Reading {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn an_error_is_told_with_its_causes() {
        assert_eq!(whole(&Reading(std::io::Error::other("reset by peer"))), "reading: reset by peer");
    }

    #[test]
    fn a_look_up_that_goes_on_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("hbase-site.xml");
        let quorum = "<property><name>hbase.zookeeper.quorum</name><value>127.0.0.1:1</value></property>";
        std::fs::write(&site, format!("<configuration>{quorum}</configuration>")).unwrap();
        let (begun, begins) = mpsc::channel();
        let (ends, end) = mpsc::channel();
        let done = run(&site, |_| async move {
            tokio::task::spawn_blocking(move || {
                begun.send(()).unwrap();
                end.recv_timeout(Duration::from_secs(10))
            });
            begins.recv().unwrap();
            Ok(7)
        });
        assert_eq!(done.unwrap(), 7);
        assert!(ends.send(()).is_ok(), "it was over");
    }
}
