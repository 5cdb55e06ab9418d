use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    #[rowkey(tag = 1)]
    Login(u64),
    #[rowkey(tag = 1)]
    Logout(u64),
}

fn main() {}
