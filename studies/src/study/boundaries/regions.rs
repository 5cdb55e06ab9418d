//! Regions: what they are, which of them a city is in, and their table.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

use rowkey::geo::GeoBox;
use rowkey::{Postcard, RowKey, Table, WriteBatch};
use rowkey_studies::engine::Db;
use rowkey_studies::geo::City;
use serde::{Deserialize, Serialize};

/// A type of regions: one byte in a region's key, and a family of the tiles.
#[derive(RowKey, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Type {
    Country = b'a',
    Belt = b'b',
    TimeZone = b'z',
}

impl Type {
    pub(crate) const ALL: [Self; 3] = [Self::Country, Self::Belt, Self::TimeZone];

    /// Its byte, as the name of its family.
    pub(crate) fn family(self) -> &'static str {
        match self {
            Self::Country => "a",
            Self::Belt => "b",
            Self::TimeZone => "z",
        }
    }
}

/// A region, `a:jp`.
#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Region {
    pub(crate) kind: Type,
    #[rowkey(raw)]
    pub(crate) id: String,
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.family(), self.id)
    }
}

impl FromStr for Region {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (family, id) = text.split_once(':').ok_or("a region is written a:jp")?;
        let kind =
            Type::ALL.into_iter().find(|kind| kind.family() == family).ok_or("the types of regions are a, b and z")?;
        Ok(Self { kind, id: id.to_owned() })
    }
}

/// The attributes of a region.
#[derive(Serialize, Deserialize)]
pub(crate) struct Info {
    cities: usize,
    population: u128,
    largest: String,
    /// South, west, north, east.
    sides: [f64; 4],
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cities, population, largest, sides: [south, west, north, east] } = self;
        write!(f, "{cities} cities, {population} people, largest {largest}, in {south},{west},{north},{east}")
    }
}

pub(crate) type ByRegion<'c> = BTreeMap<Region, Vec<&'c City>>;
pub(crate) type Regions = Table<Region, Postcard<Info>, Db>;

/// The regions that a city is in, one of each type.
fn regions_of(city: &City) -> [Region; 3] {
    let belt = match city.latitude {
        66.56.. => "arctic",
        23.44.. => "northern",
        latitude if latitude > -23.44 => "tropics",
        latitude if latitude > -66.56 => "southern",
        _ => "antarctic",
    };
    let zone = ((city.longitude + 7.5) / 15.0).floor();
    let region = |kind, id| Region { kind, id };
    [
        region(Type::Country, city.country.to_lowercase()),
        region(Type::Belt, belt.to_owned()),
        region(Type::TimeZone, format!("{zone:+03}")),
    ]
}

/// Stores the regions of cities; returns their table, and the cities of each.
pub(crate) fn store<'c>(db: &Db, cities: &'c [City]) -> Result<(Regions, ByRegion<'c>), Box<dyn Error>> {
    let mut by_region = ByRegion::new();
    for city in cities {
        for region in regions_of(city) {
            by_region.entry(region).or_default().push(city);
        }
    }
    let regions = Table::open(db.clone(), "regions")?;
    let mut batch = WriteBatch::new();
    for (region, cities) in &by_region {
        let points = cities.iter().map(|city| city.point()).collect::<Result<Vec<_>, _>>()?;
        let largest = cities.iter().max_by_key(|city| (city.population, Reverse(city.id)));
        let (Some(largest), Some(sides)) = (largest, GeoBox::around(points)) else { continue };
        let info = Info {
            cities: cities.len(),
            population: cities.iter().map(|city| u128::from(city.population)).sum(),
            largest: largest.name.clone(),
            sides: [sides.south(), sides.west(), sides.north(), sides.east()],
        };
        batch.put(&regions, region, &Postcard(info))?;
    }
    batch.write(db)?;
    Ok((regions, by_region))
}
