use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(nulls_first, nulls_last)]
    at: Option<i64>,
}

fn main() {}
