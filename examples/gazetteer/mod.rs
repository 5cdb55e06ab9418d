//! What the examples on places share: a list of cities, and a table of them by where they are.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use rowkey::geo::{Point, QuadKey};
use rowkey::{Memory, Postcard, RowKey, Table};
use serde::{Deserialize, Serialize};

use crate::file;

/// A city by where it is: cities of one tile stand together.
#[derive(RowKey, Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) at: QuadKey<16>,
    pub(crate) id: u32,
}

/// What is kept of a city.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct City {
    pub(crate) name: String,
    pub(crate) country: String,
    pub(crate) population: u64,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

impl City {
    pub(crate) fn point(&self) -> Result<Point, rowkey::geo::GeoError> {
        Point::new(self.latitude, self.longitude)
    }
}

pub(crate) type Places = Table<Place, Postcard<City>, Memory>;

/// Stores the cities of a file, plain or gzip, or of the sample; `each` sees them too.
pub(crate) fn places(
    path: Option<&Path>,
    out: &mut impl Write,
    mut each: impl FnMut(&Place, &City) -> Result<(), Box<dyn Error>>,
) -> Result<Places, Box<dyn Error>> {
    let places: Places = Table::open(Memory::new(), "places")?;
    let (text, from) = file::text(path, include_bytes!("../data/cities.tsv"))?;
    let mut count = 0u64;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
        let (id, city) = match parse(line) {
            Ok(city) => city,
            // The titles.
            Err(_) if number == 1 => continue,
            Err(error) => return Err(format!("{from}:{number}: {error}").into()),
        };
        let place = Place { at: QuadKey::at(city.point()?), id };
        each(&place, &city)?;
        places.put(&place, &Postcard(city))?;
        count += 1;
    }
    writeln!(out, "{count} cities of {from}")?;
    Ok(places)
}

/// `2988507<TAB>Paris<TAB>FR<TAB>PPLC<TAB>2138551<TAB>48.85341<TAB>2.3488`
fn parse(line: &str) -> Result<(u32, City), Box<dyn Error>> {
    let [id, name, country, _, population, latitude, longitude] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("not a city: {line:?}").into());
    };
    let city = City {
        name: name.to_owned(),
        country: country.to_owned(),
        population: population.parse()?,
        latitude: latitude.parse()?,
        longitude: longitude.parse()?,
    };
    city.point()?;
    Ok((id.parse()?, city))
}

/// Degrees on the command line, `47.6,-122.3`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Degrees<const N: usize>(pub(crate) [f64; N]);

impl<const N: usize> FromStr for Degrees<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.map_err(|error| error.to_string())?;
        numbers.try_into().map(Self).map_err(|_| format!("{N} numbers with commas between them are due"))
    }
}
