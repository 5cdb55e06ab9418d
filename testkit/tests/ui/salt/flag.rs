use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt)]
struct Key {
    user: u64,
}

fn main() {}
