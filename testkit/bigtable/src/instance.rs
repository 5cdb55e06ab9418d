//! An instance with tables, as far as a program needs them that is alone: what it does is counted at a
//! [`Mock`](crate::Mock).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use prost::Message;
use rowkey_bigtable::client::proto::admin::{CreateTableRequest, DeleteTableRequest, GetTableRequest, Table};
use rowkey_bigtable::client::proto::mutation::Mutation as Edit;
use rowkey_bigtable::client::proto::read_rows_response::CellChunk;
use rowkey_bigtable::client::proto::read_rows_response::cell_chunk::RowStatus;
use rowkey_bigtable::client::proto::{
    CheckAndMutateRowRequest, CheckAndMutateRowResponse, MutateRowsRequest, MutateRowsResponse, Mutation,
    ReadRowsRequest, ReadRowsResponse, RpcStatus, mutate_rows_response,
};
use tonic::Code;

use crate::answers::{End, messages, status};
use crate::server::{Answer, Asked};

/// Tables and rows, of which a column has one version. Rows are read by their keys. A condition asks whether the row
/// has any cells.
#[derive(Debug, Default)]
pub struct Instance {
    tables: Mutex<HashMap<String, (Table, Rows)>>,
}

type Rows = HashMap<Vec<u8>, Vec<(String, Vec<u8>, Vec<u8>)>>;

fn decode<M: Message + Default>(asked: &Asked) -> M {
    M::decode(asked.message.clone()).unwrap_or_default()
}

fn answer<M: Message>(message: M) -> Answer {
    messages([message], End::of(Code::Ok))
}

impl Instance {
    /// The answer to a request.
    pub fn answer(&self, asked: &Asked) -> Answer {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let absent = || status(Code::NotFound, "there is no such table");
        match asked.method.as_str() {
            "CreateTable" => {
                let request: CreateTableRequest = decode(asked);
                let name = format!("{}/tables/{}", request.parent, request.table_id);
                let table = Table { name: name.clone(), ..request.table.unwrap_or_default() };
                tables.insert(name, (table.clone(), Rows::new()));
                answer(table)
            }
            "GetTable" => {
                let name = decode::<GetTableRequest>(asked).name;
                tables.get(&name).map_or_else(absent, |(table, _)| answer(table.clone()))
            }
            "DeleteTable" => match tables.remove(&decode::<DeleteTableRequest>(asked).name) {
                Some(_) => answer(()),
                None => absent(),
            },
            "ReadRows" => {
                let request: ReadRowsRequest = decode(asked);
                let Some((_, rows)) = tables.get(&request.table_name) else { return absent() };
                let keys = request.rows.unwrap_or_default().row_keys;
                let found = keys.iter().filter_map(|key| Some(row(key, rows.get(key)?)));
                messages(found, End::of(Code::Ok))
            }
            "CheckAndMutateRow" => {
                let request: CheckAndMutateRowRequest = decode(asked);
                let Some((_, rows)) = tables.get_mut(&request.table_name) else { return absent() };
                let predicate_matched = rows.get(&request.row_key).is_some_and(|cells| !cells.is_empty());
                let edits = if predicate_matched { request.true_mutations } else { request.false_mutations };
                apply(rows, request.row_key, edits);
                answer(CheckAndMutateRowResponse { predicate_matched })
            }
            "MutateRows" => {
                let request: MutateRowsRequest = decode(asked);
                let Some((_, rows)) = tables.get_mut(&request.table_name) else { return absent() };
                let count = i64::try_from(request.entries.len()).unwrap_or_default();
                request.entries.into_iter().for_each(|entry| apply(rows, entry.row_key, entry.mutations));
                let written = |index| mutate_rows_response::Entry { index, status: Some(RpcStatus::default()) };
                answer(MutateRowsResponse { entries: (0..count).map(written).collect(), rate_limit_info: None })
            }
            method => status(Code::Unimplemented, method),
        }
    }
}

fn apply(rows: &mut Rows, key: Vec<u8>, edits: Vec<Mutation>) {
    let cells = rows.entry(key).or_default();
    for edit in edits {
        match edit.mutation {
            Some(Edit::SetCell(cell)) => {
                cells.retain(|(family, qualifier, _)| {
                    (family, qualifier) != (&cell.family_name, &cell.column_qualifier)
                });
                cells.push((cell.family_name, cell.column_qualifier, cell.value));
            }
            Some(Edit::DeleteFromColumn(column)) => {
                cells.retain(|(family, qualifier, _)| {
                    (family, qualifier) != (&column.family_name, &column.column_qualifier)
                });
            }
            Some(Edit::DeleteFromRow(_)) => cells.clear(),
            _ => {}
        }
    }
}

fn row(key: &[u8], cells: &[(String, Vec<u8>, Vec<u8>)]) -> ReadRowsResponse {
    let mut chunks: Vec<_> = cells
        .iter()
        .map(|(family, qualifier, value)| CellChunk {
            family_name: Some(family.clone()),
            qualifier: Some(qualifier.clone()),
            timestamp_micros: 1000,
            value: value.clone(),
            ..CellChunk::default()
        })
        .collect();
    if let Some(first) = chunks.first_mut() {
        first.row_key = key.to_vec();
    }
    if let Some(last) = chunks.last_mut() {
        last.row_status = Some(RowStatus::CommitRow(true));
    }
    ReadRowsResponse { chunks, ..ReadRowsResponse::default() }
}
