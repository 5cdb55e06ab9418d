//! A tile's bounds are the points in it: at every zoom, at corners and edges and a step beyond them, at the poles and
//! at both ends of the map.

use proptest::prelude::*;
use rowkey::geo::{GeoBox, MAX_ZOOM, Point, QuadKey, Tile};

fn point(latitude: f64, longitude: f64) -> Option<Point> {
    Point::new(latitude, longitude).ok()
}

/// The double so many steps above, or below.
fn step(mut degrees: f64, steps: i32) -> f64 {
    for _ in 0..steps.abs() {
        degrees = if steps > 0 { degrees.next_up() } else { degrees.next_down() };
    }
    degrees
}

/// Points at the sides and corners of a box, some steps inside and outside of each, and in its middle.
fn around_the_sides(bounds: &GeoBox, steps: i32) -> Vec<Point> {
    let middle = bounds.middle();
    let near = |low: f64, middle: f64, high: f64| {
        let mut degrees = vec![middle];
        for side in [low, high] {
            degrees.extend([-steps, -1, 0, 1, steps].map(|steps| step(side, steps)));
        }
        degrees
    };
    let latitudes = near(bounds.south(), middle.latitude(), bounds.north());
    let longitudes = near(bounds.west(), middle.longitude(), bounds.east());
    let pairs = latitudes.iter().flat_map(|&latitude| longitudes.iter().map(move |&longitude| (latitude, longitude)));
    pairs.filter_map(|(latitude, longitude)| point(latitude, longitude)).collect()
}

fn ends_of_the_map() -> Vec<Point> {
    let latitudes =
        [-90.0, -85.051_128_78, -85.051_128_779_806_6, -0.0, 0.0, 85.051_128_779_806_6, 85.051_128_78, 90.0];
    let longitudes = [-180.0, -5e-324, -0.0, 0.0, 5e-324, 180.0];
    latitudes
        .iter()
        .flat_map(|&latitude| longitudes.iter().filter_map(move |&longitude| point(latitude, longitude)))
        .collect()
}

/// Of these points those in the tile are those in its bounds, however it is asked.
#[track_caller]
fn holds(tile: Tile, points: &[Point]) {
    let bounds = tile.bounds();
    for &point in points {
        let inside = Tile::at(point, tile.zoom()).unwrap() == tile;
        assert_eq!(bounds.contains(point), inside, "{tile:?} {bounds:?} {point:?}");
        assert_eq!(tile.covers(point), inside, "{tile:?} {point:?}");
    }
    let corners =
        [bounds.south(), bounds.north()].map(|south| [bounds.west(), bounds.east()].map(|west| (south, west)));
    for &(latitude, longitude) in corners.as_flattened() {
        assert_eq!(Tile::at(point(latitude, longitude).unwrap(), tile.zoom()), Ok(tile));
    }
    // What asks for a box asks for this tile alone.
    assert_eq!(bounds.tiles(tile.zoom()).unwrap().collect::<Vec<_>>(), [tile]);
    let cover = bounds.cover::<29>(4);
    let [range] = cover.ranges() else { panic!("{tile:?}: {cover:?}") };
    assert_eq!([range.start().tile(), range.end().tile()].map(|end| end.ancestor(tile.zoom())), [Some(tile); 2]);
    let deeper = u32::from(MAX_ZOOM - tile.zoom());
    let (start, end) = (range.start(), range.end());
    assert_eq!((start.x(), start.y()), (tile.x() << deeper, tile.y() << deeper));
    let last = (1u32 << deeper) - 1;
    assert_eq!((end.x(), end.y()), (start.x() + last, start.y() + last));
}

#[test]
fn of_every_tile_at_low_zooms() {
    for zoom in 0..=6u8 {
        let size = 1u32 << zoom;
        for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
            let tile = Tile::from_xy(x, y, zoom).unwrap();
            let mut points = around_the_sides(&tile.bounds(), 3);
            points.extend(ends_of_the_map());
            holds(tile, &points);
        }
    }
}

#[test]
fn of_every_row_and_column_at_middle_zooms() {
    for zoom in 7..=11u8 {
        for at in 0..1u32 << zoom {
            let tile = Tile::from_xy(at, at, zoom).unwrap();
            holds(tile, &around_the_sides(&tile.bounds(), 2));
        }
    }
}

#[test]
fn tiles_beside_each_other_leave_no_double_between_them() {
    for zoom in [1, 2, 5, 9, 17, MAX_ZOOM] {
        let last = (1u32 << zoom) - 1;
        for at in [0, 1, last / 3, last / 2, last - 1].map(|at| at.min(last - 1)) {
            let bounds = |x, y| Tile::from_xy(x, y, zoom).unwrap().bounds();
            assert_eq!(bounds(at, 0).east().next_up(), bounds(at + 1, 0).west(), "{zoom} {at}");
            assert_eq!(bounds(0, at).south().next_down(), bounds(0, at + 1).north(), "{zoom} {at}");
        }
        let corner = |x, y| Tile::from_xy(x, y, zoom).unwrap().bounds();
        assert_eq!((corner(0, 0).west(), corner(0, 0).north()), (-180.0, 90.0));
        assert_eq!((corner(last, last).east(), corner(last, last).south()), (180.0, -90.0));
    }
}

proptest! {
    #[test]
    fn of_tiles_at_every_zoom(zoom in 0..=MAX_ZOOM, x in any::<u32>(), y in any::<u32>(), steps in 2..2000i32) {
        let mask = (1u32 << zoom) - 1;
        let tile = Tile::from_xy(x & mask, y & mask, zoom).unwrap();
        holds(tile, &around_the_sides(&tile.bounds(), steps));
    }

    #[test]
    fn of_points_anywhere(latitude in -90.0..=90.0, longitude in -180.0..=180.0, zoom in 0..=MAX_ZOOM) {
        let point = point(latitude, longitude).unwrap();
        let tile = Tile::at(point, zoom).unwrap();
        prop_assert!(tile.bounds().contains(point));
        prop_assert!(QuadKey::<17>::at(point).bounds().contains(point));
        for neighbour in tile.neighbours() {
            prop_assert!(!neighbour.bounds().contains(point), "{:?}", neighbour);
        }
    }
}
