use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, by(usr)))]
struct Key {
    user: u64,
}

fn main() {}
