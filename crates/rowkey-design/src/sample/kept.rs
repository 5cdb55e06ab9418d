//! Keys that are kept: some at random, and some by their hash, of which each other key with that hash is known.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash is its own hash; what is left of small ones is spread.
#[derive(Default)]
struct OfHash(u64);

impl Hasher for OfHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

type ByHash<T> = HashMap<u64, T, BuildHasherDefault<OfHash>>;

/// Keys, each as likely as any other.
pub(crate) struct Chosen {
    /// A key is kept whose random number is not above it.
    limit: u64,
    kept: Vec<Kept>,
    bytes: usize,
}

/// A key that is kept.
struct Kept {
    random: u64,
    key: Vec<u8>,
    value_bytes: Option<u64>,
}

impl Chosen {
    const KEYS: usize = 50_000;
    const BYTES: usize = 16 << 20;
    /// No longer key is kept: no store has any.
    const LONGEST: usize = Self::BYTES / 16;
    /// The memory of a key beside its bytes.
    const EACH: usize = size_of::<Kept>() + 16;

    pub(crate) fn new() -> Self {
        Self { limit: u64::MAX, kept: Vec::new(), bytes: 0 }
    }

    #[inline]
    pub(crate) fn add(&mut self, random: u64, key: &[u8], value_bytes: Option<u64>) {
        if random <= self.limit && key.len() <= Self::LONGEST {
            self.keep(random, key, value_bytes);
        }
    }

    #[inline(never)]
    fn keep(&mut self, random: u64, key: &[u8], value_bytes: Option<u64>) {
        self.bytes += key.len() + Self::EACH;
        self.kept.push(Kept { random, key: key.to_vec(), value_bytes });
        while self.kept.len() > Self::KEYS || self.bytes > Self::BYTES {
            self.limit /= 2;
            self.kept.retain(|kept| kept.random <= self.limit);
            self.bytes = self.kept.iter().map(|kept| kept.key.len() + Self::EACH).sum();
        }
    }

    /// Keys in order, each with the bytes of its row's value.
    pub(crate) fn sorted(self) -> (Vec<Vec<u8>>, Vec<Option<u64>>) {
        let mut keys: Vec<_> = self.kept.into_iter().map(|kept| (kept.key, kept.value_bytes)).collect();
        keys.sort_unstable();
        keys.into_iter().unzip()
    }
}

/// The counts of keys: of those whose hash is below a limit, each time.
pub(super) struct Repeats {
    limit: u64,
    kept: ByHash<u64>,
    twice: Option<Vec<u8>>,
}

impl Repeats {
    const KEYS: usize = 1 << 16;

    pub(super) fn new() -> Self {
        Self { limit: u64::MAX, kept: ByHash::default(), twice: None }
    }

    #[inline]
    pub(super) fn add(&mut self, hash: u64, key: &[u8]) {
        if hash <= self.limit {
            self.count(hash, key);
        }
    }

    #[inline(never)]
    fn count(&mut self, hash: u64, key: &[u8]) {
        let count = self.kept.entry(hash).or_default();
        *count += 1;
        if *count == 2 && self.twice.is_none() {
            self.twice = Some(key.to_vec());
        }
        while self.kept.len() > Self::KEYS {
            self.limit /= 2;
            self.kept.retain(|hash, _| *hash <= self.limit);
        }
    }

    /// The number of different keys.
    pub(super) fn distinct(&self) -> f64 {
        let part = if self.limit == u64::MAX { 1.0 } else { self.limit as f64 / 2f64.powi(64) };
        self.kept.len() as f64 / part
    }

    /// The share of keys that are there before, and one of them.
    pub(super) fn repeated(self) -> (f64, Option<Vec<u8>>) {
        let keys: u64 = self.kept.values().sum();
        (keys.saturating_sub(self.kept.len() as u64) as f64 / keys.max(1) as f64, self.twice)
    }
}

/// Two keys that differ in the case of their text alone: of the keys whose hash in lower case is below a limit.
pub(super) struct Cases {
    limit: u64,
    kept: ByHash<Vec<u8>>,
    bytes: usize,
    found: Option<(Vec<u8>, Vec<u8>)>,
}

impl Cases {
    const KEYS: usize = 4096;
    const BYTES: usize = 4 << 20;
    /// Longer keys are not watched.
    const LONGEST: usize = Self::BYTES / 16;

    pub(super) fn new() -> Self {
        Self { limit: u64::MAX, kept: ByHash::default(), bytes: 0, found: None }
    }

    /// True if it still looks for them.
    pub(super) fn looks(&self) -> bool {
        self.found.is_none()
    }

    #[inline]
    pub(super) fn add(&mut self, folded: u64, key: &[u8]) {
        if folded <= self.limit && key.len() <= Self::LONGEST {
            self.keep(folded, key);
        }
    }

    #[inline(never)]
    fn keep(&mut self, folded: u64, key: &[u8]) {
        match self.kept.get(&folded) {
            Some(kept) if kept == key => return,
            Some(kept) => {
                let mut pair = [kept.clone(), key.to_vec()];
                pair.sort_unstable();
                let [first, second] = pair;
                self.found = Some((first, second));
                self.kept = ByHash::default();
                return;
            }
            None => {}
        }
        self.bytes += key.len();
        self.kept.insert(folded, key.to_vec());
        while self.kept.len() > Self::KEYS || self.bytes > Self::BYTES {
            self.limit /= 2;
            self.kept.retain(|folded, _| *folded <= self.limit);
            self.bytes = self.kept.values().map(Vec::len).sum();
        }
    }

    pub(super) fn found(self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.found
    }
}
