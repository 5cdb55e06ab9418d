use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Visit {
    host: String,
    #[rowkey(desc)]
    day: u16,
    visitor: u64,
}

#[derive(RowKey)]
enum Event {
    #[rowkey(tag = 1)]
    Login { user: u64, at: i64 },
}

fn main() {
    let _ = Visit::prefix().day(7).ranges();
    let _ = Visit::prefix().day_range(7..9).ranges();
    let _ = Visit::prefix().host("apache.org").visitor(7).ranges();
    let _ = Visit::prefix().host("apache.org").host_starts_with("apache").ranges();
    let _ = Event::prefix().login().at(7).ranges();
}
