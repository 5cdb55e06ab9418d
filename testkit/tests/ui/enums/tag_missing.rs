use rowkey::RowKey;

#[derive(RowKey)]
enum Key {
    Login(u64),
    #[rowkey(tag = 2)]
    Logout(u64),
    Boot,
}

fn main() {}
