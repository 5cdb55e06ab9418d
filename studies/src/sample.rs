//! The samples of `data/`, whose README names source and licence of each.

/// A web log in the combined format, gzip.
pub const ACCESS_LOG: &[u8] = include_bytes!("../data/access.log.gz");

/// A thousand cities, as [`geo::cities`](crate::geo::cities) reads them.
pub const CITIES: &[u8] = include_bytes!("../data/cities.tsv");

/// The home pages of 2,000 packages, one URL a line, gzip.
pub const HOMEPAGES: &[u8] = include_bytes!("../data/homepages.txt.gz");

/// Ranges of addresses and their countries: lines of start,end,country.
pub const IP_COUNTRY: &[u8] = include_bytes!("../data/ip-country.csv");

/// 2,000 packages: name, version, section, installed KiB, gzip.
pub const PACKAGES: &[u8] = include_bytes!("../data/packages.tsv.gz");

/// Which of these packages depends on which, gzip.
pub const PACKAGE_LINKS: &[u8] = include_bytes!("../data/package-links.tsv.gz");

/// The hourly temperatures of two cities: city, local time, degrees Fahrenheit.
pub const TEMPERATURES: &[u8] = include_bytes!("../data/temperatures.tsv");
