use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, by()))]
struct Key {
    user: u64,
}

fn main() {}
