use rowkey::{RowKey, Select};

#[derive(RowKey)]
struct Tile {
    x: u8,
}

#[derive(RowKey)]
struct Other {
    x: u8,
}

#[derive(RowKey)]
struct Cell {
    tile: Tile,
}

fn main() {
    let _ = Cell::prefix().tile_prefix(Other::prefix().x(1)).ranges();
}
