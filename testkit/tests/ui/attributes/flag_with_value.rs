use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(desc = true)]
    at: i64,
}

fn main() {}
