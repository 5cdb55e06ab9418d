//! D13: the engine is another.

use super::{Changes, Difference, copied};
use crate::design::{Engine, Family};
use crate::diff::Impact;
use crate::file::Named;
use crate::resolve::TableDesign;
use crate::rule;

/// Notes what another engine does to a table.
pub(super) fn compare(
    engines: (Engine, Engine),
    (old, new): (&TableDesign, &TableDesign),
    rate: f64,
    changes: &mut Changes<'_>,
) {
    let (before, after) = engines;
    let lost = lost(after, &new.table.family).map_or(String::new(), |lost| format!("; {lost}"));
    let message = format!(
        "the engine was {before} and is {after}: no engine reads the files of another, so all rows are copied; {}{lost}",
        keys(after)
    );
    let (table, place) = (changes.table.to_owned(), Some(new.name.place));
    changes.list.push(Difference {
        class: Impact::Rewrite,
        rule: &rule::D13,
        table,
        of: None,
        place,
        message,
        plan: plan(after, old, rate),
        allowed: None,
    });
}

fn plan(after: Engine, old: &TableDesign, rate: f64) -> Vec<String> {
    let tables = match after {
        Engine::HBase | Engine::Bigtable => "create the tables of the new design: `rowkey ddl` writes how",
        Engine::Cockroach | Engine::DynamoDb | Engine::Cassandra => "create the tables of the new design",
        Engine::TiKv | Engine::FoundationDb | Engine::Fjall | Engine::RocksDb => {
            "open the new store: it has no tables to create"
        }
    };
    vec![
        tables.to_owned(),
        "let the program write to both engines".to_owned(),
        format!("copy {}", copied(old, rate)),
        "compare both, and repair what differs".to_owned(),
        "read from the new one, then write to it alone".to_owned(),
    ]
}

/// The fate of the keys, in words.
fn keys(after: Engine) -> &'static str {
    match after {
        Engine::DynamoDb | Engine::Cassandra => {
            "keys are sorted inside a partition alone, so a range over the fields of `partition` is a request for each \
             of their values"
        }
        Engine::Cockroach => "keys are the columns of a primary key, or one column with the same bytes",
        Engine::HBase | Engine::Bigtable | Engine::TiKv | Engine::FoundationDb | Engine::Fjall | Engine::RocksDb => {
            "keys keep their bytes and their order"
        }
    }
}

/// The wishes of families that the engine does not have, in words.
fn lost(after: Engine, families: &Named<Family>) -> Option<String> {
    let has = |of: fn(&Family) -> bool| families.values().any(|family| of(family));
    let expires = has(|family| family.ttl.is_some());
    let versions = has(|family| family.versions.as_ref().is_some_and(|versions| versions.value > 1));
    let of_files = has(|family| {
        family.compression.is_some() || family.encoding.is_some() || family.bloom.is_some() || family.block.is_some()
    });
    let lost: Vec<&str> = match after {
        Engine::HBase => Vec::new(),
        Engine::Bigtable => [
            (expires || versions)
                .then_some("cells that are kept no longer are collected up to a week later, and read until then"),
            of_files.then_some("it has no options of files, and compresses by itself"),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Engine::DynamoDb => [
            expires.then_some("a TTL is of a whole item, which is deleted within days and read until then"),
            versions.then_some("it keeps one version"),
        ]
        .into_iter()
        .flatten()
        .collect(),
        Engine::Cassandra | Engine::Cockroach => {
            versions.then_some("it keeps one version that a read can ask for").into_iter().collect()
        }
        Engine::TiKv | Engine::FoundationDb | Engine::Fjall | Engine::RocksDb => [
            expires.then_some("it has no TTL of columns: the program has to delete what is old"),
            versions.then_some("it keeps one version, unless a version is a part of the key"),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    (!lost.is_empty()).then(|| lost.join("; "))
}
