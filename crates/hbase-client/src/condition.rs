use bytes::Bytes;

use crate::filter::{Compare, Filter, binary};
use crate::pb;

/// What must hold for a row before it is changed.
#[derive(Debug, Clone)]
pub struct Condition(pb::Condition);

impl Condition {
    fn empty() -> pb::Condition {
        pb::Condition::default()
    }

    /// The newest value of a column is so to `value`. A missing column is so to none, but for `NotEqual`.
    pub fn value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        compare: Compare,
        value: impl AsRef<[u8]>,
    ) -> Self {
        Self(pb::Condition {
            family: Some(Bytes::copy_from_slice(family.as_ref())),
            qualifier: Some(Bytes::copy_from_slice(qualifier.as_ref())),
            compare_type: Some(compare.of_value().into()),
            comparator: Some(binary(value.as_ref())),
            ..Self::empty()
        })
    }

    /// A column is missing. HBase takes an empty value for a missing one here.
    pub fn absent(family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        Self::value(family, qualifier, Compare::Equal, b"")
    }

    /// Something of the row passes a filter.
    pub fn filter(filter: &Filter) -> Self {
        Self(pb::Condition { filter: Some(filter.to_pb()), ..Self::empty() })
    }

    /// Looks at cells with timestamps from `from` up to, and without, `to`.
    #[must_use]
    pub fn time_range(mut self, from: u64, to: u64) -> Self {
        let millis = |time: u64| Some(time.min(i64::MAX as u64));
        self.0.time_range = Some(pb::TimeRange { from: millis(from), to: millis(to) });
        self
    }

    pub(crate) fn to_pb(&self, row: &[u8]) -> pb::Condition {
        pb::Condition { row: Bytes::copy_from_slice(row), ..self.0.clone() }
    }
}
