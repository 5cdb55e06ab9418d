//! What a cost says against what a table does.

mod random;
mod single;

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}
