//! The partitions of an engine that puts a row where the hash of its partition key is: so many that none is asked for
//! more than it takes, whatever chance puts together.

use super::QueryCost;
use crate::design::Cluster;
use crate::facts::KeyFacts;
use crate::frequencies::Frequencies;
use crate::load::{Capacity, WriteLoad, engine_of, frequencies, frequencies_of, reads_per_server};

/// Values of a partition key that are asked for as much as each other.
#[derive(Clone, Copy, Debug)]
struct Values {
    count: f64,
    /// The load of one of them, in parts of what a partition takes.
    each: f64,
}

/// The load of the values of a table's partition key, of writes and of reads.
#[derive(Clone, Debug)]
pub struct Partitioned([Vec<Values>; 2]);

/// The values of a load of which nothing says how many there are.
const UNKNOWN: f64 = 1e12;

/// The odds that chance puts too much on one of all partitions.
const ODDS: f64 = 0.01;

/// The part by which partitions are more, until they are enough.
const STEP: f64 = 1.0 / 32.0;

impl Partitioned {
    /// That of a key: of writes, which are to its table, and of queries, which it serves.
    pub fn of(
        key: &KeyFacts<'_>,
        capacity: &Capacity,
        cluster: Option<&Cluster>,
        loads: &[WriteLoad<'_>],
        queries: &[QueryCost<'_>],
    ) -> Self {
        let mut alike: Vec<(&WriteLoad<'_>, f64)> = Vec::new();
        for (load, part) in loads.iter().filter_map(|load| Some((load, load.peak? / capacity.takes(load)))) {
            match alike.iter_mut().find(|(first, _)| load.coincides(first)) {
                Some((_, sum)) => *sum += part,
                None => alike.push((load, part)),
            }
        }
        let writes = alike.into_iter().flat_map(|(load, part)| values(load.frequencies.as_ref(), part, 1.0));
        let takes = reads_per_server(engine_of(cluster), cluster).unwrap_or(f64::INFINITY);
        let reads = queries.iter().flat_map(|cost| read(key, cost, cluster, takes));
        Self([writes.collect(), reads.collect()])
    }

    /// The same of rates that are so many times as high.
    #[must_use]
    pub fn times(&self, times: f64) -> Self {
        let more = |value: &Values| Values { each: value.each * times, ..*value };
        Self(self.0.each_ref().map(|values| values.iter().map(more).collect()))
    }

    /// The same of writes, or of reads, without values that are asked for more than `most` each.
    #[must_use]
    pub fn lighter(&self, reads: bool, most: f64) -> Self {
        let mut lighter = self.clone();
        lighter.0[usize::from(reads)].retain(|value| value.each <= most);
        lighter
    }

    /// The load of the value that is asked for most, in parts of what a partition takes.
    pub fn heaviest(&self, reads: bool) -> f64 {
        self.0[usize::from(reads)].iter().map(|value| value.each).fold(0.0, f64::max)
    }

    /// True if a value alone is asked for more than a partition takes.
    pub fn is_of_one(&self, reads: bool) -> bool {
        self.heaviest(reads) > 1.0
    }

    /// The partitions, at least so many, of which none is asked for more than it takes; none if a value alone is, and
    /// where more than `most` are needed.
    pub fn enough(&self, reads: bool, least: f64, most: f64) -> Option<f64> {
        let values = &self.0[usize::from(reads)];
        if self.is_of_one(reads) {
            return None;
        }
        let mut partitions = least.max(1.0).ceil();
        while partitions <= most {
            if is_enough(values, partitions) {
                return Some(partitions);
            }
            partitions = (partitions * (1.0 + STEP)).ceil();
        }
        None
    }
}

/// The values of a load, in so many copies each.
fn values(frequencies: Option<&Frequencies>, part: f64, copies: f64) -> Vec<Values> {
    let of = |(count, share): (f64, f64)| Values { count: count * copies, each: share * part };
    match frequencies {
        Some(frequencies) => frequencies.groups().map(of).filter(|values| values.each > 0.0).collect(),
        None => vec![of((UNKNOWN, 1.0 / UNKNOWN))],
    }
}

/// The values that a query asks for.
fn read(key: &KeyFacts<'_>, cost: &QueryCost<'_>, cluster: Option<&Cluster>, takes: f64) -> Vec<Values> {
    let all = cost.reads_of_runs(cluster).unwrap_or(0.0) / takes;
    let asked = key.asked_by(cost.query);
    match cost.read_load(key.table, key, cluster) {
        _ if all <= 0.0 => Vec::new(),
        Some(load) if load.fans_out => {
            values(frequencies_of(&asked, &load.fields).as_ref(), load.reads / takes, cost.buckets as f64)
        }
        Some(load) => values(frequencies(&asked, &load.fields).as_ref(), load.reads / takes, 1.0),
        None => values(None, all, 1.0),
    }
}

/// True if chance puts more than a partition takes on one of so many with these odds at most: by Chernoff's bound, of
/// values each of which is in any of them.
fn is_enough(values: &[Values], partitions: f64) -> bool {
    /// The exponents that are tried: each a tenth more than the one before.
    const EXPONENTS: i32 = 80;
    let log = libm::log(partitions / ODDS);
    let bound = |exponent: f64| {
        let of = |value: &Values| value.count * libm::log1p(libm::expm1(exponent * value.each) / partitions);
        values.iter().map(of).sum::<f64>() - exponent
    };
    (0..EXPONENTS).any(|step| bound(1.1f64.powi(step)) + log <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enough(values: &[(f64, f64)], least: f64) -> Option<f64> {
        let values = values.iter().map(|(count, each)| Values { count: *count, each: *each }).collect();
        Partitioned([values, Vec::new()]).enough(false, least, 10_000.0)
    }

    #[test]
    fn partitions_leave_room_for_chance() {
        // Many small values are even.
        let many = enough(&[(1e9, 1e-8)], 1.0).unwrap();
        assert!((10.0..=11.0).contains(&many), "{many}");
        // A thousand values need more for the same load, and a hundred still more.
        let [thousand, hundred] = [(1000.0, 0.01), (100.0, 0.1)].map(|values| enough(&[values], 10.0).unwrap());
        assert!(thousand > 13.0 && thousand < 25.0, "{thousand}");
        assert!(hundred > thousand && hundred < 100.0, "{hundred}");
        // Beside a heavy one there is room for what falls on it.
        assert!(enough(&[(1.0, 0.9), (1e9, 1e-9)], 2.0).unwrap() >= 10.0);
        assert_eq!(enough(&[(1.0, 1.1), (1e9, 1e-9)], 2.0), None);
        assert_eq!(enough(&[], 3.0), Some(3.0));
    }

    #[test]
    fn of_so_many_partitions_hardly_any_hash_has_one_with_too_much() {
        let (values, each) = (1000u64, 0.01);
        let partitions = enough(&[(values as f64, each)], 10.0).unwrap() as u64;
        let fullest = |seed: u64| {
            let mut parts = vec![0.0; partitions as usize];
            (0..values).for_each(|value| {
                let hash = xxhash_rust::xxh3::xxh3_64_with_seed(&value.to_be_bytes(), seed);
                parts[((u128::from(hash) * u128::from(partitions)) >> 64) as usize] += each;
            });
            parts.into_iter().fold(0.0, f64::max)
        };
        let over = (0..1000).filter(|seed| fullest(*seed) > 1.0).count();
        assert!(over <= 10, "{over} of 1000 with {partitions}");
        // No more room than that takes.
        assert!(partitions < 25, "{partitions}");
    }
}
