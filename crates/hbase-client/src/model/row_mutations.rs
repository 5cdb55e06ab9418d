//! Several mutations of a row at once, and mutations that are made if a condition holds.

use rowkey_retry::Idempotency;

use crate::model::condition::Condition;
use crate::model::error::{Error, Result};
use crate::model::mutation::Mutation;
use crate::pb;

/// Mutations of one row that are made at once: others see all of them or none.
///
/// They are refused, before they are sent, if HBase would acknowledge them and not make all of them:
/// - Increments and appends must be of columns that no other of them names: a server reads what they change before it
///   makes any of them.
/// - A [`Delete`](crate::Delete) without a timestamp must not cover what another one writes without a timestamp: a
///   server stamps both with the same millisecond, and deletes win, whichever is first. It covers the row, its families
///   or its columns. Delete until an earlier time: [`family_until`](crate::Delete::family_until),
///   [`column_until`](crate::Delete::column_until). A column that is put anew needs no delete, unless its older
///   versions have to go.
///
/// ```
/// use hbase_client::{Delete, Increment, Put, RowMutations};
///
/// // All that was there before, and what is there now.
/// let now = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_millis() as u64);
/// let anew = RowMutations::new([
///     Delete::new("ada").family_until("f", now - 1).into(),
///     Put::new("ada").value_at("f", "state", now, "open").into(),
/// ]);
/// # let _ = anew;
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "mutateRow")]
pub struct RowMutations {
    mutations: Vec<Mutation>,
    allow_hidden: bool,
}

impl RowMutations {
    /// These mutations, which must be of one row.
    pub fn new(mutations: impl IntoIterator<Item = Mutation>) -> Self {
        Self { mutations: mutations.into_iter().collect(), allow_hidden: false }
    }

    /// Sends deletes without a timestamp also if they cover what another mutation writes. The server then acknowledges
    /// that write, and hides it; after a [`newest`](crate::Delete::newest) only if there was no version before.
    /// Default: refused.
    #[must_use]
    pub fn allow_hidden(self) -> Self {
        Self { allow_hidden: true, ..self }
    }

    /// The key of the row. Empty if there are no mutations.
    pub fn row(&self) -> &[u8] {
        self.mutations.first().map_or(&[], Mutation::row)
    }

    /// The mutations, in their order.
    pub fn mutations(&self) -> &[Mutation] {
        &self.mutations
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.mutations.is_empty() {
            return Err(Error::invalid("the row mutations are empty"));
        }
        for mutation in &self.mutations {
            mutation.check()?;
            if mutation.row() != self.row() {
                return Err(Error::invalid("mutations that are made at once have to be of one row"));
            }
        }
        if !self.allow_hidden {
            Mutation::check_hidden(&self.mutations)?;
        }
        Mutation::check_columns(&self.mutations)
    }

    pub(crate) fn idempotency(&self) -> Idempotency {
        Idempotency::of_all(self.mutations.iter().map(Mutation::idempotency))
    }

    /// As the actions of a region.
    pub(crate) fn to_pb(&self) -> Vec<pb::Action> {
        let action = |mutation: &Mutation| pb::Action { mutation: Some(mutation.to_pb(None)), ..Default::default() };
        self.mutations.iter().map(action).collect()
    }
}

impl<const N: usize> From<[Mutation; N]> for RowMutations {
    fn from(mutations: [Mutation; N]) -> Self {
        Self::new(mutations)
    }
}

impl From<Vec<Mutation>> for RowMutations {
    fn from(mutations: Vec<Mutation>) -> Self {
        Self::new(mutations)
    }
}

impl<T: Into<Mutation>> From<T> for RowMutations {
    fn from(mutation: T) -> Self {
        Self::new([mutation.into()])
    }
}

/// A change of a row that is made if a condition holds for it. Several mutations are refused as [`RowMutations`] are.
///
/// It is not retried if its response is lost.
#[derive(Debug, Clone)]
#[doc(alias = "checkAndMutate")]
#[doc(alias = "checkAndPut")]
#[doc(alias = "checkAndDelete")]
pub struct CheckAndMutate {
    condition: Box<Condition>,
    mutations: RowMutations,
}

impl CheckAndMutate {
    /// Makes a mutation, or several of one row at once, if the condition holds.
    pub fn new(condition: &Condition, mutations: impl Into<RowMutations>) -> Self {
        Self { condition: Box::new(condition.clone()), mutations: mutations.into() }
    }

    /// The key of the row. Empty if there are no mutations.
    pub fn row(&self) -> &[u8] {
        self.mutations.row()
    }

    /// The mutations, in their order.
    pub fn mutations(&self) -> &[Mutation] {
        self.mutations.mutations()
    }

    pub(crate) fn as_row(&self) -> &RowMutations {
        &self.mutations
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.mutations.check()?;
        self.condition.check()
    }

    pub(crate) fn condition(&self) -> pb::Condition {
        self.condition.to_pb(self.row())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Delete, ErrorKind, Increment, Put};

    #[test]
    fn mutations_at_once_are_of_one_row_and_one_column_each() {
        let put = |row: &str| Mutation::from(Put::new(row).value("f", "q", "v"));
        let add = || Mutation::from(Increment::new("a").add("f", "q", 1));
        let delete = |delete: Delete| Mutation::from(delete);
        assert!(RowMutations::new([put("a"), delete(Delete::new("a").family("g"))]).check().is_ok());
        for wrong in [
            vec![],
            vec![put("a"), put("b")],
            vec![put("a"), add()],
            vec![Put::new("a").into()],
            vec![put("a"), delete(Delete::new("a"))],
        ] {
            assert_eq!(RowMutations::new(wrong).check().unwrap_err().kind(), ErrorKind::Invalid);
        }
        let hidden = || RowMutations::new([put("a"), delete(Delete::new("a"))]).allow_hidden();
        assert!(hidden().check().is_ok());
        assert!(RowMutations::new([put("a"), put("b")]).allow_hidden().check().is_err());
        let checked = |family| CheckAndMutate::new(&Condition::absent(family, "q"), Put::new("a").value("f", "q", "v"));
        assert!(checked("f").check().is_ok() && checked("").check().is_err());
    }

    #[test]
    fn they_are_repeated_if_each_of_them_is() {
        let put = || Mutation::from(Put::new("a").value("f", "q", "v"));
        assert_eq!(RowMutations::new([put(), put()]).idempotency(), Idempotency::ServerTimestamped);
        assert_eq!(
            RowMutations::new([put(), Increment::new("a").add("f", "n", 1).into()]).idempotency(),
            Idempotency::NonIdempotent
        );
    }
}
