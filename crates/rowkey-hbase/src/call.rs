//! Operations of the client within a call.

use futures_util::future::{Either, select};
use hbase_client as hbase;
use rowkey::Error;
use rowkey::store::Call;

/// The client's table, whose operations end with the call.
pub(crate) fn within(table: &hbase::Table, call: &Call<'_>) -> hbase::Table {
    match call.remaining() {
        Some(left) => table.with_timeout(left),
        None => table.clone(),
    }
}

/// Waits for a change on `table`, which ends by the call's deadline by itself. If the call is cancelled, the change may
/// have been sent.
pub(crate) async fn until_cancelled<T>(
    table: &str,
    change: impl Future<Output = T>,
    call: &Call<'_>,
) -> Result<T, Error> {
    let Some(cancelled) = call.cancelled() else { return Ok(change.await) };
    match select(std::pin::pin!(change), cancelled).await {
        Either::Left((changed, _)) => Ok(changed),
        Either::Right(_) => {
            let source = call.check().err().unwrap_or_else(|| Error::engine("the call was cancelled"));
            Err(Error::OutcomeUnknown { table: table.to_owned(), source: Box::new(source) })
        }
    }
}
