//! Servers for tests of `rowkey-bigtable`.
//!
//! [`Mock`] is a Bigtable whose answers the test writes, or an [`Instance`](instance::Instance), [`TokenServer`]
//! whatever gives access tokens; both with TLS too, under an [`Authority`] of the test. [`Raw`](raw::Raw) is a server
//! below gRPC. [`serve`] serves the test proxy of Google's conformance test of clients: a service that does with
//! `rowkey-bigtable`'s client what the test asks. Its protocol is `google.bigtable.testproxy` of
//! <https://github.com/googleapis/cloud-bigtable-clients-test>.

#![forbid(unsafe_code)]

pub mod answers;
mod frames;
pub mod instance;
mod messages;
pub mod raw;
mod server;
mod service;
mod tls;
mod token_server;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rowkey::Error;
use rowkey::store::CallOptions;
use rowkey_bigtable::client::proto::{self, Cell, Column, Family, Row, RowSet, RpcStatus, mutate_rows_response};
use rowkey_bigtable::client::{Client, WireRow};
use rowkey_bigtable::{BigtableError, BigtableOptions};
pub use server::{Answer, Asked, Mock};
pub use service::serve;
pub use tls::Authority;
pub use token_server::{Given, TokenServer, Wanted};
use tonic::{Code, Status};

use self::messages::{
    CheckAndMutateRowRequest, CheckAndMutateRowResult, ClientRequest, CreateClientRequest, Empty, MutateRowRequest,
    MutateRowResult, MutateRowsRequest, MutateRowsResult, ReadModifyWriteRowRequest, ReadModifyWriteRowResult,
    ReadRowRequest, ReadRowsRequest, RowResult, RowsResult, SampleRowKeysRequest, SampleRowKeysResult,
};

/// The clients by the names that the test gave them.
#[derive(Clone, Default)]
struct Proxy(Arc<Mutex<HashMap<String, Tested>>>);

/// A client that is tested.
#[derive(Clone)]
struct Tested {
    /// `None`: it is closed.
    client: Option<Client>,
    options: CallOptions,
}

impl Proxy {
    fn clients(&self) -> std::sync::MutexGuard<'_, HashMap<String, Tested>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tested(&self, id: &str) -> Result<(Client, CallOptions), Status> {
        let tested = self.clients().get(id).cloned().ok_or_else(|| Status::not_found("there is no such client"))?;
        let client = tested.client.ok_or_else(|| Status::failed_precondition("the client is closed"))?;
        Ok((client, tested.options))
    }

    async fn create(self, request: CreateClientRequest) -> Result<Empty, Status> {
        let mut options =
            BigtableOptions::new(request.project_id, request.instance_id).app_profile(request.app_profile_id);
        // The one that the environment names.
        if request.data_target != "emulator" {
            options = options.emulator(request.data_target);
        }
        let client = Client::new(&options).map_err(|error| Status::invalid_argument(error.to_string()))?;
        let time = request.per_operation_timeout.and_then(|time| time.try_into().ok());
        let options = time.map_or_else(CallOptions::new, |time| CallOptions::new().timeout(time));
        let mut clients = self.clients();
        if clients.contains_key(&request.client_id) {
            return Err(Status::already_exists("there is such a client"));
        }
        clients.insert(request.client_id, Tested { client: Some(client), options });
        Ok(Empty {})
    }

    /// Requests that are in flight keep the client.
    async fn close(self, request: ClientRequest) -> Result<Empty, Status> {
        if let Some(tested) = self.clients().get_mut(&request.client_id) {
            tested.client = None;
        }
        Ok(Empty {})
    }

    async fn remove(self, request: ClientRequest) -> Result<Empty, Status> {
        self.clients().remove(&request.client_id);
        Ok(Empty {})
    }

    async fn read_row(self, request: ReadRowRequest) -> Result<RowResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let row_set = RowSet { row_keys: vec![request.row_key.into_bytes()], row_ranges: Vec::new() };
        let read = proto::ReadRowsRequest {
            table_name: request.table_name,
            rows: Some(row_set),
            rows_limit: 1,
            filter: request.filter,
            ..Default::default()
        };
        let (rows, status) = read_all(&client, read, &options, 0).await;
        Ok(RowResult { status: Some(status), payload: rows.into_iter().next() })
    }

    async fn read_rows(self, request: ReadRowsRequest) -> Result<RowsResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let read = request.request.unwrap_or_default();
        let (rows, status) = read_all(&client, read, &options, request.cancel_after_rows).await;
        Ok(RowsResult { status: Some(status), payload: rows })
    }

    async fn mutate_row(self, request: MutateRowRequest) -> Result<MutateRowResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let call = begun(&options)?;
        let written = client.mutate_row(request.request.unwrap_or_default(), &call).await;
        Ok(MutateRowResult { status: Some(status_of(&written)), payload: None })
    }

    async fn mutate_rows(self, request: MutateRowsRequest) -> Result<MutateRowsResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let call = begun(&options)?;
        let request = request.request.unwrap_or_default();
        let count = request.entries.len();
        let written = client.mutate_rows(request, &call).await;
        let entry = |index: usize, status: RpcStatus| mutate_rows_response::Entry {
            index: i64::try_from(index).unwrap_or(i64::MAX),
            status: Some(status),
        };
        let (status, payload) = match &written {
            Ok(failed) => {
                let entries: Vec<_> =
                    failed.iter().map(|failed| entry(failed.index, status_of_error(&failed.error))).collect();
                let first = failed.first().map(|failed| status_of_error(&failed.error));
                (first.unwrap_or_default(), entries)
            }
            Err(error) => {
                let status = status_of_error(error);
                (status.clone(), (0..count).map(|index| entry(index, status.clone())).collect())
            }
        };
        Ok(MutateRowsResult { status: Some(status), payload })
    }

    async fn check_and_mutate_row(self, request: CheckAndMutateRowRequest) -> Result<CheckAndMutateRowResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let call = begun(&options)?;
        let matched = client.check_and_mutate_row(request.request.unwrap_or_default(), &call).await;
        let status = status_of(&matched);
        let payload = matched.ok().map(|predicate_matched| proto::CheckAndMutateRowResponse { predicate_matched });
        Ok(CheckAndMutateRowResult { status: Some(status), payload })
    }

    async fn sample_row_keys(self, request: SampleRowKeysRequest) -> Result<SampleRowKeysResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let call = begun(&options)?;
        let samples = client.sample_row_keys(request.request.unwrap_or_default(), &call).await;
        let status = status_of(&samples);
        Ok(SampleRowKeysResult { status: Some(status), payload: samples.unwrap_or_default() })
    }

    async fn read_modify_write_row(
        self,
        request: ReadModifyWriteRowRequest,
    ) -> Result<ReadModifyWriteRowResult, Status> {
        let (client, options) = self.tested(&request.client_id)?;
        let call = begun(&options)?;
        let row = client.read_modify_write_row(request.request.unwrap_or_default(), &call).await;
        let status = status_of(&row);
        Ok(ReadModifyWriteRowResult { status: Some(status), payload: row.ok() })
    }
}

fn begun(options: &CallOptions) -> Result<rowkey::store::Call<'_>, Status> {
    options.begin("call", "").map_err(|error| Status::deadline_exceeded(error.to_string()))
}

async fn read_all(
    client: &Client,
    request: proto::ReadRowsRequest,
    options: &CallOptions,
    cancel_after: i32,
) -> (Vec<Row>, RpcStatus) {
    let call = match begun(options) {
        Ok(call) => call,
        Err(status) => return (Vec::new(), RpcStatus { code: status.code().into(), ..Default::default() }),
    };
    let (mut stream, mut rows) = (client.read_rows(request), Vec::new());
    loop {
        if cancel_after > 0 && rows.len() == usize::try_from(cancel_after).unwrap_or(usize::MAX) {
            return (rows, RpcStatus::default());
        }
        match stream.next(&call).await {
            Ok(Some(row)) => rows.push(row_of(row)),
            Ok(None) => return (rows, RpcStatus::default()),
            Err(error) => return (rows, status_of_error(&error)),
        }
    }
}

fn row_of(row: WireRow) -> Row {
    let mut families: Vec<Family> = Vec::new();
    let mut last = None;
    for cell in row.cells {
        let Some((family, qualifier)) = row.columns.get(cell.column) else { continue };
        if families.last().is_none_or(|last| last.name != *family) {
            families.push(Family { name: family.clone(), columns: Vec::new() });
        }
        let Some(of_family) = families.last_mut() else { continue };
        if last != Some(cell.column) || of_family.columns.is_empty() {
            of_family.columns.push(Column { qualifier: qualifier.clone(), cells: Vec::new() });
            last = Some(cell.column);
        }
        if let Some(column) = of_family.columns.last_mut() {
            column.cells.push(Cell { timestamp_micros: cell.micros, value: cell.value, labels: cell.labels });
        }
    }
    Row { key: row.key, families }
}

fn status_of<T>(result: &Result<T, Error>) -> RpcStatus {
    result.as_ref().err().map(status_of_error).unwrap_or_default()
}

fn status_of_error(error: &Error) -> RpcStatus {
    let code = match (error, error.engine_error::<BigtableError>()) {
        (_, Some(error)) => error.status().code(),
        (Error::OutcomeUnknown { source, .. }, None) => return status_of_error(source),
        (Error::DeadlineExceeded { .. }, None) => Code::DeadlineExceeded,
        (Error::Cancelled { .. }, None) => Code::Cancelled,
        _ => Code::Unknown,
    };
    RpcStatus { code: code.into(), message: error.to_string(), details: Vec::new() }
}
