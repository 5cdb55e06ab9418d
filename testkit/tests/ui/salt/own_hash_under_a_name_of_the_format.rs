use rowkey::RowKey;

fn own(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash("xxh3", own)))]
struct Key {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash("my own", own)))]
struct Other {
    user: u64,
}

fn main() {}
