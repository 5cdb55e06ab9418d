//! The design of tables of which there is no file: by their regions' start keys and a sample.

use std::collections::BTreeMap;

use hbase_client::Client;
use rowkey_design::internal::import::{LiveTable, of_cluster};
use rowkey_design::internal::quote::terminal;
use rowkey_design::{Design, File};

use crate::cluster::guess::Guess;
use crate::cluster::{self, FIRST_PATIENCE, refused};
use crate::failure::Failure;

/// The namespace of tables that are named without one.
const DEFAULT: &str = "default:";

/// Words on tables whose design is a guess.
#[derive(Default)]
pub(super) struct Guessed {
    /// The words on each table's layout.
    pub(super) words: BTreeMap<String, String>,
    /// The number of keys that were read.
    pub(super) keys: usize,
}

/// Guesses the design of these tables, and says it.
pub(super) async fn design(
    client: &Client,
    names: &[String],
    sample: Option<u64>,
) -> Result<(Design, Guessed), Failure> {
    names.iter().try_for_each(|name| cluster::may_be_read(name))?;
    let servers = client.admin().with_timeout(FIRST_PATIENCE).servers().await.map_err(|error| refused(&error))?;
    let (mut tables, mut guessed) = (Vec::new(), Guessed::default());
    for name in names {
        let name = &name.strip_prefix(DEFAULT).unwrap_or(name).to_owned();
        if guessed.words.contains_key(name) {
            continue;
        }
        let regions = cluster::regions(client, name).await?;
        let sampled = match sample {
            Some(most) => Some(cluster::sample(client, name, &regions, most).await?),
            None => None,
        };
        guessed.keys += sampled.as_ref().map_or(0, Vec::len);
        let splits = cluster::starts(&regions);
        let Guess { key, words } = Guess::of(name, sampled.as_deref(), &splits);
        eprintln!("{}", terminal(&format!("{name}: {words}")));
        guessed.words.insert(name.clone(), words);
        tables.push(LiveTable { name: name.clone(), splits, key, ..LiveTable::default() });
    }
    Ok((watched(servers.len(), &tables)?, guessed))
}

/// The design of tables.
fn watched(servers: usize, tables: &[LiveTable]) -> Result<Design, Failure> {
    let text = of_cluster(Some(servers), tables)?;
    Ok(Design::parse([File { name: "the guessed design".to_owned(), text }])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_a_layout_are_watched_too() {
        let starts: Vec<Vec<u8>> = (1..32).map(|byte| vec![byte * 8]).collect();
        let guess = Guess::of("n:a", None, &starts);
        let first = LiveTable { name: "n:a".to_owned(), splits: starts, key: guess.key, ..LiveTable::default() };
        let second = LiveTable { name: "b.rowkey.toml".to_owned(), ..LiveTable::default() };
        let design = watched(3, &[first, second]).unwrap();
        let shapes: Vec<String> = design.tables.values().map(|table| table.layout.shape()).collect();
        assert_eq!(shapes[1], "bytes raw");
        assert_eq!(design.tables.keys().map(|name| &**name).collect::<Vec<_>>(), ["n:a", "b.rowkey.toml"]);
    }
}
