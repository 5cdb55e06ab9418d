use rowkey::RowKey;

struct Pair(u8, u8);

#[derive(RowKey)]
struct Key {
    pair: Pair,
}

fn main() {}
