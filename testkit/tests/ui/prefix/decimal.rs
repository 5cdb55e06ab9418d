use rowkey::{RowKey, Select};
use rust_decimal::Decimal;

#[derive(RowKey)]
struct Order {
    total: Decimal,
    id: u64,
}

fn main() {
    let _ = Order::prefix().total(12.5).ranges();
    let _ = Order::prefix().total_range("12.5"..).ranges();
    let _ = Order::prefix().total_starts_with("12").ranges();
    let _ = Order::prefix().total_within("12").ranges();
}
