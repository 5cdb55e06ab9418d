use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey]
    at: i64,
    #[rowkey = "desc"]
    user: u64,
}

fn main() {}
