//! Rows that are too large to be read.
//!
//! The service says with an `ErrorInfo` that a row is too large, and which. What is too large for this client is said
//! in the same words, so that a program looks in one place:
//! [`BigtableError::large_row`](crate::BigtableError::large_row).

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use prost::Message;
use prost_types::Any;
use tonic::{Code, Status};

use super::proto::row_filter::{Chain, Filter};
use super::proto::{ReadRowsRequest, RowFilter, RpcStatus};

/// The reason that the service gives, as Google's client for Java reads it (`LargeReadRowsResumptionStrategy`).
const REASON: &str = "LargeRowReadError";
const KEY: &str = "rowKeyBase64Encoded";
const TYPE: &str = "google.rpc.ErrorInfo";

/// `google.rpc.ErrorInfo`.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
    #[prost(btree_map = "string, string", tag = "3")]
    metadata: BTreeMap<String, String>,
}

/// The key of the row that a status says is too large.
pub(crate) fn row(status: &Status) -> Option<Vec<u8>> {
    let details = RpcStatus::decode(status.details()).ok()?.details;
    let infos = details.iter().filter(|detail| detail.type_url.rsplit('/').next() == Some(TYPE));
    let mut infos = infos.filter_map(|detail| ErrorInfo::decode(detail.value.as_slice()).ok());
    let key = infos.find(|info| info.reason == REASON)?.metadata.remove(KEY)?;
    STANDARD_NO_PAD.decode(key.trim_end_matches('=')).ok()
}

/// The status of a row with more bytes than the client reads.
pub(super) fn status(key: &[u8], most: usize) -> Status {
    let message = format!(
        "the row at key {} has more than {most} bytes, the most that this client reads of one (BigtableOptions::largest_row). \
         Read fewer of its columns, or go on after it",
        key.escape_ascii()
    );
    let info = ErrorInfo {
        reason: REASON.to_owned(),
        domain: "bigtable.googleapis.com".to_owned(),
        metadata: BTreeMap::from([(KEY.to_owned(), STANDARD.encode(key))]),
    };
    let detail = Any { type_url: format!("type.googleapis.com/{TYPE}"), value: info.encode_to_vec() };
    let code = Code::FailedPrecondition;
    let details = RpcStatus { code: code.into(), message: message.clone(), details: vec![detail] };
    Status::with_details(code, message, details.encode_to_vec().into())
}

/// Returns whether tonic refused a response for its length.
pub(super) fn is_message(status: &Status) -> bool {
    status.code() == Code::OutOfRange && status.message().contains("decoded message length too large")
}

/// A request of the first row that `request` asks for, with one cell and without its value.
pub(super) fn key_of_first(request: ReadRowsRequest) -> ReadRowsRequest {
    let of = |filter| RowFilter { filter: Some(filter) };
    let bare = [of(Filter::CellsPerRowLimitFilter(1)), of(Filter::StripValueTransformer(true))];
    let filters = request.filter.into_iter().chain(bare).collect();
    ReadRowsRequest { filter: Some(of(Filter::Chain(Chain { filters }))), rows_limit: 1, ..request }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_names_its_row() {
        for key in [&b"a"[..], b"ab", b"\xff\0\x01"] {
            assert_eq!(row(&status(key, 10)).as_deref(), Some(key));
        }
        // The service's, byte by byte: a status with an `ErrorInfo` of reason, domain and the key `r2` in base64.
        let info =
            b"\n\x11LargeRowReadError\x12\x17bigtable.googleapis.com\x1a\x1b\n\x13rowKeyBase64Encoded\x12\x04cjI=";
        let detail = [&b"\n(type.googleapis.com/google.rpc.ErrorInfo\x12\x49"[..], info].concat();
        let details = [&b"\x08\x09\x1a\x75"[..], &detail].concat();
        let status = Status::with_details(Code::FailedPrecondition, "", details.into());
        assert_eq!(row(&status).as_deref(), Some(&b"r2"[..]));
        assert_eq!(row(&Status::failed_precondition("too large")), None);
        assert_eq!(row(&Status::with_details(Code::Internal, "", vec![0xff; 9].into())), None);
    }
}
