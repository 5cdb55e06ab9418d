//! Salts and digests: whether the first bytes of keys are a hash of the rest, tried with every known hash.

use std::collections::{HashMap, HashSet};

use rowkey::layout::Scalar;
use rowkey::lead::SaltHash;

use super::bits;
use super::search::Path;

/// The hash that first bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hashed {
    Salt { buckets: u32, hash: &'static str, hex: bool },
    Digest,
}

/// All that was tried already: the hashed bytes of the first keys, and what was found.
pub(super) type Memory = HashMap<Vec<Vec<u8>>, Option<Hashed>>;

/// The widths of salts and digests.
pub(super) const WIDTHS: [usize; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// As many bits of hashes that agree are no accident.
const ENOUGH: f64 = 18.0;

/// The prefix of this width before the fields of a path, as it begins a shape, if the first bytes of all keys are a hash
/// of some of them.
pub(super) fn of(keys: &[&[u8]], width: usize, path: &Path, memory: &mut Memory) -> Option<String> {
    let fields = path.ends.len().min(6);
    let all = (1_u32 << fields) - 1;
    // All fields first, then each alone, then several.
    let mut sets: Vec<u32> = (1..=all).collect();
    sets.sort_by_key(|set| if *set == all { 0 } else { set.count_ones() });
    let whole = path.ends.len() == fields;
    // A hash is taken without the delimiter that ends what is hashed.
    let delimiters: Vec<usize> = path.models.iter().map(|model| delimiter(&model.shape)).collect();
    sets.into_iter().find_map(|set| {
        let of_key = |i: usize| -> Vec<u8> {
            let start = |field: usize| if field == 0 { width } else { path.ends[field - 1][i] as usize };
            let part = |field: usize| &keys[i][start(field)..path.ends[field][i] as usize];
            let mut hashed: Vec<u8> =
                (0..fields).filter(|field| set >> field & 1 == 1).flat_map(part).copied().collect();
            let last = delimiters.get(set.ilog2() as usize).copied().unwrap_or(0);
            hashed.truncate(hashed.len() - last.min(hashed.len()));
            hashed
        };
        let of_first = (0..keys.len().min(3)).map(of_key).collect();
        let hashed = *memory.entry(of_first).or_insert_with(|| hashed(keys, width, of_key));
        let indices = (0..fields).filter(|field| set >> field & 1 == 1).map(|field| format!(" {field}"));
        let by = if set == all && whole { String::new() } else { format!(" by{}", indices.collect::<String>()) };
        match hashed? {
            Hashed::Salt { buckets, hash, hex } => {
                Some(format!("salt({buckets} {hash}{}{by}) ", if hex { " hex" } else { "" }))
            }
            // A digest is of the first fields.
            Hashed::Digest => (set + 1).is_power_of_two().then(|| format!("md5({width}{by}) ")),
        }
    })
}

/// The number of bytes of the delimiter after a field of this shape.
fn delimiter(shape: &str) -> usize {
    match Scalar::from_shape(shape) {
        Some(Scalar::Foreign(foreign)) => foreign.delimiter_len(),
        _ => 0,
    }
}

fn hashed(keys: &[&[u8]], width: usize, of_key: impl Fn(usize) -> Vec<u8>) -> Option<Hashed> {
    for hash in SaltHash::KNOWN {
        let Some(function) = hash.hash else { continue };
        for hex in [false, true] {
            if let Some(buckets) = buckets(keys, width, hex, |i| function(&of_key(i))) {
                return Some(Hashed::Salt { buckets, hash: hash.name, hex });
            }
        }
    }
    is_digest(keys, width, of_key).then_some(Hashed::Digest)
}

/// The number of buckets, if the first bytes are a hash by them.
fn buckets(keys: &[&[u8]], width: usize, hex: bool, hash: impl Fn(usize) -> u64) -> Option<u32> {
    let salt = |i: usize| -> Option<u64> {
        keys[i][..width].iter().try_fold(0, |number, byte| {
            Some(match (hex, byte) {
                (false, _) => number << 8 | u64::from(*byte),
                (true, b'0'..=b'9') => number << 4 | u64::from(byte - b'0'),
                (true, b'a'..=b'f') => number << 4 | u64::from(byte - b'a' + 10),
                _ => return None,
            })
        })
    };
    if !matches!((hex, width), (false, 1 | 2) | (true, 1 | 2 | 4)) {
        return None;
    }
    let (mut divisor, mut most) = (0_u64, 0);
    let mut seen = HashSet::new();
    for i in 0..keys.len() {
        let (salt, hash) = (salt(i)?, hash(i));
        divisor = bits::common(divisor, hash.abs_diff(salt));
        most = most.max(salt);
        seen.insert(hash);
        // The number of buckets divides all differences.
        if divisor != 0 && divisor <= most {
            return None;
        }
    }
    let is_of_width = |buckets: u64| match (hex, width) {
        (false, 1) => buckets <= 256,
        (false, _) => buckets > 256,
        (true, 1) => buckets <= 16,
        (true, 2) => buckets > 16 && buckets <= 256,
        (true, _) => buckets > 256,
    };
    let known = (2..=65_536.min(divisor)).rev().filter(|buckets| *buckets > most && divisor.is_multiple_of(*buckets));
    let buckets = known.into_iter().find(|buckets| is_of_width(*buckets))?;
    let agreed = seen.len() as f64 * (buckets as f64).log2();
    (agreed >= ENOUGH).then(|| u32::try_from(buckets).ok())?
}

fn is_digest(keys: &[&[u8]], width: usize, of_key: impl Fn(usize) -> Vec<u8>) -> bool {
    let Some(md5) = SaltHash::MD5.hash else { return false };
    let first = width.min(8);
    let mut seen = HashSet::new();
    let all = (0..keys.len()).all(|i| {
        let hash = md5(&of_key(i));
        seen.insert(hash);
        hash.to_be_bytes()[..first] == keys[i][..first]
    });
    all && seen.len() as f64 * 8.0 * first as f64 >= ENOUGH
}
