use rowkey::{RowKey, Select};

#[derive(RowKey)]
enum Event {
    #[rowkey(tag = 1)]
    Login { user: u64, at: i64 },
    #[rowkey(tag = 2)]
    Boot,
}

fn main() {
    let _ = Event::prefix().login().at(7).ranges();
    let _ = Event::prefix().reboot().ranges();
}
