//! Places on the command line.

use std::str::FromStr;

/// Degrees with commas between them, `47.6,-122.3`.
#[derive(Clone, Copy, Debug)]
pub struct Degrees<const N: usize>(pub [f64; N]);

impl<const N: usize> FromStr for Degrees<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.map_err(|error| error.to_string())?;
        numbers.try_into().map(Self).map_err(|_| format!("{N} numbers with commas between them are due"))
    }
}
