use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16))]
struct Salted {
    user: u64,
}

#[derive(RowKey)]
struct Key {
    salted: Salted,
}

fn main() {}
