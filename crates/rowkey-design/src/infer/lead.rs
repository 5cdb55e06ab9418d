//! Salts and digests: whether the first bytes of keys are a hash of the rest, tried with every known hash, and in the
//! forms of other programs: digits of a hash or of a bucket, before a delimiter or not.

use std::collections::{HashMap, HashSet};

use data_encoding::{HEXLOWER, HEXUPPER};
use rowkey::foreign::{Case, Delimiter, HashFunction, HashPrefix};
use rowkey::layout::Scalar;
use rowkey::lead::SaltHash;

use super::bits;
use super::search::Path;

/// The hash that first bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hashed {
    Salt { buckets: u32, hash: &'static str, hex: bool },
    Digits { buckets: u32, hash: &'static str, width: usize, delimiter: Option<Delimiter> },
    Digest,
    Hash(HashPrefix),
}

/// All that was tried already: the hashed bytes of the first keys, and what was found.
pub(super) type Memory = HashMap<Vec<Vec<u8>>, Option<Hashed>>;

/// The widths of salts and digests.
pub(super) const WIDTHS: [usize; 24] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 32, 33, 40, 41, 64, 65];

/// As many bits of hashes that agree are no accident.
const ENOUGH: f64 = 18.0;
/// The same of the forms of other programs, which are more.
const ENOUGH_OF_OTHERS: f64 = 24.0;

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
            Hashed::Digits { buckets, hash, width, delimiter } => {
                let delimiter = delimiter.map(|delimiter| format!(" {delimiter}")).unwrap_or_default();
                Some(format!("salt({buckets} {hash} dec[{width}{delimiter}]{by}) "))
            }
            Hashed::Hash(prefix) => Some(format!("hash({prefix}{by}) ")),
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
    if is_digest(keys, width, &of_key) {
        return Some(Hashed::Digest);
    }
    let delimiter = delimiter_at(keys, width - 1);
    if let Some(taken) = delimiter.and(width.checked_sub(1)).filter(|taken| *taken > 0)
        && let Some(found) = of_others(keys, taken, delimiter, &of_key)
    {
        return Some(found);
    }
    of_others(keys, width, None, &of_key)
}

/// The byte of all keys at this place, if it can be a delimiter.
fn delimiter_at(keys: &[&[u8]], at: usize) -> Option<Delimiter> {
    let byte = *keys.first()?.get(at)?;
    let is_same = keys.iter().all(|key| key.get(at) == Some(&byte));
    Delimiter::new(&[byte]).filter(|_| is_same && byte.is_ascii_punctuation())
}

/// A hash, or a bucket in digits, as other programs write them.
fn of_others(
    keys: &[&[u8]],
    taken: usize,
    delimiter: Option<Delimiter>,
    of_key: &impl Fn(usize) -> Vec<u8>,
) -> Option<Hashed> {
    let count = u8::try_from(taken).ok()?;
    let before = |prefix: HashPrefix| delimiter.map_or(prefix, |delimiter| prefix.before(delimiter));
    let are = |is: fn(&u8) -> bool| keys.iter().all(|key| key[..taken].iter().all(is));
    let lower = are(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let upper = are(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    for function in HashFunction::ALL {
        let begins = |written: &dyn Fn(&[u8]) -> Vec<u8>, bits: f64| {
            let (mut seen, mut goes_on) = (HashSet::new(), true);
            let all = (0..keys.len()).all(|i| {
                let hash = function.of(&of_key(i)).unwrap_or_default();
                let text = written(&hash);
                goes_on &= text.get(taken).is_some_and(|next| keys[i].get(taken) == Some(next));
                seen.insert(hash);
                text.starts_with(&keys[i][..taken])
            });
            // More of the hash is there: a wider part of it is meant.
            all && !goes_on && seen.len() as f64 * bits * taken as f64 >= ENOUGH_OF_OTHERS
        };
        for (is_of_case, case, digits) in [(lower, Case::Lower, HEXLOWER), (upper, Case::Upper, HEXUPPER)] {
            let prefix = HashPrefix::hex(function, count, case).filter(|_| is_of_case);
            if let Some(prefix) = prefix.filter(|_| begins(&|hash| digits.encode(hash).into_bytes(), 4.0)) {
                return Some(Hashed::Hash(before(prefix)));
            }
        }
        let prefix = HashPrefix::bytes(function, count);
        if let Some(prefix) = prefix.filter(|_| begins(&<[u8]>::to_vec, 8.0)) {
            return Some(Hashed::Hash(before(prefix)));
        }
    }
    let salts = || {
        let digit = |number: u64, byte: &u8| byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0'));
        keys.iter().map(|key| key[..taken].iter().try_fold(0, digit)).collect::<Option<Vec<u64>>>()
    };
    let salts = (1..=5).contains(&taken).then(salts)??;
    for hash in SaltHash::all() {
        let Some(function) = hash.hash else { continue };
        let is_of_width = |buckets: u64| (buckets - 1).to_string().len() == taken;
        if let Some(buckets) = common(&salts, |i| function(&of_key(i)), is_of_width, ENOUGH_OF_OTHERS) {
            return Some(Hashed::Digits { buckets, hash: hash.name, width: taken, delimiter });
        }
    }
    None
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
    let is_of_width = |buckets: u64| match (hex, width) {
        (false, 1) => buckets <= 256,
        (false, _) => buckets > 256,
        (true, 1) => buckets <= 16,
        (true, 2) => buckets > 16 && buckets <= 256,
        (true, _) => buckets > 256,
    };
    let salts: Vec<u64> = (0..keys.len()).map(salt).collect::<Option<_>>()?;
    common(&salts, hash, is_of_width, ENOUGH)
}

/// The number of buckets by which these are the salts of hashes.
fn common(salts: &[u64], hash: impl Fn(usize) -> u64, is_of_width: impl Fn(u64) -> bool, enough: f64) -> Option<u32> {
    let (mut divisor, mut most) = (0_u64, 0);
    let mut seen = HashSet::new();
    for (i, salt) in salts.iter().enumerate() {
        let hash = hash(i);
        divisor = bits::common(divisor, hash.abs_diff(*salt));
        most = most.max(*salt);
        seen.insert(hash);
        // The number of buckets divides all differences.
        if divisor != 0 && divisor <= most {
            return None;
        }
    }
    let known = (2..=65_536.min(divisor)).rev().filter(|buckets| *buckets > most && divisor.is_multiple_of(*buckets));
    let buckets = known.into_iter().find(|buckets| is_of_width(*buckets))?;
    let agreed = seen.len() as f64 * (buckets as f64).log2();
    (agreed >= enough).then(|| u32::try_from(buckets).ok())?
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
