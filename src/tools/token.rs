//! Tokens: each names one write.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::keys::clock::{Clock as _, SystemClock};

/// The name of one write: no two writes have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    millis: u64,
    unique: u64,
}

impl Token {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Self { millis: now(), unique: SEED.hash_one((COUNT.fetch_add(1, Ordering::Relaxed), std::process::id())) }
    }

    /// Returns whether it is at least this old.
    pub(crate) fn is_older_than(self, age: Duration) -> bool {
        u128::from(now().saturating_sub(self.millis)) >= age.as_millis()
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.millis) << 64 | u128::from(self.unique)).to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, unique @ ..] = bytes;
        Self { millis: u64::from_be_bytes([a, b, c, d, e, f, g, h]), unique: u64::from_be_bytes(unique) }
    }
}

fn now() -> u64 {
    u64::try_from(SystemClock.now()).unwrap_or(0)
}
