//! Lists of cities.

use std::error::Error;
use std::path::Path;

use crate::file;

/// A line of the list.
#[derive(Debug, Clone)]
pub(crate) struct City {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// Two letters.
    pub(crate) country: String,
    pub(crate) population: u64,
}

/// The cities of a file, plain or gzip, or of the sample, and what to call it.
pub(crate) fn cities(path: Option<&Path>) -> Result<(Vec<City>, String), Box<dyn Error>> {
    let (text, from) = file::text(path, include_bytes!("../data/cities.tsv"))?;
    let mut cities = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
        match parse(line) {
            Ok(city) => cities.push(city),
            // The titles.
            Err(_) if number == 1 => {}
            Err(error) => return Err(format!("{from}:{number}: {error}").into()),
        }
    }
    Ok((cities, from))
}

/// `2988507<TAB>Paris<TAB>FR<TAB>PPLC<TAB>2138551<TAB>48.85341<TAB>2.3488`
fn parse(line: &str) -> Result<City, Box<dyn Error>> {
    let [id, name, country, _, population, _, _] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err(format!("not a city: {line:?}").into());
    };
    Ok(City { id: id.parse()?, name: name.to_owned(), country: country.to_owned(), population: population.parse()? })
}
