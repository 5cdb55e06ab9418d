use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    parent: Option<Box<Key>>,
    id: u64,
}

fn main() {}
