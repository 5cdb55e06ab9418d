//! Conditions of checked changes.

use std::ops::Range;

use bytes::Bytes;

use crate::model::columns::{self, wrong_times};
use crate::model::error::{Error, Result};
use crate::model::filter::{Compare, Filter, binary};
use crate::model::names::{Wrong, wrong_family};
use crate::pb;

/// A condition that a row must meet to be changed.
#[doc(alias = "CheckAndMutate")]
#[doc(alias = "ifMatches")]
#[derive(Debug, Clone)]
pub struct Condition {
    message: pb::Condition,
    wrong: Option<Wrong>,
}

impl Condition {
    /// Compares the newest value of a column with `value`. A missing column never matches, not even `NotEqual`.
    ///
    /// HBase takes an empty `value` for a missing one. With it, `NotEqual` holds if the column has a value that is not
    /// empty; each other comparison holds if it has none.
    #[doc(alias = "ifEquals")]
    #[doc(alias = "ifMatches")]
    pub fn value(
        family: impl AsRef<[u8]>,
        qualifier: impl AsRef<[u8]>,
        compare: Compare,
        value: impl AsRef<[u8]>,
    ) -> Self {
        let message = pb::Condition {
            family: Some(Bytes::copy_from_slice(family.as_ref())),
            qualifier: Some(Bytes::copy_from_slice(qualifier.as_ref())),
            compare_type: Some(compare.of_value().into()),
            comparator: Some(binary(value.as_ref())),
            ..Default::default()
        };
        Self { message, wrong: wrong_family(family.as_ref()) }
    }

    /// Matches a missing column. HBase takes an empty value for a missing one here.
    #[doc(alias = "ifNotExists")]
    pub fn absent(family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
        Self::value(family, qualifier, Compare::Equal, b"")
    }

    /// Matches a row of which any cell passes a filter.
    pub fn filter(filter: &Filter) -> Self {
        let message = pb::Condition { filter: Some(filter.to_pb(false)), ..Default::default() };
        Self { message, wrong: filter.wrong() }
    }

    /// Looks at cells whose timestamps, in milliseconds since 1970, are in a range.
    #[must_use]
    pub fn time_range(mut self, range: Range<u64>) -> Self {
        self.message.time_range = Some(columns::time_range(range));
        self
    }

    /// Checks that a server can evaluate the condition.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = self.wrong.or(self.message.time_range.as_ref().and_then(wrong_times));
        wrong.map_or(Ok(()), |wrong| Err(Error::invalid(wrong)))
    }

    pub(crate) fn to_pb(&self, row: &[u8]) -> pb::Condition {
        pb::Condition { row: Bytes::copy_from_slice(row), ..self.message.clone() }
    }
}
