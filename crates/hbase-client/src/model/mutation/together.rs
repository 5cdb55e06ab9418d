//! Mutations of one row that are made at once: those that HBase would add up wrongly, or hide, are refused.

use std::collections::{HashMap, HashSet};

use super::{Mutation, MutationType};
use crate::model::cell::{Cell, CellKind, LATEST};
use crate::model::error::{Error, Result};

impl Mutation {
    /// Checks that no delete hides what another of the mutations writes at once. A server stamps all of them with the
    /// same millisecond.
    pub(crate) fn check_hidden(mutations: &[Self]) -> Result<()> {
        let deleted = Deleted::of(mutations);
        let writes = || mutations.iter().filter(|mutation| mutation.kind != MutationType::Delete);
        if let Some(instead) = writes().flat_map(Self::each_cell).find_map(|cell| deleted.hides(&cell)) {
            return Err(Error::invalid(format!(
                "mutate_row: a delete hides what another mutation writes: they get the same timestamp. {instead}"
            )));
        }
        Ok(())
    }

    /// Checks that increments and appends are of columns of their own. A server reads what they change before it makes
    /// any of the mutations.
    pub(crate) fn check_columns(mutations: &[Self]) -> Result<()> {
        let mut columns = HashMap::new();
        for mutation in mutations {
            let reads = mutation.is_read_modify();
            for column in mutation.columns() {
                let others_read = columns.insert(column, reads);
                if others_read.is_some_and(|others_read| reads || others_read) {
                    return Err(Error::invalid(
                        "mutate_row: a column of an increment or append is also written by another mutation",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The cells that are hidden by deletes that a server stamps with its time.
#[derive(Default)]
struct Deleted<'a> {
    row: bool,
    families: HashSet<&'a [u8]>,
    columns: HashSet<(&'a [u8], &'a [u8])>,
}

impl<'a> Deleted<'a> {
    fn of(mutations: &'a [Mutation]) -> Self {
        let mut deleted = Self::default();
        for mutation in mutations.iter().filter(|mutation| mutation.kind == MutationType::Delete) {
            deleted.row |= mutation.count == 0;
            for cell in mutation.each_cell().filter(|cell| cell.timestamp() == LATEST) {
                match cell.kind() {
                    CellKind::DeleteFamily => drop(deleted.families.insert(cell.family())),
                    // The newest version is that of this very time if there is no other one.
                    _ => drop(deleted.columns.insert((cell.family(), cell.qualifier()))),
                }
            }
        }
        deleted
    }

    /// If a cell is hidden, what can be sent instead.
    fn hides(&self, cell: &Cell<'_>) -> Option<&'static str> {
        if cell.timestamp() != LATEST {
            None
        } else if self.row {
            Some("In place of the row, delete its families until an earlier time: Delete::family_until")
        } else if self.families.contains(cell.family()) {
            Some("Delete the family until an earlier time: Delete::family_until")
        } else if self.columns.contains(&(cell.family(), cell.qualifier())) {
            Some(
                "Leave the delete out, or give both timestamps: Delete::column_until, and a greater one for Put::value_at",
            )
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Append, Delete, Increment, Put};

    #[test]
    fn what_a_server_would_not_add_up_is_refused() {
        let put = || Mutation::from(Put::new("r").value("f", "n", "1"));
        let add = |qualifier| Mutation::from(Increment::new("r").add("f", qualifier, 1));
        assert!(Mutation::check_columns(&[put(), put(), add("m")]).is_ok());
        for wrong in [[add("n"), add("n")], [put(), add("n")], [add("n"), put()]] {
            assert!(Mutation::check_columns(&wrong).is_err());
        }
    }

    /// Writes to the column `n` of the family `f`, without a timestamp of their own.
    fn writes() -> [Mutation; 3] {
        [
            Put::new("r").value("f", "m", "1").value("f", "n", "1").into(),
            Increment::new("r").add("f", "n", 1).into(),
            Append::new("r").value("f", "n", "1").into(),
        ]
    }

    #[test]
    fn a_write_that_a_delete_of_the_same_time_hides_is_refused() {
        let delete = || Delete::new("r");
        let hiding = [
            (delete(), "Delete::family_until"),
            (delete().family("f"), "Delete::family_until"),
            (delete().column("g", "n").family_until("f", LATEST), "Delete::family_until"),
            (delete().column("f", "n"), "Delete::column_until"),
            (delete().column_until("f", "n", LATEST), "Delete::column_until"),
            (delete().newest("f", "n"), "Delete::column_until"),
            (delete().version("f", "n", LATEST), "Delete::column_until"),
        ];
        for (delete, instead) in hiding {
            for write in writes() {
                let delete = Mutation::from(delete.clone());
                for at_once in [[delete.clone(), write.clone()], [write, delete]] {
                    let refused = Mutation::check_hidden(&at_once).unwrap_err();
                    assert_eq!(refused.kind(), crate::ErrorKind::Invalid);
                    assert!(refused.to_string().contains(instead), "{refused}");
                }
            }
        }
    }

    #[test]
    fn a_write_that_no_delete_hides_is_not_refused() {
        let delete = || Delete::new("r");
        for delete in [
            delete().family("g"),
            delete().family_until("f", 7),
            delete().column("g", "n").column("f", "o").newest("f", "nn"),
        ] {
            for write in writes() {
                assert!(Mutation::check_hidden(&[delete.clone().into(), write.clone()]).is_ok());
                assert!(Mutation::check_hidden(&[write, delete.clone().into()]).is_ok());
            }
        }
        let timed = || Put::new("r").value_at("f", "n", 8, "1").into();
        for delete in [delete(), delete().family("f"), delete().column("f", "n"), delete().column_until("f", "n", 7)] {
            assert!(Mutation::check_hidden(&[delete.into(), timed()]).is_ok());
        }
        let [put, ..] = writes();
        assert!(Mutation::check_hidden(&[delete().column_until("f", "n", 7).version("f", "m", 7).into(), put]).is_ok());
        assert!(Mutation::check_hidden(&[delete().into(), delete().family("f").into()]).is_ok());
    }
}
