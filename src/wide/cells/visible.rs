//! The visible versions of a row, by deletes, TTL, maximum number of versions.

use super::key::{Kind, Version};
use crate::RowKey;
use crate::wide::schema::FamilySchema;

/// The fate of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is visible.
    Kept,
    /// It is not visible, or is a marker.
    Gone(Why),
    /// It is not visible, nor is the rest of its column.
    ColumnGone(Why),
}

/// Why a version is not visible.
#[derive(RowKey, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    #[rowkey(tag = 1)]
    Deleted,
    #[rowkey(tag = 2)]
    Expired,
    /// The family does not keep this many versions.
    #[rowkey(tag = 3)]
    Old,
}

/// Visits the entries of one family after another, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Visible {
    schema: FamilySchema,
    /// The last timestamp that has expired.
    expired_until: Option<i64>,
    /// The last timestamp that a marker of the family hides.
    family_deleted: Option<i64>,
    /// The timestamp whose version a marker hides.
    version_deleted: Option<i64>,
    /// Number of visible versions of the column so far.
    versions: u32,
    /// Why the rest of the column is not visible.
    column_gone: Option<Why>,
}

impl Visible {
    pub(super) fn family(&mut self, schema: FamilySchema, now: i64) {
        *self = Self { schema, expired_until: schema.expired_until(now), ..Self::default() };
    }

    /// Begins another row, in the same family.
    pub(super) fn row(&mut self) {
        self.family_deleted = None;
        self.column();
    }

    pub(super) fn family_deleted(&mut self, until: i64) {
        self.family_deleted = self.family_deleted.max(Some(until));
    }

    pub(super) fn column(&mut self) {
        self.version_deleted = None;
        self.versions = 0;
        self.column_gone = None;
    }

    /// Number of visible versions of the column so far.
    pub(super) fn versions(&self) -> u32 {
        self.versions
    }

    /// Why the rest of the column is not visible, if it is not.
    pub(super) fn rest(&self) -> Option<Why> {
        self.column_gone
    }

    /// Goes on in the middle of a column that has this many visible versions before.
    pub(super) fn assume(&mut self, versions: u32) {
        self.versions = versions;
    }

    /// The number of visible versions of a column that hide its rest for this reason; `None` if they don't.
    pub(super) fn versions_for(&self, why: Why) -> Option<u32> {
        match why {
            Why::Deleted => None,
            Why::Expired => Some(self.schema.min_versions).filter(|&least| least > 0),
            Why::Old => Some(self.schema.max_versions),
        }
    }

    #[inline]
    pub(super) fn version(&mut self, version: Version) -> Fate {
        let fate = match self.column_gone {
            Some(why) => Fate::ColumnGone(why),
            None => self.next_version(version),
        };
        if let Fate::ColumnGone(why) = fate {
            self.column_gone = Some(why);
        }
        fate
    }

    #[inline]
    fn next_version(&mut self, Version { at, kind }: Version) -> Fate {
        match kind {
            Kind::ColumnDeleted => Fate::ColumnGone(Why::Deleted),
            Kind::VersionDeleted => {
                self.version_deleted = Some(at);
                Fate::Gone(Why::Deleted)
            }
            Kind::Value if self.family_deleted >= Some(at) => Fate::ColumnGone(Why::Deleted),
            Kind::Value if self.version_deleted == Some(at) => Fate::Gone(Why::Deleted),
            Kind::Value if self.versions >= self.schema.max_versions => Fate::ColumnGone(Why::Old),
            Kind::Value if self.expired_until >= Some(at) && self.versions >= self.schema.min_versions => {
                Fate::ColumnGone(Why::Expired)
            }
            Kind::Value => {
                self.versions += 1;
                Fate::Kept
            }
        }
    }
}
