use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = many))]
struct Key {
    user: u64,
}

fn main() {}
