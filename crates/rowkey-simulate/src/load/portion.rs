//! The events among which the runs of queries are divided, and the ranges that each of these reads.

use super::LoadError;
use super::options::Options;

/// The most ranges that are made at once for one run; of more some are made, which stand for all.
pub(super) const MADE: u64 = 1 << 17;

/// The most ranges that are made at once for a run of each query.
const MOST: u64 = 1 << 22;

/// A query's part of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Portion {
    /// The runs that an event stands for.
    pub(super) weight: u64,
    /// The ranges that it reads at most.
    pub(super) ranges: usize,
}

impl Portion {
    /// The parts of queries, of which each has so many runs, of so many ranges. Queries that run seldom have some events
    /// besides: few runs may each read much.
    pub(super) fn of(queries: &[(u64, u64)], options: &Options) -> Result<Vec<Self>, LoadError> {
        let ranges = queries.iter().map(|(_, ranges)| (*ranges).min(MADE)).fold(0, u64::saturating_add);
        if ranges > MOST {
            return Err(LoadError::TooManyRanges { ranges, most: MOST });
        }
        let runs = options.weight(queries.iter().map(|(count, _)| *count).fold(0, u64::saturating_add));
        let least = (options.most / 1000).min(options.most / queries.len().max(1) as u64).max(1);
        let weights = queries.iter().map(|(count, _)| runs.min((count / least).max(1)));
        let mut parts: Vec<_> = weights.zip(queries).map(|(weight, query)| Self::whole(weight, query)).collect();
        // Those that read least read all; the others have as many ranges as each other.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        let needs = |at: usize, parts: &[(Self, u64)]| u128::from(parts[at].1) * parts[at].0.ranges as u128;
        order.sort_by_key(|at| needs(*at, &parts));
        let mut left = u128::from(options.most);
        for (number, at) in order.iter().enumerate() {
            let own = needs(*at, &parts).min(left / (order.len() - number) as u128);
            left -= own;
            let (part, events) = &mut parts[*at];
            part.ranges = usize::try_from(own / u128::from(*events)).unwrap_or(usize::MAX).max(1);
        }
        Ok(parts.into_iter().map(|(part, _)| part).collect())
    }

    /// The part that reads all ranges, and its events.
    fn whole(weight: u64, (count, ranges): &(u64, u64)) -> (Self, u64) {
        let ranges = usize::try_from(*ranges).unwrap_or(usize::MAX);
        (Self { weight, ranges }, count.div_ceil(weight).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(queries: &[(u64, u64)], most: u64) -> Vec<(u64, usize)> {
        let parts = Portion::of(queries, &Options { most, ..Options::default() }).unwrap();
        parts.into_iter().map(|part| (part.weight, part.ranges)).collect()
    }

    #[test]
    fn ranges_are_bounded_however_many_queries_there_are() {
        // One that fits, beside one that does not.
        assert_eq!(of(&[(1000, 2), (1000, 100_000)], 10_000), [(1, 2), (1, 8)]);
        for queries in [1_u64, 60, 3000] {
            for (count, ranges) in [(1, 1), (86_400, 1), (86_400, 1000), (1 << 40, 1000)] {
                let all: Vec<_> = (0..queries).map(|_| (count, ranges)).collect();
                let parts = of(&all, 100_000);
                let events: u64 = parts.iter().map(|(weight, _)| count.div_ceil(*weight)).sum();
                let read: u64 = parts.iter().map(|(weight, each)| count.div_ceil(*weight) * *each as u64).sum();
                assert!(events <= 2 * 100_000 + queries && read <= 300_000 + queries, "{queries}: {events}, {read}");
            }
        }
    }

    #[test]
    fn too_many_ranges_are_refused_with_the_limit() {
        let queries = vec![(1, 65_536); 65];
        assert!(Portion::of(&queries[1..], &Options::default()).is_ok());
        let error = Portion::of(&queries, &Options::default()).unwrap_err();
        assert!(error.to_string().contains("4259840 ranges together, of which 4194304 can be simulated"), "{error}");
    }
}
