use rowkey::RowKey;

#[derive(RowKey)]
union Key {
    user: u64,
    at: i64,
}

fn main() {}
