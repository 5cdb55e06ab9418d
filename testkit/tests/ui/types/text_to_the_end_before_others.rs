use rowkey::RowKey;
use rowkey::foreign::{Before, Decimal, ToEnd};

#[derive(RowKey)]
struct Order {
    #[rowkey(with = ToEnd<Decimal>)]
    number: u64,
    item: u8,
}

#[derive(RowKey)]
struct Digits {
    #[rowkey(with = Before<Decimal, '1'>)]
    number: u64,
    item: u8,
}

#[derive(RowKey)]
struct Inner {
    a: u8,
    #[rowkey(with = ToEnd<Decimal>)]
    number: u64,
}

#[derive(RowKey)]
struct Outer {
    inner: Inner,
    item: u8,
}

#[derive(RowKey)]
struct Downwards {
    #[rowkey(desc, with = Before<Decimal, '#'>)]
    number: u64,
    item: u8,
}

fn main() {
    let _ = (Order::LAYOUT, Digits::LAYOUT, Outer::LAYOUT, Downwards::LAYOUT);
}
