use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(prefix = A, prefix = B)]
struct Key {
    at: i64,
}

fn main() {}
