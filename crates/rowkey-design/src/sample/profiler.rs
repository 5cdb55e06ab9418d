//! One pass over keys.

use std::collections::HashMap;

use fastrand::Rng;
use rowkey::lead::{Lead, Salt};
use rowkey::splits::Splits;
use rowkey::{LayoutBuf, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::direction::Front;
use super::field::{Field, Weights, shown};
use super::kept::{Cases, Chosen, Repeats};
use super::starts;
use super::value::{folded, has_text, hash};
use crate::profile::Profile;

/// The keys that are all looked at closely, and the share of those after them. To count frequent values takes less
/// time: one of this many is counted.
const CLOSE: u64 = 1 << 16;
const ONE_OF: u64 = 64;
const COUNTED: u64 = 8;

/// The number of salt buckets that are counted.
const MOST_BUCKETS: u32 = 4096;

/// The most characters of the fault of a key.
const FAULT: usize = 400;

/// Finds a [`Profile`] of keys that it is given one after the other, in bounded memory.
///
/// ```
/// use rowkey_design::internal::sample::Profiler;
///
/// let layout = "text, u32 desc".parse()?;
/// let mut profiler = Profiler::new(&layout, None);
/// for key in [&b"bonn\x00\xff\xff\xff\xfe"[..], b"lyon\x00\xff\xff\xff\xfd", b"\x01"] {
///     profiler.add(key);
/// }
/// let profile = profiler.finish();
/// assert_eq!((profile.keys, profile.undecoded, profile.fields[0].distinct), (3, 1, 2.0));
/// # Ok::<(), rowkey::LayoutError>(())
/// ```
pub struct Profiler {
    layout: LayoutBuf,
    splits: Option<Splits>,
    salt: Option<Salt<String>>,
    rng: Rng,
    profile: Profile,
    fields: Vec<Field>,
    front: Front<Vec<u8>>,
    chosen: Chosen,
    repeats: Repeats,
    cases: Option<Cases>,
    /// True if a key can be the beginning of another.
    prefixes: bool,
    last: Vec<u8>,
    last_decodes: bool,
    in_order: bool,
    moved: bool,
    values: (u64, u128),
    /// The values of the key, and bytes of one of them.
    decoded: Vec<Value>,
    scratch: Vec<u8>,
}

impl Profiler {
    /// For keys of a layout, in a table with these regions.
    pub fn new(layout: &LayoutBuf, splits: Option<&Splits>) -> Self {
        let count = layout.fields().len();
        let salt = match layout.lead() {
            Lead::Salt(salt) if salt.buckets <= MOST_BUCKETS => Some(salt.clone()),
            _ => None,
        };
        let profile = Profile {
            buckets: vec![0; salt.as_ref().map_or(0, |salt| salt.buckets as usize)],
            regions: vec![0; splits.map_or(0, Splits::regions)],
            region_bytes: vec![0; splits.map_or(0, Splits::regions)],
            ..Profile::default()
        };
        Self {
            fields: layout.fields().iter().map(|field| Field::new(field, count)).collect(),
            cases: has_text(layout.fields()).then(Cases::new),
            prefixes: layout.width().is_none(),
            layout: layout.clone(),
            splits: splits.cloned(),
            salt,
            rng: Rng::with_seed(0x726f_776b_6579),
            profile,
            front: Front::new(),
            chosen: Chosen::new(),
            repeats: Repeats::new(),
            last: Vec::new(),
            last_decodes: false,
            in_order: true,
            moved: false,
            values: (0, 0),
            decoded: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Takes the next key.
    pub fn add(&mut self, key: &[u8]) {
        self.add_line(self.profile.keys.saturating_add(1), key, None);
    }

    /// Takes the next key, from a line with this number, and the bytes of its row's value where they are known.
    pub fn add_line(&mut self, line: u64, key: &[u8], value_bytes: Option<u64>) {
        let first = self.profile.keys == 0;
        self.profile.keys += 1;
        self.profile.bytes = self.profile.bytes.saturating_add(key.len() as u64);
        self.profile.shortest = if first { key.len() } else { self.profile.shortest.min(key.len()) };
        self.profile.longest = self.profile.longest.max(key.len());
        if let Some(bytes) = value_bytes {
            self.values = (self.values.0 + 1, self.values.1 + u128::from(bytes));
            self.profile.largest_value = self.profile.largest_value.max(Some(bytes));
        }
        self.begins(first, key);
        if let Some(splits) = &self.splits {
            let region = splits.region_of(key);
            self.profile.regions[region] += 1;
            let bytes = (key.len() as u64).saturating_add(value_bytes.unwrap_or(0));
            self.profile.region_bytes[region] = self.profile.region_bytes[region].saturating_add(bytes);
        }
        self.repeats.add(xxh3_64(key), key);
        // The highest bits choose keys to keep, the lowest those to look at.
        let random = self.rng.u64(..);
        let one_of = |many: u64| match self.profile.keys <= CLOSE {
            true => Some(1),
            false => random.is_multiple_of(many).then_some(many),
        };
        let weights = Weights { counted: one_of(COUNTED), looked: one_of(ONE_OF) };
        if let Some(weight) = weights.looked {
            self.front.add(key, weight, &mut self.rng, |a, b| a.cmp(b), <[u8]>::to_vec);
        }
        let decodes = self.decode(line, key, value_bytes, random, weights);
        if self.in_order || self.prefixes {
            self.after(key, decodes);
        }
    }

    /// The bytes that all keys begin with.
    fn begins(&mut self, first: bool, key: &[u8]) {
        let dead = &mut self.profile.dead_prefix;
        if first {
            dead.extend_from_slice(key);
        } else if !key.starts_with(dead) {
            let same = dead.iter().zip(key).take_while(|(a, b)| a == b).count();
            dead.truncate(same);
        }
    }

    fn decode(&mut self, line: u64, key: &[u8], value_bytes: Option<u64>, random: u64, weights: Weights) -> bool {
        if let Err(error) = self.layout.decode_to(key, &mut self.decoded) {
            self.profile.undecoded += 1;
            let fault = || error.to_string().chars().take(FAULT).collect();
            self.profile.first_undecoded.get_or_insert_with(|| (line, fault()));
            return false;
        }
        self.chosen.add(random, key, value_bytes);
        let bucket = self.salt.as_ref().and_then(|salt| bucket(salt, key));
        if let Some(count) = bucket.and_then(|bucket| self.profile.buckets.get_mut(bucket)) {
            *count += 1;
        }
        if let Some(cases) = self.cases.as_mut().filter(|cases| cases.looks()) {
            cases.add(folded(&self.decoded, 0, &mut self.scratch), key);
        }
        for (field, value) in self.fields.iter_mut().zip(&self.decoded) {
            field.add(value, weights, &mut self.rng, &mut self.scratch);
        }
        true
    }

    /// Compares a key with the one before it.
    fn after(&mut self, key: &[u8], decodes: bool) {
        if self.profile.keys > 1 {
            let order = self.last.as_slice().cmp(key);
            self.in_order &= order.is_le();
            self.moved |= order.is_ne();
            if self.prefixes && decodes && self.last_decodes && order.is_ne() && self.profile.prefixes.is_none() {
                self.profile.prefixes = prefix(&self.last, key).or_else(|| prefix(key, &self.last));
                self.prefixes = self.profile.prefixes.is_none();
            }
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        self.last_decodes = decodes;
    }

    /// The profile.
    pub fn finish(self) -> Profile {
        let Self { mut profile, layout, mut fields, .. } = self;
        // An estimate, which can exceed what there is.
        profile.distinct = self.repeats.distinct().min(profile.keys as f64);
        (profile.repeated, profile.twice) = self.repeats.repeated();
        profile.in_key_order = self.in_order && self.moved;
        profile.direction = self.front.direction();
        let (sizes, sum) = self.values;
        profile.value_bytes = (sizes > 0).then(|| sum as f64 / sizes as f64);
        profile.case = self.cases.and_then(Cases::found);
        let (keys, sizes) = self.chosen.sorted();
        profile.sample = keys;
        match profile.value_bytes {
            Some(mean) => {
                let bytes = profile
                    .sample
                    .iter()
                    .zip(sizes)
                    .map(|(key, value)| (key.len() as u64).saturating_add(value.unwrap_or(mean as u64)));
                profile.sample_bytes = bytes.collect();
            }
            None => profile.region_bytes = Vec::new(),
        }
        if self.prefixes {
            // If one key is the beginning of another, it is that of the next one.
            profile.prefixes = profile.sample.windows(2).find_map(|pair| prefix(&pair[0], &pair[1]));
        }
        let spreads: Vec<_> = fields.iter_mut().map(Field::spread).collect();
        let mut texts: Vec<HashMap<u64, String>> = vec![HashMap::new(); fields.len()];
        let mut wanted: Vec<Vec<u64>> =
            spreads.iter().map(|spread| spread.top.iter().map(|(hash, _)| *hash).collect()).collect();
        for key in &profile.sample {
            if wanted.iter().all(Vec::is_empty) {
                break;
            }
            for (i, value) in layout.decode(key).into_iter().flatten().enumerate() {
                let hash = hash(&value);
                if let Some(at) = wanted[i].iter().position(|wanted| *wanted == hash) {
                    wanted[i].swap_remove(at);
                    texts[i].insert(hash, shown(&value));
                }
            }
        }
        let all = fields.into_iter().zip(spreads).zip(&texts);
        profile.fields = all.map(|((field, spread), texts)| field.profile(spread, texts)).collect();
        for (i, (field, of)) in profile.fields.iter_mut().zip(layout.fields()).enumerate() {
            let value = |key: usize| layout.decode(&profile.sample[key]).ok()?.into_iter().nth(i);
            field.starts = starts::shares(&of.ty, profile.sample.len(), value);
        }
        profile
    }
}

/// The two, if the first is the beginning of the second and not all of it.
fn prefix(first: &[u8], second: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    (first.len() < second.len() && second.starts_with(first)).then(|| (first.to_vec(), second.to_vec()))
}

/// The number in a salt.
fn bucket(salt: &Salt<String>, key: &[u8]) -> Option<usize> {
    salt.bucket_of(key).map(|bucket| bucket as usize)
}
