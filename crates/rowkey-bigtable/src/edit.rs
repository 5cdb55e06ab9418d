//! Mutations as Bigtable takes them.

use rowkey::Error;
use rowkey::wide::{Condition, Edit, Mutation};

use crate::client::proto;
use crate::client::proto::TimestampRange;
use crate::client::proto::mutation::{DeleteFromColumn, DeleteFromFamily, DeleteFromRow, Mutation as Kind};
use crate::client::{Change, Timestamp, micros};
use crate::filter::MICROS;

/// The most edits of a row in one request: <https://cloud.google.com/bigtable/quotas>.
const MOST_EDITS: usize = 100_000;

/// Checks that a request can have this number of edits of a row, or of counters.
pub(crate) fn check_count(edits: usize) -> Result<(), Error> {
    if edits > MOST_EDITS {
        return Err(Error::Unsupported("more than 100,000 edits of a row in one request, on Bigtable"));
    }
    Ok(())
}

/// The edits of a mutation, to be sent at `now`, in milliseconds.
///
/// # Errors
///
/// As [`changes`].
pub(crate) fn edits(mutation: &Mutation, now: i64) -> Result<Vec<proto::Mutation>, Error> {
    check_count(mutation.edits().len())?;
    changes(mutation).map(|change| Ok(change?.to_proto(now))).collect()
}

/// The edit before those of a mutation that puts the column of its condition without a time. A version that a process
/// whose clock is ahead has put is what the condition was about; the put at the time of this process would be hidden by
/// it.
pub(crate) fn hidden_by(check: &Condition, mutation: &Mutation, now: i64) -> Option<proto::Mutation> {
    let is_put = |edit: &Edit| matches!(edit, Edit::Put { column, at: None, .. } if *column == check.column);
    let after = micros(now).checked_add(MICROS)?;
    mutation.edits().iter().any(is_put).then(|| {
        let delete = DeleteFromColumn {
            family_name: check.column.family.clone(),
            column_qualifier: check.column.qualifier.clone(),
            time_range: Some(TimestampRange { start_timestamp_micros: after, end_timestamp_micros: 0 }),
        };
        proto::Mutation { mutation: Some(Kind::DeleteFromColumn(delete)) }
    })
}

/// The edits of a mutation.
///
/// # Errors
///
/// [`Error::Unsupported`] for what Bigtable has no request for.
pub(crate) fn changes(mutation: &Mutation) -> impl Iterator<Item = Result<Change<'_>, Error>> {
    mutation.edits().iter().map(change)
}

fn change(edit: &Edit) -> Result<Change<'_>, Error> {
    let kind = match edit {
        Edit::Put { column, at, value } => {
            return Ok(Change::SetCell {
                family: &column.family,
                qualifier: &column.qualifier,
                timestamp: at.map_or(Timestamp::Now, |at| Timestamp::Micros(at.saturating_mul(MICROS))),
                value,
            });
        }
        Edit::DeleteVersion { at: None, .. } => {
            return Err(Error::Unsupported("deletes of a column's newest version, on Bigtable"));
        }
        Edit::DeleteVersion { column, at: Some(at) } => Kind::DeleteFromColumn(DeleteFromColumn {
            family_name: column.family.clone(),
            column_qualifier: column.qualifier.clone(),
            time_range: Some(TimestampRange { start_timestamp_micros: at.saturating_mul(MICROS), ..until(*at) }),
        }),
        Edit::DeleteColumn { column, until: end } => Kind::DeleteFromColumn(DeleteFromColumn {
            family_name: column.family.clone(),
            column_qualifier: column.qualifier.clone(),
            time_range: end.map(until),
        }),
        Edit::DeleteFamily { until: Some(_), .. } | Edit::DeleteRow { until: Some(_) } => {
            return Err(Error::Unsupported("deletes of a family or a row up to a timestamp, on Bigtable"));
        }
        Edit::DeleteFamily { family, until: None } => {
            Kind::DeleteFromFamily(DeleteFromFamily { family_name: family.clone() })
        }
        Edit::DeleteRow { until: None } => Kind::DeleteFromRow(DeleteFromRow {}),
    };
    Ok(Change::Other(Box::new(kind)))
}

/// All microseconds of a millisecond, and those before. An end of 0 is no end.
fn until(at: i64) -> TimestampRange {
    let end = at.checked_add(1).and_then(|after| after.checked_mul(MICROS)).unwrap_or(0);
    TimestampRange { start_timestamp_micros: 0, end_timestamp_micros: end }
}
