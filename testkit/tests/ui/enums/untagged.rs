use rowkey::RowKey;

#[derive(RowKey)]
enum Event {
    Login { user: u64 },
    #[rowkey(tag = 2)]
    Boot,
    Logout { user: u64 },
    Crash,
}

fn main() {}
