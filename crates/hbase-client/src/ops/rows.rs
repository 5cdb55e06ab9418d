//! Requests of one row: a get, a mutation, mutations at once; the latter two with a condition, too.

use rowkey_retry::Idempotency;

use super::batch::{Outcome, row_outcome};
use super::request::RegionRequest;
use crate::model::condition::Condition;
use crate::model::error::CallFault;
use crate::model::get::Get;
use crate::model::mutation::Mutation;
use crate::model::region::Region;
use crate::model::row::{CellBlock, Row};
use crate::model::row_mutations::RowMutations;
use crate::pb;

/// Reads a row, or only whether there is one.
pub(crate) struct GetRow<'a> {
    pub(crate) get: &'a Get,
    pub(crate) only_existence: bool,
}

impl RegionRequest for GetRow<'_> {
    const METHOD: &'static str = "Get";
    type Message = pb::GetRequest;
    type Response = pb::GetResponse;
    /// The row, and whether it exists.
    type Output = (Row, bool);

    fn idempotency(&self) -> Idempotency {
        Idempotency::ReadOnly
    }

    fn message(&self, region: &Region) -> pb::GetRequest {
        pb::GetRequest { region: region.specifier(), get: self.get.to_pb(self.only_existence) }
    }

    fn read(&self, response: pb::GetResponse, mut cells: CellBlock) -> Result<(Row, bool), CallFault> {
        let result = response.result.unwrap_or_default();
        Ok((cells.row_at(self.get.row(), &result)?, result.exists()))
    }
}

/// Makes one mutation.
pub(crate) struct MutateRow<'a> {
    pub(crate) mutation: &'a Mutation,
    pub(crate) condition: Option<&'a Condition>,
    /// The client's number, and the mutation's.
    pub(crate) nonce: Option<(u64, u64)>,
}

impl RegionRequest for MutateRow<'_> {
    const METHOD: &'static str = "Mutate";
    type Message = pb::MutateRequest;
    type Response = pb::MutateResponse;
    type Output = Outcome;

    fn idempotency(&self) -> Idempotency {
        if self.condition.is_some() { Idempotency::NonIdempotent } else { self.mutation.idempotency() }
    }

    fn message(&self, region: &Region) -> pb::MutateRequest {
        let (nonce_group, nonce) = self.nonce.unzip();
        pb::MutateRequest {
            region: region.specifier(),
            mutation: self.mutation.to_pb(nonce),
            condition: self.condition.map(|condition| condition.to_pb(self.mutation.row())),
            nonce_group,
        }
    }

    fn cells(&self) -> Vec<&[u8]> {
        vec![self.mutation.cells()]
    }

    fn read(&self, response: pb::MutateResponse, mut cells: CellBlock) -> Result<Outcome, CallFault> {
        // Only a condition leaves a row as it is.
        if self.condition.is_none() && response.processed == Some(false) {
            return Err(CallFault::malformed("the response of a write has no result"));
        }
        let applied = self.condition.is_none() || response.processed();
        let row = cells.row_at(self.mutation.row(), &response.result.unwrap_or_default())?;
        Ok(Outcome { row, applied })
    }
}

/// Makes several mutations at once.
pub(crate) struct MutateAtOnce<'a> {
    pub(crate) mutations: &'a RowMutations,
    pub(crate) condition: Option<&'a Condition>,
}

impl RegionRequest for MutateAtOnce<'_> {
    const METHOD: &'static str = "Multi";
    type Message = pb::MultiRequest;
    type Response = pb::MultiResponse;
    type Output = Outcome;

    fn idempotency(&self) -> Idempotency {
        if self.condition.is_some() { Idempotency::NonIdempotent } else { self.mutations.idempotency() }
    }

    fn message(&self, region: &Region) -> pb::MultiRequest {
        let action = pb::RegionAction {
            region: region.specifier(),
            atomic: Some(true),
            action: self.mutations.to_pb(),
            condition: self.condition.map(|condition| condition.to_pb(self.mutations.row())),
        };
        pb::MultiRequest { region_action: vec![action], nonce_group: None }
    }

    fn cells(&self) -> Vec<&[u8]> {
        self.mutations.mutations().iter().map(Mutation::cells).collect()
    }

    fn read(&self, response: pb::MultiResponse, mut cells: CellBlock) -> Result<Outcome, CallFault> {
        row_outcome(&response, self.mutations.row(), &mut cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::region::tests::region;
    use crate::{Compare, Increment, Put};

    fn result(row: &'static str) -> pb::Result {
        let cell = pb::Cell { row: Some(row.into()), family: Some("f".into()), ..Default::default() };
        pb::Result { cell: vec![cell], exists: Some(true), ..Default::default() }
    }

    #[test]
    fn a_get_reads_its_row_and_no_other() {
        let get = Get::new("r");
        let request = GetRow { get: &get, only_existence: true };
        let read = |result| request.read(pb::GetResponse { result }, CellBlock::default());
        assert_eq!(request.message(&region("", "", 1)).get.existence_only, Some(true));
        assert_eq!(read(None).unwrap(), (Row::default(), false));
        let (row, exists) = read(Some(result("r"))).unwrap();
        assert_eq!((row.key(), exists), (&b"r"[..], true));
        assert!(matches!(read(Some(result("q"))), Err(CallFault::Malformed(_))));
    }

    #[test]
    fn a_mutation_is_applied_unless_its_condition_does_not_hold() {
        let (put, add) = (Put::new("r").value("f", "q", "v").into(), Increment::new("r").add("f", "n", 1).into());
        let condition = Condition::value("f", "q", Compare::Equal, "v");
        // The mutation, whether there is a condition, and, for each response's `processed`, whether it is applied.
        for (mutation, condition, expected) in [
            (&put, None, [Some(true), None, Some(true)]),
            (&add, Some(&condition), [Some(false), Some(false), Some(true)]),
        ] {
            let request = MutateRow { mutation, condition, nonce: Some((1, 2)) };
            for (processed, expected) in [None, Some(false), Some(true)].into_iter().zip(expected) {
                let response = pb::MutateResponse { processed, ..Default::default() };
                let read = request.read(response, CellBlock::default());
                assert_eq!(read.ok().map(|outcome| outcome.applied), expected, "{processed:?}");
            }
            let sent = request.message(&region("", "", 1));
            assert_eq!((sent.nonce_group, sent.mutation.nonce), (Some(1), Some(2)));
            assert_eq!(sent.condition.is_some(), condition.is_some());
            assert_eq!(request.idempotency() == Idempotency::NonIdempotent, condition.is_some());
        }
    }
}
