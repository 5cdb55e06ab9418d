use rowkey::RowKey;

#[derive(RowKey)]
#[repr(u8)]
enum Key {
    Login = 1,
    #[rowkey(tag = 1)]
    Logout = 2,
}

fn main() {}
