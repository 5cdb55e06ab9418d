use rowkey::RowKey;
use rowkey::geo::QuadKey;

#[derive(RowKey)]
struct World {
    tile: QuadKey<0>,
}

#[derive(RowKey)]
struct TooDeep {
    id: u64,
    tile: QuadKey<30>,
}

fn main() {}
