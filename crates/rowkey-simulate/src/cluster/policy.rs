//! The size at which a region is split.

use super::constants::{INCREASING_REGIONS, INITIAL_FLUSHES};
use super::draw::Draws;
use crate::run::SplitPolicy;

/// The size over which a region is split, by the number of the table's regions on its server; none: it never is.
///
/// `max` is the region's full limit, after its jitter (`SteppingSplitPolicy`,
/// `IncreasingToUpperBoundRegionSplitPolicy`, `ConstantSizeRegionSplitPolicy`, `DisabledRegionSplitPolicy`).
pub(crate) fn limit(policy: SplitPolicy, regions_on_server: u64, flush_size: u64, max: u64) -> Option<u64> {
    let initial = flush_size.saturating_mul(INITIAL_FLUSHES);
    match policy {
        SplitPolicy::Stepping => Some(if regions_on_server == 1 { initial } else { max }),
        SplitPolicy::Increasing if (1..=INCREASING_REGIONS).contains(&regions_on_server) => {
            Some(max.min(initial.saturating_mul(regions_on_server.pow(3))))
        }
        SplitPolicy::Increasing | SplitPolicy::Constant => Some(max),
        SplitPolicy::Disabled => None,
    }
}

/// Part of the limit by which regions differ, in millionths: `hbase.hregion.max.filesize.jitter`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jitter(u32);

/// The steps of a random `float` in Java, with the sign of the half below.
const FLOAT_STEPS: u64 = 1 << 24;

impl Jitter {
    /// A jitter; what is no number, or less than 0, is 0, and no region is made smaller than half.
    pub(crate) fn new(part: f64) -> Self {
        Self((part.clamp(0.0, 1.0) * 1e6).round() as u32)
    }

    /// A region's full limit: `max` × (1 + (a random number below 1 − 0.5) × jitter), drawn when it is opened
    /// (`ConstantSizeRegionSplitPolicy.configureForRegion`).
    pub(crate) fn full_limit(self, max: u64, draws: &mut Draws) -> u64 {
        let offset = i128::from(draws.within(0..FLOAT_STEPS)) - i128::from(FLOAT_STEPS / 2);
        let scale = i128::from(FLOAT_STEPS) * 1_000_000;
        let max = i128::from(max);
        let limit = max + max * i128::from(self.0) * offset / scale;
        u64::try_from(limit).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{Jitter, limit};
    use crate::cluster::draw::Draws;
    use crate::run::SplitPolicy::{Constant, Disabled, Increasing, Stepping};

    #[test]
    fn a_lone_region_steps_at_two_memstores() {
        assert_eq!(limit(Stepping, 1, 128, 10_240), Some(256));
        for regions in [0, 2, 3, 1000] {
            assert_eq!(limit(Stepping, regions, 128, 10_240), Some(10_240));
        }
        // Stepping has no minimum of the two: a first limit above the full one stands.
        assert_eq!(limit(Stepping, 1, 128, 100), Some(256));
    }

    #[test]
    fn increasing_grows_by_the_cube_up_to_the_full_limit() {
        assert_eq!(limit(Increasing, 1, 128, 10_240), Some(256));
        assert_eq!(limit(Increasing, 2, 128, 10_240), Some(2048));
        assert_eq!(limit(Increasing, 3, 128, 10_240), Some(6912));
        assert_eq!(limit(Increasing, 4, 128, 10_240), Some(10_240));
        for regions in [0, 101, u64::MAX] {
            assert_eq!(limit(Increasing, regions, 128, 10_240), Some(10_240));
        }
    }

    #[test]
    fn constant_and_disabled_do_not_count_regions() {
        for regions in [0, 1, 5] {
            assert_eq!(limit(Constant, regions, 128, 10_240), Some(10_240));
            assert_eq!(limit(Disabled, regions, 128, 10_240), None);
        }
    }

    #[test]
    fn jitter_spreads_limits_evenly_around_the_middle() {
        let mut draws = Draws::new(1);
        let limits: Vec<u64> = (0..4000).map(|_| Jitter::new(0.25).full_limit(1_000_000, &mut draws)).collect();
        assert!(limits.iter().all(|limit| (875_000..1_125_000).contains(limit)));
        let mean = limits.iter().sum::<u64>() / 4000;
        assert!((995_000..1_005_000).contains(&mean), "{mean}");
        let low = limits.iter().filter(|limit| **limit < 937_500).count();
        assert!((900..1100).contains(&low), "{low}");
    }

    #[test]
    fn no_jitter_is_exact_and_no_jitter_overflows() {
        let mut draws = Draws::new(1);
        assert_eq!(Jitter::new(0.0).full_limit(12_345, &mut draws), 12_345);
        assert_eq!(Jitter::new(f64::NAN).full_limit(12_345, &mut draws), 12_345);
        for _ in 0..100 {
            assert!(Jitter::new(f64::INFINITY).full_limit(u64::MAX, &mut draws) >= u64::MAX / 2);
        }
    }
}
