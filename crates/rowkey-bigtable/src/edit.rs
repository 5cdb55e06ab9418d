//! Mutations as Bigtable takes them.

use rowkey::Error;
use rowkey::wide::{Edit, Mutation};

use crate::client::proto;
use crate::client::proto::TimestampRange;
use crate::client::proto::mutation::{DeleteFromColumn, DeleteFromFamily, DeleteFromRow, Mutation as Kind, SetCell};
use crate::filter::MICROS;

/// The most edits of a row in one request: <https://cloud.google.com/bigtable/quotas>.
pub(crate) const MOST_EDITS: usize = 100_000;

/// The time of a put without one, until [`stamp`] sets it. (To the service it would be the server's time.)
const UNTIMED: i64 = -1;

/// The edits of a mutation, whose puts without a timestamp are to be [stamped](stamp).
///
/// # Errors
///
/// [`Error::Unsupported`] for what Bigtable has no request for.
pub(crate) fn edits(mutation: &Mutation) -> Result<Vec<proto::Mutation>, Error> {
    if mutation.edits().len() > MOST_EDITS {
        return Err(Error::Unsupported("more than 100,000 edits of a row in one mutation, on Bigtable"));
    }
    mutation.edits().iter().map(|edit| Ok(proto::Mutation { mutation: Some(kind(edit)?) })).collect()
}

/// Sets the time of puts without one, so that they can be sent twice. `now` is in milliseconds.
pub(crate) fn stamp(mutations: &mut [proto::Mutation], now: i64) {
    // A time that Bigtable can't have is the nearest one: -1 would be the server's, and others are refused.
    let now = now.clamp(0, i64::MAX / MICROS) * MICROS;
    for mutation in mutations {
        if let Some(Kind::SetCell(cell)) = &mut mutation.mutation
            && cell.timestamp_micros == UNTIMED
        {
            cell.timestamp_micros = now;
        }
    }
}

fn kind(edit: &Edit) -> Result<Kind, Error> {
    Ok(match edit {
        Edit::Put { column, at, value } => Kind::SetCell(SetCell {
            family_name: column.family.clone(),
            column_qualifier: column.qualifier.clone(),
            timestamp_micros: at.map_or(UNTIMED, |at| at.saturating_mul(MICROS)),
            value: value.clone(),
        }),
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
    })
}

/// All microseconds of a millisecond, and those before. An end of 0 is no end.
fn until(at: i64) -> TimestampRange {
    let end = at.checked_add(1).and_then(|after| after.checked_mul(MICROS)).unwrap_or(0);
    TimestampRange { start_timestamp_micros: 0, end_timestamp_micros: end }
}
