//! The box around some points.

use super::{GeoBox, Point};

impl GeoBox {
    /// Returns the smallest box that holds all points (a bounding box); `None` without points. It crosses the
    /// antimeridian if that makes it narrower.
    ///
    /// ```
    /// use rowkey::geo::{GeoBox, Point};
    ///
    /// let islands = [Point::new(-18.1, 178.4)?, Point::new(-16.4, 179.4)?, Point::new(-18.2, -178.8)?];
    /// assert_eq!(GeoBox::around(islands), Some(GeoBox::new(-18.2, 178.4, -16.4, -178.8)?));
    /// # Ok::<(), rowkey::geo::GeoError>(())
    /// ```
    #[doc(alias = "bounding box")]
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        let (mut south, mut north) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut longitudes = Vec::new();
        for Point { latitude, longitude } in points {
            (south, north) = (south.min(latitude), north.max(latitude));
            longitudes.push(longitude);
        }
        longitudes.sort_unstable_by(f64::total_cmp);
        let (mut west, mut east) = (*longitudes.first()?, *longitudes.last()?);
        // The box leaves out the widest gap between two longitudes: the one across the antimeridian, unless another is
        // wider.
        let mut widest = west + 360.0 - east;
        for pair in longitudes.windows(2) {
            if pair[1] - pair[0] > widest {
                (widest, east, west) = (pair[1] - pair[0], pair[0], pair[1]);
            }
        }
        Some(Self { south, west, north, east })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around<const N: usize>(points: [(f64, f64); N]) -> Option<[f64; 4]> {
        let points = points.map(|(latitude, longitude)| Point::new(latitude, longitude).unwrap());
        let found = GeoBox::around(points);
        assert!(found.iter().all(|found| points.iter().all(|&point| found.contains(point))));
        found.map(|GeoBox { south, west, north, east }| [south, west, north, east])
    }

    #[test]
    fn the_narrowest() {
        assert_eq!(around([]), None);
        assert_eq!(around([(1.0, 2.0)]), Some([1.0, 2.0, 1.0, 2.0]));
        assert_eq!(around([(1.0, 20.0), (-3.0, -10.0), (2.0, 5.0)]), Some([-3.0, -10.0, 2.0, 20.0]));
        assert_eq!(around([(0.0, 179.0), (0.0, -179.0), (0.0, 170.0)]), Some([0.0, 170.0, 0.0, -179.0]));
        // Both ends of the map are one meridian; halves of the world are equally wide.
        assert_eq!(around([(0.0, -180.0), (0.0, 180.0)]), Some([0.0, 180.0, 0.0, -180.0]));
        assert_eq!(around([(0.0, 90.0), (0.0, -90.0)]), Some([0.0, -90.0, 0.0, 90.0]));
    }
}
