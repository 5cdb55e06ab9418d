use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(desc)]
struct Key {
    at: i64,
}

fn main() {}
