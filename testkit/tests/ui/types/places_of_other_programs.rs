use rowkey::RowKey;
use rowkey::foreign::{BeforeLast, Fdb, Ordered, Str, Uint};

#[derive(RowKey)]
struct Mixed {
    #[rowkey(with = Fdb)]
    name: String,
    id: u64,
}

#[derive(RowKey)]
struct Joined {
    #[rowkey(with = Ordered)]
    name: String,
    id: u64,
}

#[derive(RowKey)]
#[rowkey(salt(buckets = 4))]
struct Salted {
    #[rowkey(with = Ordered)]
    name: String,
}

#[derive(RowKey)]
struct Open {
    #[rowkey(with = BeforeLast<Str, 7>)]
    name: String,
    id: u64,
}

#[derive(RowKey)]
struct Narrow {
    #[rowkey(with = Uint<3>)]
    id: u32,
}

fn main() {
    let _ = (Mixed::LAYOUT, Joined::LAYOUT, Salted::LAYOUT, Open::LAYOUT, Narrow::LAYOUT);
}
