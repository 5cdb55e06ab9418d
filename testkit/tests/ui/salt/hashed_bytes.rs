use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(bytes = 0))]
struct Key {
    user: u64,
}

#[derive(RowKey)]
#[rowkey(hashed(bytes = 17))]
struct Other {
    user: u64,
}

fn main() {}
