use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 65_537))]
struct Key {
    user: u64,
}

fn main() {}
