//! The choice of the files of a region that become one.

use std::ops::Range;

use super::constants::{BETTER_BY_HUNDREDTHS, COMPACTION_MAX_FILES, COMPACTION_MIN_FILES, COMPACTION_RATIO_TENTHS};

/// The files that are compacted, by their sizes, the oldest first; empty if none are
/// (`ExploringCompactionPolicy.applyCompactionPolicy`).
///
/// Of three to ten neighbours that together are smaller than `min_size`, or none of which is larger than 1.2 × the
/// others, those that are most; of as many, the smallest. `is_stuck` says that there are as many files as block
/// flushes: then those that are most for their size, in ratio or not.
pub(crate) fn select(sizes: &[u64], min_size: u64, is_stuck: bool) -> Range<usize> {
    let mut best = Selection::default();
    let mut smallest: Option<Selection> = None;
    for start in 0..sizes.len() {
        let last = sizes.len().min(start + COMPACTION_MAX_FILES);
        for end in start + COMPACTION_MIN_FILES..=last {
            let files = &sizes[start..end];
            let size = files.iter().map(|size| u128::from(*size)).sum();
            let selection = Selection { start, end, size };
            if smallest.as_ref().is_none_or(|smallest| size < smallest.size) {
                smallest = Some(selection.clone());
            }
            let is_in_ratio = size < u128::from(min_size) || in_ratio(files, size);
            if is_in_ratio && selection.is_better_than(&best, is_stuck) {
                best = selection;
            }
        }
    }
    match smallest {
        Some(smallest) if best.files() == 0 && is_stuck => smallest.start..smallest.end,
        _ => best.start..best.end,
    }
}

/// Neighbours among the files.
#[derive(Clone, Debug, Default)]
struct Selection {
    start: usize,
    end: usize,
    size: u128,
}

impl Selection {
    fn files(&self) -> u128 {
        (self.end - self.start) as u128
    }

    fn is_better_than(&self, best: &Self, is_stuck: bool) -> bool {
        if is_stuck && best.size > 0 && self.size > 0 {
            return best.files() * BETTER_BY_HUNDREDTHS * self.size < self.files() * 100 * best.size;
        }
        self.files() > best.files() || (self.files() == best.files() && self.size < best.size)
    }
}

fn in_ratio(files: &[u64], sum: u128) -> bool {
    files.iter().all(|file| u128::from(*file) * 10 <= (sum - u128::from(*file)) * COMPACTION_RATIO_TENTHS)
}

#[cfg(test)]
mod tests {
    use super::select;

    const MIB: u64 = 1 << 20;

    #[test]
    fn small_files_are_compacted_whatever_their_ratio() {
        assert_eq!(select(&[6 * MIB, MIB, MIB], 128 * MIB, false), 0..3);
        assert_eq!(select(&[6 * MIB, MIB, MIB], MIB, false), 0..0);
        assert_eq!(select(&[6 * MIB, MIB, MIB, MIB], MIB, false), 1..4);
    }

    #[test]
    fn two_files_stay() {
        assert_eq!(select(&[MIB, MIB], 128 * MIB, false), 0..0);
    }

    #[test]
    fn most_files_are_taken_and_never_more_than_ten() {
        assert_eq!(select(&[MIB; 5], MIB, false), 0..5);
        assert_eq!(select(&[MIB; 12], MIB, false), 0..10);
    }

    #[test]
    fn of_as_many_files_the_smallest_are_taken() {
        let mut sizes = [MIB; 11];
        sizes[0] = MIB + 1;
        assert_eq!(select(&sizes, MIB, false), 1..11);
    }

    #[test]
    fn a_stuck_region_compacts_what_has_no_ratio() {
        let sizes: Vec<u64> = (0..16).map(|n| 4_u64.pow(16 - n)).collect();
        assert_eq!(select(&sizes, 0, false), 0..0);
        assert_eq!(select(&sizes, 0, true), 13..16);
    }

    #[test]
    fn any_size_is_taken() {
        assert_eq!(select(&[u64::MAX; 4], u64::MAX, true), 0..3);
        assert_eq!(select(&[0; 4], 0, false), 0..4);
    }
}
