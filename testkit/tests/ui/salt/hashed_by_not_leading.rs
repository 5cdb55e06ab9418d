use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(by(at)))]
struct Key {
    user: u64,
    at: i64,
}

fn main() {}
