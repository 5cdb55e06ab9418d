use rowkey::prefix::tuple_prefix;
use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Cell {
    tile: (u8, u8),
}

fn main() {
    let _ = Cell::prefix().tile_prefix(tuple_prefix()._1(3)).ranges();
    let _ = Cell::prefix().tile_prefix(tuple_prefix()._0(3)._1(3)._2(3)).ranges();
}
