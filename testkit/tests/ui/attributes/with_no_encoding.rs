use rowkey::RowKey;

struct Backwards;

#[derive(RowKey)]
struct Key {
    #[rowkey(with = Backwards)]
    at: i64,
}

fn main() {}
