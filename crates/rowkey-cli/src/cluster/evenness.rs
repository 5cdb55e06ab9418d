//! Laws of samples: even over the rows, and of the layout of as many random keys.

use std::collections::BTreeSet;

use futures_util::FutureExt as _;
use rowkey_design::internal::drawn::mix;

use super::Keys;
use super::guess::Guess;
use super::in_memory::InMemory;
use super::places::sample;
use super::range::Range;

const ROWS: u64 = 20_000;

/// The keys of which the layout is guessed.
const LAYOUT_OF: usize = 300;

/// The greatest chi-square of eighths, of which one in a thousand random samples has a greater one.
const GREATEST: f64 = 24.3;

fn sampled(rows: &InMemory, most: usize) -> Keys {
    let all = Range { start: vec![], is_after: false, end: vec![] };
    let Ok(keys) = sample(rows, vec![all], most).now_or_never().unwrap();
    assert_eq!(keys.len(), most);
    keys
}

/// The keys of a sample in each eighth of the rows.
fn eighths(rows: &InMemory, keys: &Keys) -> [usize; 8] {
    let all: Vec<&Vec<u8>> = rows.keys.iter().collect();
    let mut eighths = [0; 8];
    keys.iter().for_each(|key| eighths[all.partition_point(|row| *row < key) * 8 / all.len()] += 1);
    eighths
}

fn chi_square(counts: [usize; 8]) -> f64 {
    let due = counts.iter().sum::<usize>() as f64 / 8.0;
    counts.iter().map(|count| (*count as f64 - due).powi(2) / due).sum()
}

fn guessed(keys: &Keys) -> String {
    Guess::of("t", Some(keys), &[]).key.map_or(String::new(), |key| key.layout.shape().to_string())
}

/// As many random rows.
fn random(rows: &InMemory, most: usize, seed: u64) -> Keys {
    let all: Vec<&Vec<u8>> = rows.keys.iter().collect();
    let mut at = BTreeSet::new();
    let mut drawn = mix(seed);
    while at.len() < most {
        drawn = mix(drawn);
        at.insert((drawn % all.len() as u64) as usize);
    }
    at.into_iter().map(|at| all[at].clone()).collect()
}

fn is_even(what: &str, key: impl Fn(u64) -> Vec<u8>) {
    let rows = InMemory::of((0..ROWS).map(key));
    for most in [100, 300, 1000] {
        let keys = sampled(&rows, most);
        let eighths = eighths(&rows, &keys);
        assert!(chi_square(eighths) < GREATEST, "{what}, {most}: {eighths:?}");
    }
    // What is guessed differs from one random sample to the next.
    let own = guessed(&sampled(&rows, LAYOUT_OF));
    let of_random = || (0..6).map(|seed| guessed(&random(&rows, LAYOUT_OF, seed)));
    assert!(of_random().any(|guess| guess == own), "{what}: {own} {:?}", of_random().collect::<Vec<_>>());
}

#[test]
fn sequences_are_sampled_evenly() {
    is_even("a part of orders", |row| (0x14_2c57 + row * 7).to_be_bytes().to_vec());
    for seed in 0..6 {
        let start = (mix(seed) >> 20) >> (mix(seed ^ 99) % 24);
        let step = 1 + mix(seed ^ 5) % 100;
        is_even(&format!("{start:x} by {step}"), |row| (start + row * step).to_be_bytes().to_vec());
    }
}

#[test]
fn uniform_bytes_are_sampled_evenly() {
    for (width, seed) in [(8, 1), (12, 2), (16, 3), (20, 4)] {
        let bytes =
            |row: u64| (0..3).flat_map(|part| mix((row * 8 + part) ^ (seed << 40)).to_be_bytes()).take(width).collect();
        is_even(&format!("{width} bytes"), bytes);
    }
}

#[test]
fn decimal_numbers_are_sampled_evenly() {
    for (start, step) in [(0, 1), (1_000_000, 3), (4096, 17), (123_456_789, 1)] {
        is_even(&format!("{start} by {step}"), |row| format!("{:010}", start + row * step).into_bytes());
    }
}

#[test]
fn words_are_sampled_evenly() {
    let word = |row: u64, letters: u64| (0..8).map(|at| b'a' + (mix(row * 8 + at) % letters) as u8).collect();
    for letters in [6, 16, 26] {
        is_even(&format!("{letters} letters"), |row| word(row, letters));
    }
    is_even("hexadecimal", |row| format!("{:016x}", mix(row)).into_bytes());
}
