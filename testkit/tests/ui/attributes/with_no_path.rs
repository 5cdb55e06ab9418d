use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    #[rowkey(with = "Backwards")]
    at: i64,
    #[rowkey(with)]
    to: i64,
}

fn main() {}
