//! Rows that servers read for a scan.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pb;

/// Counts of the work that servers did for a scan, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[doc(alias = "ScanMetrics")]
pub struct ScanCounts {
    /// Rows that were read.
    pub scanned: u64,
    /// Those of them that a filter left out.
    pub filtered: u64,
    /// Responses that only said that the server is still reading.
    pub heartbeats: u64,
    /// The number of times that a scanner was kept open while the caller took no rows.
    pub renewals: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    scanned: AtomicU64,
    filtered: AtomicU64,
    heartbeats: AtomicU64,
    pub(super) renewals: AtomicU64,
}

impl Counts {
    pub(super) fn get(&self) -> ScanCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ScanCounts {
            scanned: of(&self.scanned),
            filtered: of(&self.filtered),
            heartbeats: of(&self.heartbeats),
            renewals: of(&self.renewals),
        }
    }

    pub(super) fn add(&self, response: &pb::ScanResponse) {
        if response.heartbeat_message() {
            self.heartbeats.fetch_add(1, Ordering::Relaxed);
        }
        for metric in response.scan_metrics.iter().flat_map(|metrics| &metrics.metrics) {
            let counter = match metric.name() {
                "ROWS_SCANNED" => &self.scanned,
                "ROWS_FILTERED" => &self.filtered,
                _ => continue,
            };
            counter.fetch_add(u64::try_from(metric.value()).unwrap_or(0), Ordering::Relaxed);
        }
    }
}
