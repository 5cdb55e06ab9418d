use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(hash = sha1, hex = 4, by(user)))]
struct Event {
    user: u64,
    at: u64,
}

fn main() {
    let _ = Event::LAYOUT;
}
