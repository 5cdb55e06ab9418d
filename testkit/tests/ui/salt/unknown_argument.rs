use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, bucket = 3))]
struct Key {
    user: u64,
}

fn main() {}
