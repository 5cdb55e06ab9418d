use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(salt(buckets = 16))]
enum Key {
    #[rowkey(tag = 1)]
    Login(u64),
}

fn main() {}
