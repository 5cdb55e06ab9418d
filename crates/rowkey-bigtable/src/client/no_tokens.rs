//! The tokens of a client without the feature `google`, which knows emulators alone: none.

use rowkey::ErrorKind;
use tonic::{Code, Request, Status};

#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {}

#[derive(Clone, Debug, Default)]
pub(super) struct Used {}

impl Tokens {
    #[expect(clippy::unused_async)]
    pub(super) async fn authorize<Q>(&self, _: &mut Request<Q>) -> Result<(), Status> {
        Ok(())
    }

    pub(super) fn refused(&self, _: &Used) -> bool {
        false
    }

    pub(super) fn lateness(&self, _: Code) -> Option<Status> {
        None
    }
}

pub(crate) fn kind_before(_: &Status) -> Option<ErrorKind> {
    None
}
