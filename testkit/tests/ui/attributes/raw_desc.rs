use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    at: i64,
    #[rowkey(raw, desc)]
    host: String,
}

fn main() {}
