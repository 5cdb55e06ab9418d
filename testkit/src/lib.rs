//! Helpers that the tests of several packages, or of several files, share. A helper of one test alone stays in that
//! test. `tests/` has the tests that would slow down those of the core: faulty engines that the conformance suite must
//! refuse, processes that stall in a migration, and the compiler's messages about mistakes in a key.
//! `cargo test -p rowkey-testkit` runs them.
//!
//! [`Restrict`] is a store or a database that declares less than the one beneath, and does less. [`Cued`] asks a
//! [`Cue`] before each operation for its [`Fate`]: the cue counts operations, delays them, lets them wait for their
//! turn; [`Failing`] is a `Cued` that is killed, [`Stopped`] one whose time is up at some call. [`Altering`] is a wide
//! database whose alterations a test chooses. [`Slow`] is a store or a database at the end of a bad line, for
//! asynchronous code. [`Over`] forwards to an inner store or database and overrides some methods. [`hbase`] runs HBase's
//! own programs.

use std::cell::Cell;

mod altering;
mod cued;
mod failing;
pub mod fuzzed;
pub mod hbase;
pub mod killed;
mod over;
mod random;
mod restrict;
mod slow;
mod stopped;
mod verdict;

pub use altering::Altering;
pub use cued::{Cue, Cued, Fate, Op};
pub use failing::{Deaths, Failing, How, WITHOUT};
pub use over::{DatabaseOver, Over, StoreOver, WideDatabaseOver};
pub use random::Random;
pub use restrict::{Live, Restrict};
pub use slow::{Slow, over_a_line};
pub use stopped::{Stop, Stopped};
pub use verdict::{assert_named, verdict};

/// The bytes of a text of hexadecimal digits. Spaces between bytes are skipped.
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
///
/// # Panics
///
/// If it names something that is not a folder.
pub fn own_data(name: &str) -> Option<std::path::PathBuf> {
    let folder = std::path::PathBuf::from(std::env::var_os("ROWKEY_DATA")?);
    assert!(folder.is_dir(), "ROWKEY_DATA names {}, which is not a folder", folder.display());
    let path = folder.join(name);
    path.is_file().then_some(path)
}

/// Returns whether this is the long run, which `ROWKEY_LONG` asks for: it tries every combination where the short one
/// tries some, and many more random cases.
pub fn is_long() -> bool {
    std::env::var_os("ROWKEY_LONG").is_some()
}

/// The number of random cases that a test runs: `short`, or `long` in the long run.
pub fn cases(short: u32, long: u32) -> u32 {
    if is_long() { long } else { short }
}

/// The step by which combinations are tried: each `n`th, and each in the long run.
pub fn every(n: usize) -> usize {
    if is_long() { 1 } else { n }
}

/// The points at which something is tried, from 0 on: each in the long run, else each `n`th. A test that asks again and
/// again begins at another point each time, so that it comes to all of them.
pub fn points(n: u64) -> impl Iterator<Item = u64> {
    // Each test has a thread: what it tries depends on no other test.
    thread_local!(static FIRST: Cell<u64> = const { Cell::new(0) });
    let n = if is_long() { 1 } else { n };
    let first = FIRST.get();
    FIRST.set(first + 1);
    (first % n..).step_by(n as usize)
}
