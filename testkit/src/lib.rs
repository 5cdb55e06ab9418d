//! What the tests of several packages, or of several files, share. What one test alone uses stays in that test.
//!
//! [`Restrict`] is a store or a database that declares less than the one beneath, and does less. [`Cued`] asks before each
//! operation what becomes of it: it counts them, delays them, lets them wait for their turn; [`Failing`] is one that is killed.

mod cued;
mod failing;
pub mod fuzzed;
pub mod killed;
mod random;
mod restrict;
mod verdict;

pub use cued::{Cue, Cued, Fate, Op};
pub use failing::{Deaths, Failing, How, WITHOUT};
pub use random::Random;
pub use restrict::{Live, Restrict};
pub use verdict::{assert_named, verdict};

/// The bytes that a text of hexadecimal digits stands for; spaces may stand between them.
///
/// # Panics
///
/// If it is not such a text.
pub fn unhex(hex: &str) -> Vec<u8> {
    let hex = hex.replace(' ', "");
    assert!(hex.len().is_multiple_of(2), "half a byte at the end of {hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits")).collect()
}

/// A file in the folder that `ROWKEY_DATA` names, if there is one.
pub fn own_data(name: &str) -> Option<std::path::PathBuf> {
    let path = std::path::PathBuf::from(std::env::var_os("ROWKEY_DATA")?).join(name);
    path.is_file().then_some(path)
}

/// How many cases a test runs: as many as `ROWKEY_CASES` says, or these.
pub fn cases(default: u32) -> u32 {
    let said = std::env::var("ROWKEY_CASES").ok();
    said.map_or(default, |cases| cases.parse().expect("ROWKEY_CASES is a number"))
}
