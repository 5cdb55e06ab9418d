//! SampleRowKeys: keys at which a table could be split.

use std::sync::Arc;

use rowkey::Error;
use rowkey::store::Call;
use tonic::Status;

use super::bounds::within;
use super::codec::{Outgoing, Sent};
use super::proto::{SampleRowKeysRequest, SampleRowKeysResponse};
use super::requests::ApiRequest;
use super::{Attempts, Client, timed_out};

/// More samples than tablets of any table.
const MOST: usize = 1 << 20;

impl Client {
    /// Keys at which a table could be split, with the number of bytes before each. The last one may be the empty key,
    /// which stands for the table's end.
    ///
    /// # Errors
    ///
    /// A [`BigtableError`](crate::BigtableError), or that the call has to end.
    pub async fn sample_row_keys(
        &self,
        mut request: SampleRowKeysRequest,
        call: &Call<'_>,
    ) -> Result<Vec<SampleRowKeysResponse>, Error> {
        self.profiled(&mut request.app_profile_id);
        let mut attempts = Attempts::new(request.operation(), self);
        let request = Arc::new(request);
        // The samples of the attempt that came furthest.
        let mut furthest = 0;
        loop {
            attempts.begin(call)?;
            let mut samples = Vec::new();
            let status = match self.sample_once(&attempts, &request, call, &mut samples).await? {
                Ok(()) => return Ok(samples),
                Err(status) => status,
            };
            if samples.len() > furthest {
                furthest = samples.len();
                attempts.retry.progress();
            }
            attempts.failed(status, true, call).await?;
        }
    }

    /// One attempt, which goes on as long as samples come.
    async fn sample_once(
        &self,
        attempts: &Attempts,
        request: &Arc<SampleRowKeysRequest>,
        call: &Call<'_>,
        samples: &mut Vec<SampleRowKeysResponse>,
    ) -> Result<Result<(), Status>, Error> {
        let sent = Sent::default();
        let outgoing = Outgoing::new(Arc::clone(request), &sent);
        let request = attempts.request(outgoing, call.remaining());
        let longest = Some(self.options().attempt_timeout);
        let opening = self.open::<_, SampleRowKeysResponse>(&self.inner.data, SampleRowKeysRequest::PATH, request);
        let opening = within(call, longest, opening);
        let (_turn, mut stream) = match opening.await.map_err(|ended| attempts.ended(ended, sent.is_encoded()))? {
            Some(Ok(open)) => open,
            Some(Err(status)) => return Ok(Err(status)),
            None => return Ok(Err(attempts.lateness(sent.is_encoded()))),
        };
        loop {
            match within(call, longest, stream.message()).await.map_err(|ended| attempts.ended(ended, true))? {
                Some(Ok(None)) => return Ok(Ok(())),
                Some(Ok(Some(_))) if samples.len() == MOST => {
                    let what = "the server sent more samples of row keys than a table has";
                    return Ok(Err(Status::out_of_range(what)));
                }
                Some(Ok(Some(sample))) => samples.push(sample),
                Some(Err(status)) => return Ok(Err(status)),
                None => return Ok(Err(timed_out())),
            }
        }
    }
}
