//! Validation of mutations, and errors in terms of rows.

use super::Cells;
use super::key::CellKey;
use crate::store::error::{Error, RowError, RowErrors};
use crate::store::{Limits, Store, check_len};
use crate::wide::mutation::{Edit, Mutation};
use crate::wide::{WideLimits, check_mutation};

impl<S: Store> Cells<S> {
    pub(super) fn check(&self, row: &[u8], mutation: &Mutation) -> Result<(), Error> {
        let limits = self.store.guarantees().limits;
        let values = WideLimits { row: None, qualifier: None, ..wide_limits(&limits) };
        check_mutation(self.store.id(), row, mutation, &self.families.schema, &values)?;
        mutation.edits().iter().try_for_each(|edit| match edit {
            Edit::Put { column, .. } | Edit::DeleteVersion { column, .. } | Edit::DeleteColumn { column, .. } => {
                self.check_entry(row, &column.family, Some(&column.qualifier), &limits)
            }
            Edit::DeleteFamily { family, .. } => self.check_entry(row, family, None, &limits),
            Edit::DeleteRow { .. } => {
                let mut families = self.families.schema.families.keys();
                families.try_for_each(|family| self.check_entry(row, family, None, &limits))
            }
        })
    }

    pub(super) fn check_entry(
        &self,
        row: &[u8],
        family: &str,
        qualifier: Option<&[u8]>,
        limits: &Limits,
    ) -> Result<(), Error> {
        if limits.key.is_none() {
            return Ok(());
        }
        let what = if qualifier.is_some() { "a row key with its column" } else { "a row key with its family" };
        check_len(what, self.store.id().name(), row, CellKey::len_of(row, family, qualifier), limits.key)
    }

    /// Translates the result of a write of entries: names the mutations whose entries failed.
    pub(super) fn of_rows<'m>(
        &self,
        written: Result<(), Error>,
        rows: impl Iterator<Item = (&'m [u8], &'m Mutation)> + Clone,
        writers_of: impl Fn(&RowError) -> Vec<usize>,
    ) -> Result<(), Error> {
        let entries = match written {
            Err(Error::Rows(entries)) => entries,
            other => return other,
        };
        let rows: Vec<&[u8]> = rows.map(|(row, _)| row).collect();
        let (mut failed, mut named) = (RowErrors::new(rows.len()), vec![false; rows.len()]);
        for entry in entries.iter() {
            for mutation in writers_of(entry) {
                if !std::mem::replace(&mut named[mutation], true) {
                    failed.push(mutation, self.store.id().name(), rows[mutation], entry.shared());
                }
            }
        }
        if failed.failed() == 0 {
            return Err(Error::Rows(entries));
        }
        drop(entries);
        failed.into_result()
    }
}

/// Maximum lengths that fit into an entry's key, whatever the family and the bytes.
pub(super) fn wide_limits(beneath: &Limits) -> WideLimits {
    const LONGEST_FAMILY: usize = 255;
    let mut limits = WideLimits::none();
    if let Some(key) = beneath.key {
        let around = CellKey::len_of(&[], "", Some(&[])) + LONGEST_FAMILY;
        // An escaped byte takes two.
        let each = key.saturating_sub(around) / 4;
        limits = limits.row(each).qualifier(each);
    }
    // The format of a row's cells has 32-bit lengths.
    let read = u32::MAX as usize;
    limits.value(beneath.value.map_or(read, |value| value.min(read)))
}
