//! Mutations as Bigtable takes them.

use rowkey::Error;
use rowkey::wide::{Edit, Mutation};

use crate::client::proto;
use crate::client::proto::TimestampRange;
use crate::client::proto::mutation::{DeleteFromColumn, DeleteFromFamily, DeleteFromRow, Mutation as Kind};
use crate::client::{Change, Timestamp};
use crate::filter::MICROS;

/// The most edits of a row in one request: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_EDITS: usize = 100_000;

/// The edits of a mutation, to be sent at `now`, in milliseconds.
///
/// # Errors
///
/// As [`changes`].
pub(crate) fn edits(mutation: &Mutation, now: i64) -> Result<Vec<proto::Mutation>, Error> {
    if mutation.edits().len() > MOST_EDITS {
        return Err(Error::Unsupported("more than 100,000 edits of a row in one mutation, on Bigtable"));
    }
    changes(mutation).map(|change| Ok(change?.to_proto(now))).collect()
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
    Ok(Change::Other(match edit {
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
    }))
}

/// All microseconds of a millisecond, and those before. An end of 0 is no end.
fn until(at: i64) -> TimestampRange {
    let end = at.checked_add(1).and_then(|after| after.checked_mul(MICROS)).unwrap_or(0);
    TimestampRange { start_timestamp_micros: 0, end_timestamp_micros: end }
}
