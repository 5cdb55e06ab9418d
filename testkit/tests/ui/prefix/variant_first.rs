use rowkey::{RowKey, Select};

#[derive(RowKey)]
enum Event {
    #[rowkey(tag = 1)]
    Login { user: u64, at: i64 },
    #[rowkey(tag = 2)]
    Logout { user: u64, why: String },
    #[rowkey(tag = 3)]
    Boot,
}

fn main() {
    let _ = Event::prefix().user(1);
    let _ = Event::prefix().why_starts_with("x").ranges();
    let _ = Event::prefix().boot(1);
    let _ = Event::Login_prefix();
}
