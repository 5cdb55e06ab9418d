//! The phases of a migration. They stand here because errors name them.

use std::fmt;

/// The phase of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Rows are being copied. Reads use the old table, writes go to both.
    Copying,
    /// All rows are copied, not yet verified.
    Copied,
    /// Both tables were compared, without a difference.
    Verified,
    /// Before the cut-over: waits for writes that began earlier.
    CuttingOver,
    /// Reads use the new table, writes still go to both.
    CutOver,
    /// Before the end: waits for writes that began earlier.
    Finishing,
    /// Only the new table is left.
    Finished,
    /// Before the roll-back: waits for writes that began earlier.
    RollingBack,
    /// Only the old table is left.
    RolledBack,
}

/// For messages only: what is stored has words of its own.
impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Copying => "copying",
            Self::Copied => "copied",
            Self::Verified => "verified",
            Self::CuttingOver => "cutting over",
            Self::CutOver => "cut over",
            Self::Finishing => "finishing",
            Self::Finished => "finished",
            Self::RollingBack => "rolling back",
            Self::RolledBack => "rolled back",
        })
    }
}

impl Phase {
    /// Returns whether reads use the new table.
    pub fn reads_new(self) -> bool {
        matches!(self, Self::CutOver | Self::Finishing | Self::Finished)
    }

    /// Returns whether the old table is written, or may still be.
    pub(crate) fn has_old(self) -> bool {
        self != Self::Finished
    }

    /// Returns whether the new table is written, or may still be.
    pub(crate) fn has_new(self) -> bool {
        self != Self::RolledBack
    }

    pub(crate) fn has_both(self) -> bool {
        self.has_old() && self.has_new()
    }

    /// If this phase waits for writes that began earlier: the phase that follows once they have ended.
    pub(crate) fn after_waiting(self) -> Option<Self> {
        match self {
            Self::CuttingOver => Some(Self::CutOver),
            Self::Finishing => Some(Self::Finished),
            Self::RollingBack => Some(Self::RolledBack),
            _ => None,
        }
    }
}
