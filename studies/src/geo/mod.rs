//! Places: a list of cities, places on the command line, tiles of mixed zooms.

pub mod mixed_tiles;

mod cities;
mod degrees;

pub use cities::{City, cities};
pub use degrees::Degrees;
