use std::net::Ipv4Addr;

use rowkey::geo::{QuadKey, Tile};
use rowkey::{HostPath, RowKey};

#[derive(RowKey)]
struct Place {
    tile: QuadKey<16>,
    id: u64,
}

#[derive(RowKey)]
struct Page {
    page: HostPath,
}

#[derive(RowKey)]
struct Login {
    from: Ipv4Addr,
}

fn main() {
    let tile: Tile = "0123".parse().unwrap();
    Place::prefix().tile_within(&tile);
    Place::prefix().tile_within("0123");
    Page::prefix().page_under(&tile);
    Login::prefix().from_within("10.0.0.0/8");
}
