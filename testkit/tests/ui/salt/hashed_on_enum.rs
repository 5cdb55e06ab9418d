use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(bytes = 4))]
enum Key {
    #[rowkey(tag = 1)]
    Login(u64),
}

fn main() {}
