use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt = 16)]
struct Key {
    user: u64,
}

fn main() {}
