use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(hash = md5))]
struct Key {
    user: u64,
}

fn main() {}
