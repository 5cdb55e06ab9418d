use rowkey::geo::{GeoBox, QuadKey, Tile};
use rowkey::{HostPath, RowKey};

#[derive(RowKey)]
struct Place {
    at: QuadKey<16>,
    tile: Tile,
    id: u64,
    host: String,
}

#[derive(RowKey)]
struct Page {
    page: HostPath,
}

fn main() {
    let area = GeoBox::new(0.0, 0.0, 1.0, 1.0).unwrap();
    let at: QuadKey<16> = "0123012301230123".parse().unwrap();
    let tile = at.tile();
    let _ = Place::prefix().at_within(&area);
    let _ = Place::prefix().at_within(&area.cover::<8>(64));
    let _ = Place::prefix().at(at).tile_within(&area.cover::<16>(64));
    let _ = Place::prefix().at(at).tile(tile).id_within(&tile);
    let _ = Place::prefix().at(at).tile(tile).id(7).host_under("apache.org");
    let _ = Page::prefix().page_starts_with("apache.org/");
    let _ = Page::prefix().page_prefix("apache.org");
    let _ = Page::prefix().page("apache.org");
}
