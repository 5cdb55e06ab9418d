//! Costs of queries, compared with reads of a table.

mod partition;
mod random;
mod single;

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
