//! Reading temperatures, line by line.

use std::error::Error;
use std::path::Path;

use jiff::civil::DateTime;

use crate::{input, sample};

/// Calls `each` with city, local time and degrees Fahrenheit of each line of a file, plain or gzip, or of the sample;
/// its error names the line.
pub fn readings(
    path: Option<&Path>,
    mut each: impl FnMut(&str, DateTime, f64) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (text, name) = input::text(path, sample::TEMPERATURES)?;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty()) {
        let Some((city, at, degrees)) = parse(line) else {
            // The titles, of which none begins with a digit.
            if number == 1 && !line.split('\t').skip(1).any(|title| title.starts_with(|c: char| c.is_ascii_digit())) {
                continue;
            }
            return Err(format!("{name}:{number}: not city, time, degrees: {line:?}").into());
        };
        each(city, at, degrees).map_err(|error| format!("{name}:{number}: {error}"))?;
    }
    Ok(())
}

/// `seattle<TAB>2010-02-14T06:00:00<TAB>39.4`
fn parse(line: &str) -> Option<(&str, DateTime, f64)> {
    let [city, at, degrees] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
    Some((city, at.parse().ok()?, degrees.parse().ok().filter(|degrees: &f64| degrees.is_finite())?))
}
