use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(desc)]
    #[rowkey(desc)]
    at: i64,
}

fn main() {}
