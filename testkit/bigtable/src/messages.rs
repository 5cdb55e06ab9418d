//! The messages of `google.bigtable.testproxy`, by name and number as its clients send them.

use rowkey_bigtable::client::proto::{self, Row, RpcStatus, SampleRowKeysResponse, mutate_rows_response};

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct CreateClientRequest {
    #[prost(string, tag = "1")]
    pub(crate) client_id: String,
    #[prost(string, tag = "2")]
    pub(crate) data_target: String,
    #[prost(string, tag = "3")]
    pub(crate) project_id: String,
    #[prost(string, tag = "4")]
    pub(crate) instance_id: String,
    #[prost(string, tag = "5")]
    pub(crate) app_profile_id: String,
    #[prost(message, optional, tag = "6")]
    pub(crate) per_operation_timeout: Option<prost_types::Duration>,
}

/// Names a client, to close or to remove it.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ClientRequest {
    #[prost(string, tag = "1")]
    pub(crate) client_id: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Empty {}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ReadRowRequest {
    #[prost(string, tag = "1")]
    pub(crate) client_id: String,
    #[prost(string, tag = "4")]
    pub(crate) table_name: String,
    #[prost(string, tag = "2")]
    pub(crate) row_key: String,
    #[prost(message, optional, tag = "3")]
    pub(crate) filter: Option<proto::RowFilter>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ReadRowsRequest {
    #[prost(string, tag = "1")]
    pub(crate) client_id: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) request: Option<proto::ReadRowsRequest>,
    #[prost(int32, tag = "3")]
    pub(crate) cancel_after_rows: i32,
}

/// Requests with one of Google's API inside.
macro_rules! requests {
    ($($request:ident($of:ty);)*) => {$(
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $request {
            #[prost(string, tag = "1")]
            pub(crate) client_id: String,
            #[prost(message, optional, tag = "2")]
            pub(crate) request: Option<$of>,
        }
    )*};
}

/// Results: a status, and what came.
macro_rules! results {
    ($($result:ident($label:ident, $payload:ty);)*) => {$(
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $result {
            #[prost(message, optional, tag = "1")]
            pub(crate) status: Option<RpcStatus>,
            #[prost(message, $label, tag = "2")]
            pub(crate) payload: $payload,
        }
    )*};
}

requests! {
    MutateRowRequest(proto::MutateRowRequest);
    MutateRowsRequest(proto::MutateRowsRequest);
    CheckAndMutateRowRequest(proto::CheckAndMutateRowRequest);
    SampleRowKeysRequest(proto::SampleRowKeysRequest);
    ReadModifyWriteRowRequest(proto::ReadModifyWriteRowRequest);
}

results! {
    RowResult(optional, Option<Row>);
    RowsResult(repeated, Vec<Row>);
    MutateRowResult(optional, Option<Empty>);
    MutateRowsResult(repeated, Vec<mutate_rows_response::Entry>);
    CheckAndMutateRowResult(optional, Option<proto::CheckAndMutateRowResponse>);
    SampleRowKeysResult(repeated, Vec<SampleRowKeysResponse>);
    ReadModifyWriteRowResult(optional, Option<Row>);
}
