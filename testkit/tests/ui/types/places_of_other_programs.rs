use rowkey::RowKey;
use rowkey::foreign::{BeforeLast, Code, Fdb, Optional, Ordered, Padded, Segment, Str, ToEnd, Uint, Until};

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

#[derive(RowKey)]
struct Long {
    #[rowkey(with = Str)]
    code: Code<65_539>,
}

#[derive(RowKey)]
struct Digits {
    #[rowkey(with = Padded<40>)]
    id: u32,
}

#[derive(RowKey)]
struct Tail {
    #[rowkey(with = Until<Str, '#'>)]
    name: Segment<'#'>,
    #[rowkey(with = Optional<ToEnd<Str>, '/'>)]
    variant: Option<String>,
}

#[derive(RowKey)]
struct Middle {
    id: u8,
    #[rowkey(with = Optional<ToEnd<Str>, '/'>)]
    variant: Option<String>,
    at: u8,
}

fn main() {
    let _ = (Mixed::LAYOUT, Joined::LAYOUT, Salted::LAYOUT, Open::LAYOUT, Narrow::LAYOUT);
    let _ = (Long::LAYOUT, Digits::LAYOUT, Tail::LAYOUT, Middle::LAYOUT);
}
