use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(desc nulls_first)]
    at: Option<i64>,
    #[rowkey("desc")]
    user: u64,
}

fn main() {}
