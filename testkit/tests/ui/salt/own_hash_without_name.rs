use rowkey::RowKey;

fn own(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash = own))]
struct Key {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash(own)))]
struct Other {
    user: u64,
}

fn main() {}
