use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(nulls_last)]
    at: i64,
    #[rowkey(desc, nulls_first)]
    user: String,
}

fn main() {}
