use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash = sha1))]
struct Key {
    user: u64,
}

fn main() {}
