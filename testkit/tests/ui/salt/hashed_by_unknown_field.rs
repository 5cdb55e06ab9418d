use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(by(user, to)))]
struct Key {
    user: u64,
    at: i64,
}

fn main() {}
