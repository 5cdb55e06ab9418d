//! The phases of a migration, which errors tell of, too.

use std::fmt;

/// How far a migration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Old rows are being copied; reads go to the old table, writes to both.
    Copying,
    /// All rows are copied, and not verified.
    Copied,
    /// Both tables were gone over and had no difference.
    Verified,
    /// About to cut over: writes that were begun before are waited for.
    CuttingOver,
    /// Reads go to the new table, writes still to both.
    CutOver,
    /// About to finish: writes that were begun before are waited for.
    Finishing,
    /// The new table is all there is.
    Finished,
    /// About to roll back: writes that were begun before are waited for.
    RollingBack,
    /// The old table is all there is.
    RolledBack,
}

pub(crate) const PHASES: [(Phase, &str); 9] = [
    (Phase::Copying, "copying"),
    (Phase::Copied, "copied"),
    (Phase::Verified, "verified"),
    (Phase::CuttingOver, "cutting over"),
    (Phase::CutOver, "cut over"),
    (Phase::Finishing, "finishing"),
    (Phase::Finished, "finished"),
    (Phase::RollingBack, "rolling back"),
    (Phase::RolledBack, "rolled back"),
];

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PHASES.iter().find(|(phase, _)| phase == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl Phase {
    /// Whether reads go to the new table.
    pub fn reads_new(self) -> bool {
        matches!(self, Self::CutOver | Self::Finishing | Self::Finished)
    }

    /// Whether the old table is written, or may still be.
    pub(crate) fn has_old(self) -> bool {
        self != Self::Finished
    }

    /// Whether the new table is written, or may still be.
    pub(crate) fn has_new(self) -> bool {
        self != Self::RolledBack
    }

    pub(crate) fn has_both(self) -> bool {
        self.has_old() && self.has_new()
    }

    /// The phase to come as soon as writes that were begun before are through.
    pub(crate) fn behind_the_barrier(self) -> Option<Self> {
        match self {
            Self::CuttingOver => Some(Self::CutOver),
            Self::Finishing => Some(Self::Finished),
            Self::RollingBack => Some(Self::RolledBack),
            _ => None,
        }
    }
}
