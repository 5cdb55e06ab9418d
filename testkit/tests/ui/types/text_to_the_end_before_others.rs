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

fn main() {
    let _ = (Order::LAYOUT, Digits::LAYOUT);
}
