use rowkey::RowKey;

fn own(text: &str) -> u64 {
    text.len() as u64
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash("own", own)))]
struct Key {
    user: u64,
}

fn main() {}
