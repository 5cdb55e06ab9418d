//! The tiles of one zoom in a box.

use super::{GeoBox, GeoError, Point, Tile};

impl GeoBox {
    /// Returns the tiles of a zoom that show a part of the box, by rows from north to south, each from west to east.
    ///
    /// A map gets these tiles by key; to scan a table for the rows in a box, use [`cover`](Self::cover). Each zoom has
    /// four times as many tiles as the one before; the iterator makes them one by one.
    ///
    /// ```
    /// use rowkey::geo::{GeoBox, Tile};
    ///
    /// let japan = GeoBox::new(24.0, 122.0, 46.0, 146.0)?;
    /// let tiles: Vec<String> = japan.tiles(4)?.map(|tile| tile.to_string()).collect();
    /// assert_eq!(tiles, ["1303", "1312", "1321", "1330"]);
    ///
    /// // Across the antimeridian.
    /// let fiji = GeoBox::new(-20.0, 176.0, -15.0, -178.0)?;
    /// assert_eq!(fiji.tiles(2)?.collect::<Vec<Tile>>(), ["31".parse()?, "20".parse()?]);
    /// # Ok::<(), rowkey::geo::GeoError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GeoError::Zoom`] above 29.
    pub fn tiles(&self, zoom: u8) -> Result<impl Iterator<Item = Tile> + use<>, GeoError> {
        let corner = |latitude, longitude| Tile::at(Point { latitude, longitude }, zoom);
        let (north_west, south_east) = (corner(self.north, self.west)?, corner(self.south, self.east)?);
        let (west, east, size) = (u64::from(north_west.x()), u64::from(south_east.x()), 1u64 << zoom);
        let columns = match self.west <= self.east {
            true => east - west + 1,
            // A box round the whole world has no column twice.
            false => (size - west + east + 1).min(size),
        };
        let column = move |at: u64| ((west + at) % size) as u32;
        let rows = north_west.y()..=south_east.y();
        Ok(rows.flat_map(move |y| (0..columns).filter_map(move |at| Tile::from_xy(column(at), y, zoom).ok())))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn they_are_those_of_every_point_in_the_box() {
        let boxes = [
            [36.0, -10.0, 60.0, 30.0],
            [-90.0, -180.0, 90.0, 180.0],
            [-50.0, 160.0, 10.0, -140.0],
            [-1.0, 5.0, 1.0, 4.0],
            [-1.0, 180.0, 1.0, -180.0],
            [12.0, 34.0, 12.0, 34.0],
            [86.0, 0.0, 90.0, 180.0],
        ];
        for [south, west, north, east] in boxes {
            let area = GeoBox::new(south, west, north, east).unwrap();
            let width = if west <= east { east - west } else { east + 360.0 - west };
            for zoom in 0..=4 {
                let steps = 1 << (zoom + 4);
                let part = |of: f64, at: u32| of * f64::from(at) / f64::from(steps);
                let mut within = HashSet::new();
                for (i, j) in (0..=steps).flat_map(|i| (0..=steps).map(move |j| (i, j))) {
                    let longitude = west + part(width, j);
                    let longitude = if longitude > 180.0 { longitude - 360.0 } else { longitude };
                    let latitude = (south + part(north - south, i)).clamp(south, north);
                    within.insert(Tile::at(Point { latitude, longitude }, zoom).unwrap());
                }
                // The sample has no step on the eastern side of a box that crosses the antimeridian.
                within.insert(Tile::at(Point { latitude: north, longitude: east }, zoom).unwrap());
                within.insert(Tile::at(Point { latitude: south, longitude: east }, zoom).unwrap());
                let tiles: Vec<Tile> = area.tiles(zoom).unwrap().collect();
                assert_eq!(tiles.iter().copied().collect::<HashSet<_>>(), within, "{area:?} {zoom}");
                assert_eq!(tiles.len(), within.len(), "none comes twice");
            }
        }
    }

    #[test]
    fn a_zoom_that_no_tile_has_is_refused_and_the_deepest_is_not_gone_through() {
        let world = GeoBox::new(-90.0, -180.0, 90.0, 180.0).unwrap();
        assert_eq!(world.tiles(30).err(), Some(GeoError::Zoom(30)));
        assert_eq!(world.tiles(29).unwrap().next(), Some("0".repeat(29).parse().unwrap()));
    }
}
