use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(descending)]
    at: i64,
}

fn main() {}
