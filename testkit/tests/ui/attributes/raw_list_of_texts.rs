use rowkey::{List, RowKey};

#[derive(RowKey)]
struct Key {
    #[rowkey(raw)]
    tags: List<String>,
}

fn main() {}
