//! Responses of the registry and of `hbase:meta`: the one server has the one region of the table.

use hbase_client::Address;
use hbase_client::protocol as pb;
use prost::Message;

use crate::reply::Reply;

/// The table that the server has.
pub const TABLE: &str = "t";

/// The name of the region of `hbase:meta`.
const META: &[u8] = b"hbase:meta,,1";

/// The response to a question about the cluster.
pub(crate) fn registry(method: &str, server: &Address) -> Option<Reply> {
    let (host_name, port) = (server.host().into(), Some(server.port().into()));
    let server_name = Some(pb::ServerName { host_name, port, start_code: Some(1) });
    match method {
        "GetActiveMaster" => Some(Reply::message(&pb::GetActiveMasterResponse { server_name })),
        "GetMetaRegionLocations" => {
            let table_name = pb::TableName { namespace: "hbase".into(), qualifier: "meta".into() };
            let region_info = pb::RegionInfo { table_name, ..Default::default() };
            let meta_locations = vec![pb::RegionLocation { region_info, server_name, seq_num: 1 }];
            Some(Reply::message(&pb::GetMetaRegionLocationsResponse { meta_locations }))
        }
        _ => None,
    }
}

/// Returns whether a scan is of `hbase:meta`.
pub(crate) fn is_of_meta(scan: &pb::ScanRequest) -> bool {
    scan.region.as_ref().is_some_and(|region| region.value == META)
}

/// The row of the region.
pub(crate) fn row(server: &Address, opening: i64) -> pb::Result {
    let table_name = pb::TableName { namespace: "default".into(), qualifier: TABLE.into() };
    let info = pb::RegionInfo { region_id: 1, table_name, ..Default::default() };
    let cell = |qualifier: &'static str, value: Vec<u8>| pb::Cell {
        row: Some("t,,1.0123.".into()),
        family: Some("info".into()),
        qualifier: Some(qualifier.into()),
        value: Some(value.into()),
        ..Default::default()
    };
    let cells = vec![
        cell("regioninfo", [b"PBUF", &info.encode_to_vec()[..]].concat()),
        cell("seqnumDuringOpen", opening.to_be_bytes().to_vec()),
        cell("server", server.to_string().into()),
        cell("serverstartcode", 1u64.to_be_bytes().to_vec()),
    ];
    pb::Result { cell: cells, ..Default::default() }
}
