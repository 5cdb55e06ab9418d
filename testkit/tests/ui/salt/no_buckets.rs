use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 0))]
struct Key {
    user: u64,
}

fn main() {}
