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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lookup {
    Meta,
    Master,
}

impl Lookup {
    /// The subject of the look-up.
    fn what(self) -> &'static str {
        match self {
            Self::Meta => "hbase:meta",
            Self::Master => "the active master",
        }
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
    pub(crate) async fn ask(&self, pool: &Pool, lookup: Lookup) -> Result<ServerName, Cause> {
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
                asked.push(self.ask_one(pool, endpoint, lookup));
                next = Instant::now() + HEDGE;
            }
            tokio::select! {
                answer = asked.next() => match answer {
                    Some(Ok(server)) => return Ok(server),
                    Some(Err(cause)) => told.push(cause),
                    None => {
                        return Err(unknown(lookup, &told));
                    }
                },
                () = sleep_until(next), if endpoints.len() > 0 => {}
            }
        }
    }

    async fn ask_one(&self, pool: &Pool, endpoint: Endpoint, lookup: Lookup) -> Result<ServerName, Cause> {
        let answer = match &endpoint {
            Endpoint::Master(address) => timeout(self.timeout, self.ask_master(pool, address, lookup)).await,
            Endpoint::ZooKeeper(address) => timeout(self.timeout, self.ask_zookeeper(address, lookup)).await,
        };
        let (Endpoint::Master(address) | Endpoint::ZooKeeper(address)) = &endpoint;
        answer.unwrap_or(Err(Cause::TimedOut)).map_err(|cause| cause.at(address))
    }

    async fn ask_master(&self, pool: &Pool, address: &Address, lookup: Lookup) -> Result<ServerName, Cause> {
        let deadline = Instant::now() + self.timeout;
        let connection =
            pool.connection(address, Service::ClientMeta, deadline).await.map_err(CallFault::into_cause)?;
        let server = match lookup {
            Lookup::Meta => {
                let message = pb::GetMetaRegionLocationsRequest {};
                let answer = connection.call(&Payload::new("GetMetaRegionLocations", &message), deadline).await;
                let answer: pb::GetMetaRegionLocationsResponse =
                    answer.and_then(|answer| answer.read()).map_err(CallFault::into_cause)?;
                let primary = answer.meta_locations.into_iter().find(|known| known.region_info.replica_id() == 0);
                primary.and_then(|primary| primary.server_name)
            }
            Lookup::Master => {
                let message = pb::GetActiveMasterRequest {};
                let answer = connection.call(&Payload::new("GetActiveMaster", &message), deadline).await;
                let answer: pb::GetActiveMasterResponse =
                    answer.and_then(|answer| answer.read()).map_err(CallFault::into_cause)?;
                answer.server_name
            }
        };
        server
            .as_ref()
            .and_then(ServerName::from_pb)
            .ok_or_else(|| Cause::said(format!("the server does not know where {} is", lookup.what())))
    }

    async fn ask_zookeeper(&self, address: &Address, lookup: Lookup) -> Result<ServerName, Cause> {
        let name = match lookup {
            Lookup::Meta => "meta-region-server",
            Lookup::Master => "master",
        };
        let path = format!("{}/{name}", self.znode.trim_end_matches('/'));
        let data = zookeeper::read(address, &path, self.timeout).await?;
        let data = data.ok_or_else(|| Cause::said(format!("there is no znode {path}")))?;
        server_of(&data, lookup).ok_or_else(|| Cause::said(format!("the data of the znode {path} can't be decoded")))
    }
}

/// Nobody knows where the cluster is. Who does not trust a server has to be told so, though another one may only be
/// down.
fn unknown(lookup: Lookup, told: &[Cause]) -> Cause {
    let texts: Vec<_> = told.iter().map(Cause::to_string).collect();
    let text = format!("no registry endpoint knows where {} is: {}", lookup.what(), texts.join("; "));
    if told.iter().any(Cause::is_security) { Cause::security(text) } else { Cause::said(text) }
}

/// A znode's data: FF, the length of a writer's name in four bytes, the name, `PBUF`, and a message.
fn server_of(data: &[u8], lookup: Lookup) -> Option<ServerName> {
    const OPEN: u32 = 3;
    let (length, rest) = data.strip_prefix(&[0xff])?.split_first_chunk()?;
    let message = rest.get(u32::from_be_bytes(*length) as usize..)?.strip_prefix(b"PBUF")?;
    let message = Bytes::copy_from_slice(message);
    let server = match lookup {
        Lookup::Meta => {
            let meta = pb::MetaRegionServer::decode(message).ok()?;
            (meta.state() == OPEN || meta.state.is_none()).then_some(meta.server)?
        }
        Lookup::Master => pb::Master::decode(message).ok()?.master,
    };
    ServerName::from_pb(&server)
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
        let cause = unknown(Lookup::Meta, &told);
        assert!(cause.is_security() && cause.to_string().contains("h:1: expired"), "{cause}");
        assert!(!unknown(Lookup::Meta, &told[..1]).is_security());
    }

    #[test]
    fn znodes_are_read() {
        let server = pb::ServerName { host_name: "h".into(), port: Some(1), start_code: Some(2) };
        let read = |data: &[u8], lookup| server_of(data, lookup).map(|server| server.to_string());
        let mut meta = pb::MetaRegionServer { server: server.clone(), state: Some(3) };
        let open = znode(&meta);
        assert_eq!(read(&open, Lookup::Meta), Some("h,1,2".into()));
        assert_eq!(read(&znode(&pb::Master { master: server }), Lookup::Master), Some("h,1,2".into()));
        meta.state = Some(5);
        assert_eq!(read(&znode(&meta), Lookup::Meta), None, "closing");
        for end in 0..open.len() {
            let _ = server_of(&open[..end], Lookup::Meta);
        }
        assert_eq!(read(b"\xff\xff\xff\xff\xffxPBUF", Lookup::Meta), None);
    }
}
