//! A list of cities, as GeoNames has them.

use std::collections::HashSet;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use rowkey::geo::Point;
use serde::{Deserialize, Serialize};

use crate::{input, sample};

/// A city, by GeoNames' number of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct City {
    /// GeoNames' number.
    pub id: u32,
    /// As it is written there.
    pub name: String,
    /// Two letters.
    pub country: String,
    /// The feature code of the place: `PPLC` is a capital.
    pub feature_code: String,
    /// 0 if it is not known.
    pub population: u64,
    /// In degrees.
    pub latitude: f64,
    /// In degrees.
    pub longitude: f64,
}

impl City {
    /// Where it is.
    pub fn point(&self) -> Result<Point, rowkey::geo::GeoError> {
        Point::new(self.latitude, self.longitude)
    }
}

/// Reads the cities of a file, plain or gzip, or of the sample, and says how many there are.
pub fn cities(path: Option<&Path>, out: &mut impl Write) -> Result<Vec<City>, Box<dyn Error>> {
    let (text, from) = input::text(path, sample::CITIES)?;
    let mut cities = Vec::new();
    let mut ids = HashSet::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
        let city = match parse(line) {
            Ok(city) => city,
            // The titles, which begin with no number.
            Err(_) if number == 1 && !line.starts_with(|first: char| first.is_ascii_digit()) => continue,
            Err(error) => return Err(format!("{from}:{number}: {error}").into()),
        };
        if !ids.insert(city.id) {
            return Err(format!("{from}:{number}: city {} is there twice", city.id).into());
        }
        cities.push(city);
    }
    writeln!(out, "{} cities of {from}", cities.len())?;
    Ok(cities)
}

/// `2988507<TAB>Paris<TAB>FR<TAB>PPLC<TAB>2138551<TAB>48.85341<TAB>2.3488`
fn parse(line: &str) -> Result<City, Box<dyn Error>> {
    let [id, name, country, feature_code, population, latitude, longitude] = line.split('\t').collect::<Vec<_>>()[..]
    else {
        return Err(format!("not a city: {line:?}").into());
    };
    let city = City {
        id: id.parse()?,
        name: name.to_owned(),
        country: country.to_owned(),
        feature_code: feature_code.to_owned(),
        population: population.parse()?,
        latitude: latitude.parse()?,
        longitude: longitude.parse()?,
    };
    city.point()?;
    Ok(city)
}
