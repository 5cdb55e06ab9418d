use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    user: u64,
    user_range: u64,
    host: String,
    host_starts_with: String,
}

fn main() {}
