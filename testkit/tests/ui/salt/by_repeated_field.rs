use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, by(user, at, user)))]
struct Key {
    user: u64,
    at: i64,
}

fn main() {}
