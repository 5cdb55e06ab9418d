//! The raw calls of the generated client, with the connections that the tables have.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{StreamExt, TryStreamExt, iter};
use rowkey::RowKey;
use rowkey_bigtable::client::Client;
use rowkey_bigtable::client::proto::bigtable_client::BigtableClient;
use rowkey_bigtable::client::proto::mutate_rows_request::Entry;
use rowkey_bigtable::client::proto::mutation::{self, SetCell};
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::row_filter::Filter;
use rowkey_bigtable::client::proto::row_range::{EndKey, StartKey};
use rowkey_bigtable::client::proto::{MutateRowsRequest, Mutation, ReadRowsRequest, RowFilter, RowRange, RowSet};
use tonic::transport::{Channel, Endpoint};

use crate::{
    AT, Answer, BUCKETS, CONNECTIONS, COUNT, Contender, Counted, FAMILY, Failure, IN_FLIGHT, NOTE, ROWS_A_REQUEST,
    Visit, Work, some, timed,
};

/// A connection each.
#[derive(Clone)]
pub(crate) struct Raw {
    clients: Vec<BigtableClient<Channel>>,
    names: Client,
    visits: Arc<[Visit]>,
}

fn set(qualifier: &[u8], value: &[u8]) -> Mutation {
    let cell = SetCell {
        family_name: FAMILY.into(),
        column_qualifier: qualifier.into(),
        timestamp_micros: AT * 1000,
        value: value.into(),
    };
    Mutation { mutation: Some(mutation::Mutation::SetCell(cell)) }
}

/// Reads rows, and walks all chunks.
async fn read(mut client: BigtableClient<Channel>, table_name: String, rows: RowSet) -> Result<Counted, Failure> {
    // Of each column the newest version, as the tables ask.
    let newest = RowFilter { filter: Some(Filter::CellsPerColumnLimitFilter(1)) };
    let request = ReadRowsRequest { table_name, rows: Some(rows), filter: Some(newest), ..ReadRowsRequest::default() };
    let mut stream = client.read_rows(request).await?.into_inner();
    let mut counted = Counted::default();
    while let Some(response) = stream.message().await? {
        for chunk in response.chunks {
            counted.bytes += chunk.value.len();
            counted.rows += usize::from(matches!(chunk.row_status, Some(RowStatus::CommitRow(true))));
        }
    }
    Ok(counted)
}

fn keys(row_keys: Vec<Vec<u8>>) -> RowSet {
    RowSet { row_keys, row_ranges: Vec::new() }
}

impl Raw {
    pub(crate) async fn new(host: &str, names: Client, visits: Arc<[Visit]>) -> Result<Self, Failure> {
        let mut clients = Vec::new();
        for _ in 0..CONNECTIONS {
            let endpoint = Endpoint::from_shared(format!("http://{host}"))?
                .connect_timeout(Duration::from_secs(10))
                .initial_stream_window_size(256 << 10)
                .initial_connection_window_size(64 << 20)
                .tcp_nodelay(true);
            clients.push(BigtableClient::new(endpoint.connect().await?).max_decoding_message_size(512 << 20));
        }
        Ok(Self { clients, names, visits })
    }

    fn client(&self, turn: usize) -> BigtableClient<Channel> {
        self.clients[turn % self.clients.len()].clone()
    }

    async fn load(self, table: String) -> Result<Counted, Failure> {
        let send = |(turn, visits): (usize, &[Visit])| {
            let entry = |visit: &Visit| Entry {
                row_key: visit.encode(),
                mutations: vec![set(b"count", &COUNT), set(b"note", &NOTE)],
                ..Entry::default()
            };
            let entries: Vec<Entry> = visits.iter().map(entry).collect();
            let request = MutateRowsRequest { table_name: table.clone(), entries, ..MutateRowsRequest::default() };
            let mut client = self.client(turn);
            async move {
                let (mut stream, mut rows) = (client.mutate_rows(request).await?.into_inner(), 0);
                while let Some(response) = stream.message().await? {
                    rows += response.entries.iter().filter(|entry| is_written(entry.status.as_ref())).count();
                }
                Ok::<_, Failure>(rows)
            }
        };
        let requests: Vec<&[Visit]> = self.visits.chunks(ROWS_A_REQUEST).collect();
        let sent = iter(requests.into_iter().enumerate()).map(send).buffer_unordered(IN_FLIGHT);
        let rows = sent.try_fold(0, |sum, rows| async move { Ok(sum + rows) }).await?;
        Ok(Counted { rows, bytes: 0 })
    }

    /// A task for each bucket.
    async fn buckets(self, table: String) -> Result<Counted, Failure> {
        let read = |bucket: usize| {
            let end_key = (bucket + 1 < BUCKETS).then(|| EndKey::EndKeyOpen(vec![bucket as u8 + 1]));
            let range = RowRange { start_key: Some(StartKey::StartKeyClosed(vec![bucket as u8])), end_key };
            let rows = RowSet { row_keys: Vec::new(), row_ranges: vec![range] };
            tokio::spawn(read(self.client(bucket), table.clone(), rows))
        };
        let mut counted = Counted::default();
        for of_bucket in (0..BUCKETS).map(read).collect::<Vec<_>>() {
            counted.add(of_bucket.await??);
        }
        Ok(counted)
    }

    async fn gets(self, table: String) -> Result<Counted, Failure> {
        let mut counted = Counted::default();
        for (turn, visit) in some(&self.visits).enumerate() {
            counted.add(read(self.client(turn), table.clone(), keys(vec![visit.encode()])).await?);
        }
        Ok(counted)
    }

    async fn many(self, table: String) -> Result<Counted, Failure> {
        read(self.client(0), table, keys(some(&self.visits).map(Visit::encode).collect())).await
    }
}

fn is_written(status: Option<&rowkey_bigtable::client::proto::RpcStatus>) -> bool {
    status.is_none_or(|status| status.code == 0)
}

impl Contender for Raw {
    fn name(&self) -> String {
        "raw calls".into()
    }

    fn run<'a>(&'a mut self, work: Work, table: &'a str) -> Answer<'a> {
        let (this, table) = (self.clone(), self.names.table_name(table));
        Box::pin(async move {
            match work {
                Work::Load | Work::LoadAtOnce => timed(this.load(table)).await,
                Work::Scan => timed(this.buckets(table)).await,
                Work::Whole => timed(read(this.client(0), table, RowSet::default())).await,
                Work::Gets => timed(this.gets(table)).await,
                Work::Many => timed(this.many(table)).await,
            }
        })
    }
}
