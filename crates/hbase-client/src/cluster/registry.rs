//! Registry: which servers have `hbase:meta` and the active master.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use prost::Message;
use tokio::time::{Instant, sleep_until, timeout};

use crate::cluster::zookeeper;
use crate::config::options::Options;
use crate::model::error::{CallFault, Cause};
use crate::model::server::{Address, ServerName, Service};
use crate::pb;
use crate::rpc::{Payload, Pool};

/// The registry: locates `hbase:meta` and the active master.
#[derive(Debug)]
pub(crate) struct Registry {
    endpoints: Vec<Endpoint>,
    znode: String,
    timeout: Duration,
}

#[derive(Debug, Clone)]
enum Endpoint {
    Master(Address),
    ZooKeeper(Address),
}

/// The delay after which the next endpoint is asked too.
const HEDGE: Duration = Duration::from_millis(300);

/// A fact about a cluster that each of its masters and ZooKeeper know.
pub(crate) trait Lookup {
    /// The fact, as it stands in an error.
    const WHAT: &'static str;
    const METHOD: &'static str;
    type Request: Message + Default;
    type Response: Message + Default;
    const ZNODE: &'static str;
    type Znode: Message + Default;
    type Output;

    fn of_response(response: Self::Response) -> Option<Self::Output>;
    fn of_znode(data: Self::Znode) -> Option<Self::Output>;
}

/// The server of `hbase:meta`.
pub(crate) struct MetaServer;

impl Lookup for MetaServer {
    const WHAT: &'static str = "the server of hbase:meta";
    const METHOD: &'static str = "GetMetaRegionLocations";
    type Request = pb::GetMetaRegionLocationsRequest;
    type Response = pb::GetMetaRegionLocationsResponse;
    const ZNODE: &'static str = "meta-region-server";
    type Znode = pb::MetaRegionServer;
    type Output = ServerName;

    fn of_response(response: Self::Response) -> Option<ServerName> {
        let primary = response.meta_locations.into_iter().find(|known| known.region_info.replica_id() == 0)?;
        ServerName::from_pb(&primary.server_name?)
    }

    fn of_znode(data: Self::Znode) -> Option<ServerName> {
        const OPEN: u32 = 3;
        let is_open = data.state() == OPEN || data.state.is_none();
        is_open.then(|| ServerName::from_pb(&data.server))?
    }
}

/// The active master.
pub(crate) struct ActiveMaster;

impl Lookup for ActiveMaster {
    const WHAT: &'static str = "the active master";
    const METHOD: &'static str = "GetActiveMaster";
    type Request = pb::GetActiveMasterRequest;
    type Response = pb::GetActiveMasterResponse;
    const ZNODE: &'static str = "master";
    type Znode = pb::Master;
    type Output = ServerName;

    fn of_response(response: Self::Response) -> Option<ServerName> {
        ServerName::from_pb(&response.server_name?)
    }

    fn of_znode(data: Self::Znode) -> Option<ServerName> {
        ServerName::from_pb(&data.master)
    }
}

/// The id of the cluster, which it has for all its life.
pub(crate) struct ClusterId;

impl Lookup for ClusterId {
    const WHAT: &'static str = "the id of the cluster";
    const METHOD: &'static str = "GetClusterId";
    type Request = pb::GetClusterIdRequest;
    type Response = pb::GetClusterIdResponse;
    const ZNODE: &'static str = "hbaseid";
    type Znode = pb::ClusterId;
    type Output = String;

    fn of_response(response: Self::Response) -> Option<String> {
        response.cluster_id
    }

    fn of_znode(data: Self::Znode) -> Option<String> {
        Some(data.cluster_id)
    }
}

impl Registry {
    pub(crate) fn new(options: &Options) -> Self {
        let masters = options.masters.iter().cloned().map(Endpoint::Master);
        let zookeeper = options.zookeeper.iter().cloned().map(Endpoint::ZooKeeper);
        Self {
            endpoints: masters.chain(zookeeper).collect(),
            znode: options.znode.clone(),
            timeout: options.meta_timeout,
        }
    }

    /// Asks one endpoint after the other, by chance, until one knows. A slow one is not waited for before the next is
    /// asked.
    pub(crate) async fn ask<L: Lookup>(&self, pool: &Pool) -> Result<L::Output, Cause> {
        let mut endpoints = self.endpoints.clone();
        fastrand::shuffle(&mut endpoints);
        let mut endpoints = endpoints.into_iter();
        let mut asked = FuturesUnordered::new();
        let mut told = Vec::new();
        let mut next = Instant::now();
        loop {
            if (asked.is_empty() || Instant::now() >= next)
                && let Some(endpoint) = endpoints.next()
            {
                asked.push(self.ask_one::<L>(pool, endpoint));
                next = Instant::now() + HEDGE;
            }
            tokio::select! {
                answer = asked.next() => match answer {
                    Some(Ok(known)) => return Ok(known),
                    Some(Err(cause)) => told.push(cause),
                    None => {
                        return Err(unknown(L::WHAT, &told));
                    }
                },
                () = sleep_until(next), if endpoints.len() > 0 => {}
            }
        }
    }

    async fn ask_one<L: Lookup>(&self, pool: &Pool, endpoint: Endpoint) -> Result<L::Output, Cause> {
        let answer = match &endpoint {
            Endpoint::Master(address) => timeout(self.timeout, self.ask_master::<L>(pool, address)).await,
            Endpoint::ZooKeeper(address) => timeout(self.timeout, self.ask_zookeeper::<L>(address)).await,
        };
        let (Endpoint::Master(address) | Endpoint::ZooKeeper(address)) = &endpoint;
        answer.unwrap_or(Err(Cause::TimedOut)).map_err(|cause| cause.at(address))
    }

    async fn ask_master<L: Lookup>(&self, pool: &Pool, address: &Address) -> Result<L::Output, Cause> {
        let deadline = Instant::now() + self.timeout;
        let connection =
            pool.connection(address, Service::ClientMeta, deadline).await.map_err(CallFault::into_cause)?;
        let request = L::Request::default();
        let answer = connection.call(&Payload::new(L::METHOD, &request), deadline).await;
        let response = answer.and_then(|answer| answer.read()).map_err(CallFault::into_cause)?;
        L::of_response(response).ok_or_else(|| Cause::said(format!("the server does not know {}", L::WHAT)))
    }

    async fn ask_zookeeper<L: Lookup>(&self, address: &Address) -> Result<L::Output, Cause> {
        let path = format!("{}/{}", self.znode.trim_end_matches('/'), L::ZNODE);
        let data = zookeeper::read(address, &path, self.timeout).await?;
        let data = data.ok_or_else(|| Cause::said(format!("there is no znode {path}")))?;
        read::<L>(&data).ok_or_else(|| Cause::said(format!("the data of the znode {path} can't be decoded")))
    }
}

/// No endpoint knows it. Who does not trust a server has to be told so, though another one may only be down.
fn unknown(what: &str, told: &[Cause]) -> Cause {
    let texts: Vec<_> = told.iter().map(Cause::to_string).collect();
    let text = format!("no registry endpoint knows {what}: {}", texts.join("; "));
    if told.iter().any(Cause::is_security) { Cause::security(text) } else { Cause::said(text) }
}

/// A znode's data: FF, the length of a writer's name in four bytes, the name, `PBUF`, and a message.
fn read<L: Lookup>(data: &[u8]) -> Option<L::Output> {
    let (length, rest) = data.strip_prefix(&[0xff])?.split_first_chunk()?;
    let message = rest.get(u32::from_be_bytes(*length) as usize..)?.strip_prefix(b"PBUF")?;
    L::of_znode(L::Znode::decode(Bytes::copy_from_slice(message)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn znode(message: &impl Message) -> Vec<u8> {
        [b"\xff\0\0\0\x04name".as_slice(), b"PBUF", &message.encode_to_vec()].concat()
    }

    #[test]
    fn distrust_is_told_though_another_server_is_down() {
        let told = [Cause::TimedOut, Cause::security("expired").at("h:1")];
        let cause = unknown("the server", &told);
        assert!(cause.is_security() && cause.to_string().contains("h:1: expired"), "{cause}");
        assert!(!unknown("the server", &told[..1]).is_security());
    }

    #[test]
    fn znodes_are_read() {
        let server = pb::ServerName { host_name: "h".into(), port: Some(1), start_code: Some(2) };
        let mut meta = pb::MetaRegionServer { server: server.clone(), state: Some(3) };
        let open = znode(&meta);
        assert_eq!(read::<MetaServer>(&open).map(|server| server.to_string()), Some("h,1,2".into()));
        let master = read::<ActiveMaster>(&znode(&pb::Master { master: server }));
        assert_eq!(master.map(|server| server.to_string()), Some("h,1,2".into()));
        let id = znode(&pb::ClusterId { cluster_id: "c-1".into() });
        assert_eq!(read::<ClusterId>(&id).as_deref(), Some("c-1"));
        meta.state = Some(5);
        assert_eq!(read::<MetaServer>(&znode(&meta)), None, "closing");
        for end in 0..open.len() {
            let _ = (read::<MetaServer>(&open[..end]), read::<ClusterId>(&open[..end]));
        }
        assert_eq!(read::<ActiveMaster>(b"\xff\xff\xff\xff\xffxPBUF"), None);
    }
}
