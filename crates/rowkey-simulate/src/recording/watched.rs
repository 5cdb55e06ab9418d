//! Runs of clusters that were watched.

use super::Run;
use crate::run::Key;

impl Run {
    /// True of a cluster that was watched: its servers have names.
    pub(crate) const fn is_watched(&self) -> bool {
        !self.settings.server_names.is_empty()
    }

    /// The server at the end of the region that has the keys from one up to another; none if there is no such region.
    pub(crate) fn server_at_end(&self, start: &Key, end: Option<&Key>) -> Option<u32> {
        let regions = &self.intervals.last()?.regions;
        let at = regions.binary_search_by(|region| region.start.cmp(start)).ok()?;
        let is_same = regions.get(at + 1).map(|next| &next.start) == end;
        is_same.then(|| regions[at].server)
    }
}
