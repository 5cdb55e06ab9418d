//! Messages of HBase's protocol, for servers that tests write.

use bytes::Bytes;

use crate::model::region::Region;
use crate::model::server::ServerName as ClientServerName;
pub use crate::pb::*;

/// The region that a message and its name in `hbase:meta` say.
pub fn region(info: &RegionInfo, name: Bytes) -> Option<Region> {
    Region::from_pb(info, name)
}

/// The server that a message says.
pub fn server(name: &ServerName) -> Option<ClientServerName> {
    ClientServerName::from_pb(name)
}
