use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(crate = rowkey, prefix = "KeyPrefix")]
struct Key {
    at: i64,
}

fn main() {}
