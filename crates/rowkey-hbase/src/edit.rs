//! Mutations as HBase takes them.

use hbase_client as hbase;
use rowkey::Error;
use rowkey::wide::{Edit, Mutation};

/// The changes of a row: the cells that a mutation puts, and those that it deletes. HBase makes both at once; deletes
/// hide puts of the same time, whatever the order.
#[derive(Clone, Default)]
pub(crate) struct Edits {
    puts: Option<hbase::Put>,
    deletes: Option<hbase::Delete>,
    /// True if a delete has no timestamp, so that it hides what comes in the same millisecond.
    pub(crate) hides_what_comes: bool,
    /// True if a put has no timestamp, so that a delete of the same millisecond would hide it.
    pub(crate) is_hideable: bool,
}

impl Edits {
    /// # Errors
    ///
    /// [`Error::Timestamp`] of one before 1970.
    pub(crate) fn of(row: &[u8], mutation: &Mutation, families: &[&str]) -> Result<Self, Error> {
        let mut edits = Self::default();
        for edit in mutation.edits() {
            edits.add(row, edit, families)?;
        }
        Ok(edits)
    }

    fn add(&mut self, row: &[u8], edit: &Edit, families: &[&str]) -> Result<(), Error> {
        if let Edit::Put { column, at, value } = edit {
            let put = self.puts.take().unwrap_or_else(|| hbase::Put::new(row).at_most_once());
            let (family, qualifier) = (&column.family, &column.qualifier);
            self.is_hideable |= at.is_none();
            self.puts = Some(match at {
                None => put.value(family, qualifier, value),
                Some(at) => put.value_at(family, qualifier, time(*at)?, value),
            });
            return Ok(());
        }
        self.hides_what_comes |= edit.timestamp().is_none();
        let delete = self.deletes.take().unwrap_or_else(|| hbase::Delete::new(row).at_most_once());
        self.deletes = Some(match edit {
            Edit::Put { .. } => delete,
            Edit::DeleteVersion { column, at: None } => delete.newest(&column.family, &column.qualifier),
            Edit::DeleteVersion { column, at: Some(at) } => {
                delete.version(&column.family, &column.qualifier, time(*at)?)
            }
            Edit::DeleteColumn { column, until: None } => delete.column(&column.family, &column.qualifier),
            Edit::DeleteColumn { column, until: Some(at) } => {
                delete.column_until(&column.family, &column.qualifier, time(*at)?)
            }
            Edit::DeleteFamily { family, until } => delete_family(delete, family, *until)?,
            // Each family by name: of a row and other parts, a delete is of those other parts alone.
            Edit::DeleteRow { until } => {
                families.iter().try_fold(delete, |delete, family| delete_family(delete, family, *until))?
            }
        });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.puts.is_none() && self.deletes.is_none()
    }

    /// The mutations that are to be made at once.
    pub(crate) fn into_mutations(self) -> Vec<hbase::Mutation> {
        let deletes = self.deletes.map(hbase::Mutation::from);
        deletes.into_iter().chain(self.puts.map(hbase::Mutation::from)).collect()
    }
}

fn delete_family(delete: hbase::Delete, family: &str, until: Option<i64>) -> Result<hbase::Delete, Error> {
    Ok(match until {
        None => delete.family(family),
        Some(at) => delete.family_until(family, time(at)?),
    })
}

fn time(at: i64) -> Result<u64, Error> {
    u64::try_from(at).map_err(|_| Error::Timestamp(at))
}
