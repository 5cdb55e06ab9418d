use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    parents: rowkey::List<Self>,
    id: u64,
}

fn main() {}
