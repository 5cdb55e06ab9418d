//! Options of following counts.

/// The length of intervals, and the limits beyond which they are longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub(crate) interval_ms: u64,
    pub(crate) most_intervals: usize,
    pub(crate) most_regions: usize,
}

impl Default for Options {
    /// 5 s, 2,048 intervals, and 2^20 regions in all of them.
    fn default() -> Self {
        Self { interval_ms: 5000, most_intervals: 2048, most_regions: 1 << 20 }
    }
}

impl Options {
    /// The length of an interval in milliseconds, as long as intervals and regions are few. Of 0 it is 1.
    #[must_use]
    pub fn interval_ms(mut self, interval_ms: u64) -> Self {
        self.interval_ms = interval_ms.max(1);
        self
    }

    /// The most intervals, at least 2: with more they are joined by two.
    #[must_use]
    pub fn most_intervals(mut self, most: usize) -> Self {
        self.most_intervals = most.max(2);
        self
    }

    /// The most regions of all intervals: with more these are joined by two. One interval has all regions there are.
    #[must_use]
    pub fn most_regions(mut self, most: usize) -> Self {
        self.most_regions = most;
        self
    }
}
