//! Major compactions of regions in which nothing else happens.

use super::constants::{CHECKER_MS, MAJOR_JITTER_MS, MAJOR_PERIOD_MS, SECOND_MS};
use super::due::{What, next_tick};
use super::state::Cluster;

impl Cluster {
    /// Looks at a region's files when a major compaction may be due, unless a look is due already.
    pub(crate) fn schedule_check(&mut self, number: usize) {
        let region = &self.regions[number];
        if region.check_is_due {
            return;
        }
        let Some(major_ms) = self.major_ms(number) else { return };
        let jitter_ms = self.draws.within(0..2 * MAJOR_JITTER_MS);
        let region = &mut self.regions[number];
        region.check_is_due = true;
        let due_ms = major_ms.saturating_add(MAJOR_PERIOD_MS - MAJOR_JITTER_MS + jitter_ms).max(self.now_ms);
        let phase_ms = self.servers[region.server].checker_phase_ms;
        self.queue.push(next_tick(due_ms, CHECKER_MS, phase_ms), self.epoch(number), What::Check);
    }

    /// The time from which a major compaction's period counts; none if there is nothing that it would change
    /// (`RatioBasedCompactionPolicy.shouldPerformMajorCompaction`).
    fn major_ms(&self, number: usize) -> Option<u64> {
        let files = &self.regions[number].files;
        let written_ms = files.iter().map(|file| file.written_ms).min()?;
        match (&files[..], self.options.ttl_ms) {
            ([file], None) if file.is_of_all => None,
            ([file], Some(ttl_ms)) if file.is_of_all => {
                let expires_ms = u64::from(file.span_s.0).saturating_mul(SECOND_MS).saturating_add(ttl_ms);
                Some(written_ms.max(expires_ms.saturating_sub(MAJOR_PERIOD_MS - MAJOR_JITTER_MS)))
            }
            _ => Some(written_ms),
        }
    }

    /// Queues a compaction, if one is due (`HRegionServer.CompactionChecker`).
    pub(crate) fn check_major(&mut self, number: usize) {
        self.regions[number].check_is_due = false;
        let Some(major_ms) = self.major_ms(number) else { return };
        // The next look is due when the files have changed.
        if major_ms.saturating_add(MAJOR_PERIOD_MS - MAJOR_JITTER_MS) <= self.now_ms {
            self.regions[number].wants_major = true;
            return self.request_compaction(number);
        }
        if self.needs_compaction(number) {
            self.request_compaction(number);
        }
        self.schedule_check(number);
    }
}
