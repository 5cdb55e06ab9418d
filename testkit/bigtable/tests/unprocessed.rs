//! Requests that a server says it did not process: sent again, whatever they are.

use std::time::Duration;

use rowkey::store::CallOptions;
use rowkey::{Error, ErrorKind};
use rowkey_bigtable::BigtableOptions;
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::mutation::{AddToCell, Mutation as Edit};
use rowkey_bigtable::client::proto::{
    CheckAndMutateRowRequest, MutateRowRequest, MutateRowsRequest, Mutation, ReadModifyWriteRowRequest,
    ReadRowsRequest, SampleRowKeysRequest,
};
use rowkey_bigtable_testkit::raw::{CANCEL, Does, REFUSED_STREAM, Raw};

const PATIENT: Duration = Duration::from_secs(600);

async fn client(does: impl Fn(usize) -> Does + Send + Sync + 'static, retry_for: Duration) -> (Raw, Client) {
    let (raw, address) = Raw::start(does).await;
    let options = BigtableOptions::new("p", "i").emulator(address).connections(1).retry_for(retry_for);
    (raw, Client::new(&options).unwrap())
}

async fn put(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("mutation", "t").unwrap();
    client.mutate_row(MutateRowRequest::default(), &call).await
}

async fn add(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("increment", "t").unwrap();
    client.read_modify_write_row(ReadModifyWriteRowRequest::default(), &call).await.map(drop)
}

async fn check(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("check-and-mutate", "t").unwrap();
    client.check_and_mutate_row(CheckAndMutateRowRequest::default(), &call).await.map(drop)
}

async fn read(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("scan", "t").unwrap();
    client.read_rows(ReadRowsRequest::default()).next(&call).await.map(drop)
}

async fn sample(client: &Client) -> Result<(), Error> {
    let call = CallOptions::none().begin("split points", "t").unwrap();
    client.sample_row_keys(SampleRowKeysRequest::default(), &call).await.map(drop)
}

/// The error of the only row, which is not to be written twice. The answer names no row, so there is one.
async fn add_in_batch(client: &Client) -> Error {
    let call = CallOptions::none().begin("mutation", "t").unwrap();
    let mutations = vec![Mutation { mutation: Some(Edit::AddToCell(AddToCell::default())) }];
    let entries = vec![Entry { mutations, ..Entry::default() }];
    let request = MutateRowsRequest { entries, ..MutateRowsRequest::default() };
    client.mutate_rows(request, &call).await.unwrap().swap_remove(0).error
}

#[tokio::test]
async fn a_request_that_was_not_processed_is_sent_again_whatever_it_is() {
    for does in [Does::Resets(REFUSED_STREAM), Does::GoesAwayBefore] {
        // Of three requests in turn, two are not processed.
        let (raw, client) = client(move |asked| if asked % 3 < 2 { does } else { Does::Answers }, PATIENT).await;
        put(&client).await.unwrap();
        add(&client).await.unwrap();
        check(&client).await.unwrap();
        read(&client).await.unwrap();
        sample(&client).await.unwrap();
        assert_eq!(raw.asked(), 15, "{does:?}");
        let error = add_in_batch(&client).await;
        assert_eq!((error.kind(), raw.asked()), (ErrorKind::OutcomeUnknown, 18), "{does:?}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_processes_nothing_has_written_nothing() {
    for does in [Does::Resets(REFUSED_STREAM), Does::GoesAwayBefore] {
        let (raw, client) = client(move |_| does, Duration::from_millis(100)).await;
        for error in [put(&client).await.unwrap_err(), add(&client).await.unwrap_err(), add_in_batch(&client).await] {
            assert_eq!(error.kind(), ErrorKind::Busy, "{does:?}: {error}");
        }
        assert!(raw.asked() > 3, "{does:?}");
    }
}

#[tokio::test]
async fn a_request_that_may_have_been_processed_is_sent_once() {
    for does in [Does::Resets(CANCEL), Does::GoesAwayWith] {
        let (raw, client) = client(move |_| does, PATIENT).await;
        for error in [add(&client).await.unwrap_err(), check(&client).await.unwrap_err(), add_in_batch(&client).await] {
            assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{does:?}: {error}");
        }
        assert_eq!(raw.asked(), 3, "{does:?}");
    }
}
