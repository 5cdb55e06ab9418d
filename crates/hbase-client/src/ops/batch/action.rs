//! A batch's actions, and their outcomes.

use rowkey_retry::Idempotency;

use crate::model::error::Result;
use crate::model::get::Get;
use crate::model::mutation::Mutation;
use crate::model::row::Row;
use crate::model::row_mutations::{CheckAndMutate, RowMutations};
use crate::pb;

/// A part of a batch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Action {
    /// Reads a row.
    Get(Get),
    /// Changes a row.
    Write(Write),
}

/// A change of a row: a mutation, several at once, or one that depends on a condition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Write {
    /// A [`Put`](crate::Put), [`Delete`](crate::Delete), [`Increment`](crate::Increment) or [`Append`](crate::Append).
    Mutation(Mutation),
    /// Several mutations at once.
    Row(RowMutations),
    /// Mutations that are made if a condition holds.
    Checked(CheckAndMutate),
}

/// The result of a part of a batch, or of a change that depends on a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "CheckAndMutateResult")]
pub struct Outcome {
    /// The row that was read, or the new values of increments and appends.
    pub row: Row,
    /// True if the action was carried out; false if its condition did not hold.
    pub applied: bool,
}

impl Write {
    /// The key of the row.
    pub fn row(&self) -> &[u8] {
        match self {
            Self::Mutation(mutation) => mutation.row(),
            Self::Row(mutations) => mutations.row(),
            Self::Checked(checked) => checked.row(),
        }
    }

    /// Its mutations, in their order.
    pub fn mutations(&self) -> &[Mutation] {
        match self {
            Self::Mutation(mutation) => std::slice::from_ref(mutation),
            Self::Row(mutations) => mutations.mutations(),
            Self::Checked(checked) => checked.mutations(),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Mutation(mutation) => mutation.check(),
            Self::Row(mutations) => mutations.check(),
            Self::Checked(checked) => checked.check(),
        }
    }

    fn idempotency(&self) -> Idempotency {
        match self {
            Self::Mutation(mutation) => mutation.idempotency(),
            Self::Row(mutations) => mutations.idempotency(),
            Self::Checked(_) => Idempotency::NonIdempotent,
        }
    }

    /// The bytes of its key and its cells.
    pub(crate) fn size(&self) -> usize {
        self.row().len() + self.mutations().iter().map(|mutation| mutation.cells().len()).sum::<usize>()
    }
}

impl Action {
    pub(super) fn row(&self) -> &[u8] {
        match self {
            Self::Get(get) => get.row(),
            Self::Write(write) => write.row(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        match self {
            Self::Get(get) => get.check(),
            Self::Write(write) => write.check(),
        }
    }

    pub(super) fn idempotency(&self) -> Idempotency {
        match self {
            Self::Get(_) => Idempotency::ReadOnly,
            Self::Write(write) => write.idempotency(),
        }
    }

    pub(super) fn mutation(&self) -> Option<&Mutation> {
        match self {
            Self::Write(Write::Mutation(mutation)) => Some(mutation),
            _ => None,
        }
    }

    pub(super) fn as_put(&self) -> Option<&Mutation> {
        self.mutation().filter(|mutation| mutation.is_put())
    }

    /// The cells that are sent behind the message.
    pub(super) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let mutations = match self {
            Self::Get(_) => &[],
            Self::Write(write) => write.mutations(),
        };
        mutations.iter().map(Mutation::cells).filter(|cells| !cells.is_empty())
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Get(get) => get.row().len(),
            Self::Write(write) => write.size(),
        }
    }

    /// If it is made at once, and so is alone in its part of a call: its mutations, and its condition.
    pub(super) fn at_once(&self) -> Option<(Vec<pb::Action>, Option<pb::Condition>)> {
        match self {
            Self::Get(_) | Self::Write(Write::Mutation(_)) => None,
            Self::Write(Write::Row(mutations)) => Some((mutations.to_pb(), None)),
            Self::Write(Write::Checked(checked)) => Some((checked.as_row().to_pb(), Some(checked.condition()))),
        }
    }

    pub(super) fn is_at_once(&self) -> bool {
        matches!(self, Self::Write(Write::Row(_) | Write::Checked(_)))
    }
}

impl<T: Into<Mutation>> From<T> for Write {
    fn from(mutation: T) -> Self {
        Self::Mutation(mutation.into())
    }
}

impl From<RowMutations> for Write {
    fn from(mutations: RowMutations) -> Self {
        Self::Row(mutations)
    }
}

impl From<CheckAndMutate> for Write {
    fn from(checked: CheckAndMutate) -> Self {
        Self::Checked(checked)
    }
}

impl<T: Into<Write>> From<T> for Action {
    fn from(write: T) -> Self {
        Self::Write(write.into())
    }
}

impl From<Get> for Action {
    fn from(get: Get) -> Self {
        Self::Get(get)
    }
}
