use rowkey::RowKey;

#[derive(RowKey)]
#[rowkey(hashed(hash = sha1, hex = 4, by(user)))]
struct Event {
    user: u64,
    at: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 16, hash = murmur3))]
struct Salted {
    user: String,
}

fn main() {
    let _ = (Event::LAYOUT, Salted::LAYOUT);
}
