//! Validation of mutations, and errors in terms of rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Cells;
use super::key::CellKey;
use crate::store::error::{Error, ErrorKind, RowError, RowErrors};
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

    /// Translates the result of a write of entries: names the mutations whose entries failed. Of a mutation whose other
    /// entries are written the outcome is unknown. `entries_of` returns how many each has.
    pub(super) fn of_rows<'m>(
        &self,
        written: Result<(), Error>,
        rows: impl Iterator<Item = (&'m [u8], &'m Mutation)> + Clone,
        writers_of: impl Fn(&RowError) -> Vec<usize>,
        entries_of: impl FnOnce() -> Vec<usize>,
    ) -> Result<(), Error> {
        let entries = match written {
            Err(Error::Rows(entries)) => entries,
            other => return other,
        };
        let mut failures: BTreeMap<usize, Failure> = BTreeMap::new();
        for entry in entries.iter() {
            for mutation in writers_of(entry) {
                let failure = failures.entry(mutation).or_insert_with(|| Failure::of(entry));
                failure.entries += 1;
                failure.unknown |= entry.error().kind() == ErrorKind::OutcomeUnknown;
            }
        }
        if failures.is_empty() {
            return Err(Error::Rows(entries));
        }
        drop(entries);
        let entries_of = entries_of();
        let (rows, table) = (rows.map(|(row, _)| row).collect::<Vec<_>>(), self.store.id().name());
        let mut failed = RowErrors::new(rows.len());
        for (mutation, Failure { error, entries, unknown }) in failures {
            let row = rows.get(mutation).copied().unwrap_or_default();
            if unknown || entries_of.get(mutation).is_some_and(|all| entries < *all) {
                failed.push(mutation, table, row, Error::of_shared(error).after_commit(table));
            } else {
                failed.push(mutation, table, row, error);
            }
        }
        failed.into_result()
    }
}

/// The failure of a mutation: the error of its first entry that failed, and how many entries did.
struct Failure {
    error: Arc<Error>,
    entries: usize,
    unknown: bool,
}

impl Failure {
    fn of(entry: &RowError) -> Self {
        Self { error: entry.shared(), entries: 0, unknown: false }
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
