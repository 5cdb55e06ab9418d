use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(raw)]
    host: String,
    at: i64,
}

fn main() {}
