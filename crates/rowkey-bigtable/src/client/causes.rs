//! The causes of a status, and those of the client's own.

use std::error::Error as StdError;

/// An error, and what it came of.
pub(crate) fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// No attempt will succeed.
#[derive(Debug, thiserror::Error)]
#[error("the tokio runtime in which the client was made has ended")]
pub(crate) struct RuntimeEnded;

/// The server did not process the request.
#[derive(Debug, thiserror::Error)]
#[error("the server did not process the request")]
pub(super) struct Unprocessed(#[source] pub(super) tonic::transport::Error);
