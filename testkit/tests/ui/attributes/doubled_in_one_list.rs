use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(desc, desc)]
    at: i64,
}

fn main() {}
