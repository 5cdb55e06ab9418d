//! Faults of servers, regions and connections.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hbase_client::{Client, Region, ServerName, Table, TableName};
use rowkey_hbase::HBase;
use rowkey_hbase_testkit::{Cluster, server_of_meta};
use tokio::time::sleep;

use super::rows::{Plain, Rows, Wide};
use crate::peer::Peer;
use crate::site;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A region server is killed and started again.
    Kill,
    /// A region server is stopped for a while that is shorter than its session.
    Stop,
    Move,
    Split,
    Merge,
    /// Connections are cut at random bytes, and what was sent on them arrives later.
    Late,
    /// The server of `hbase:meta` responds slowly, while regions move.
    SlowMeta,
    /// All is written to files, which are compacted, so that marks of deletes are gone.
    Compaction,
}

pub(super) const FAULTS: [Fault; 8] = [
    Fault::Kill,
    Fault::Stop,
    Fault::Late,
    Fault::Move,
    Fault::Split,
    Fault::SlowMeta,
    Fault::Merge,
    Fault::Compaction,
];

/// Longer than a server's session in ZooKeeper, and its regions' way to other servers.
const DEAD: Duration = Duration::from_secs(12);
/// Longer than an attempt of the load, and, with the time between two signs of life, much shorter than a session. A
/// server that was declared dead may acknowledge writes when it goes on, which are lost where files are local: HDFS
/// would refuse them.
const STOPPED: Duration = Duration::from_millis(1500);
/// For as long connections are cut, or a server is slow.
const BAD: Duration = Duration::from_secs(3);
/// The time between two looks at the cluster.
const LOOK: Duration = Duration::from_millis(100);
const CALM: Duration = Duration::from_secs(1);

pub(super) struct Faults {
    cluster: Cluster,
    client: Client,
    namespace: String,
    pub(super) peers: Vec<Peer>,
}

impl Faults {
    /// The cluster of the site, whose folder is that of the folder `conf`.
    pub(super) fn cluster() -> Cluster {
        let site = site();
        Cluster::new(site.parent().and_then(std::path::Path::parent).expect("FOLDER/conf/hbase-site.xml"))
    }

    pub(super) fn new(database: &HBase, peers: Vec<Peer>) -> Self {
        let (client, namespace) = (database.client().clone(), database.namespace().to_owned());
        Self { cluster: Self::cluster(), client, namespace, peers }
    }

    /// Tells all processes of the load.
    pub(super) fn tell(&mut self, line: &str) {
        self.peers.iter_mut().for_each(|peer| peer.ask(line));
    }

    /// Tells one process to take a step of the migration.
    pub(super) fn step(&mut self, step: &str) {
        self.peers[0].ask(&format!("step {step}"));
    }

    pub(super) async fn make(&mut self, fault: Fault, round: usize) {
        let began = Instant::now();
        match fault {
            Fault::Kill => {
                let server = self.cluster.region_server(1 + round % 3);
                let before = self.servers().await;
                let killed = before.iter().find(|name| *name.address() == server.address()).expect("it serves");
                server.signal("-KILL");
                server.ends().await;
                // It is back before it was missed, or after.
                if round % 2 == 1 {
                    sleep(DEAD).await;
                }
                server.start(&[]).await;
                while self.servers().await.contains(killed) {
                    sleep(LOOK).await;
                }
            }
            Fault::Stop => {
                let server = self.cluster.region_server(1 + (round + 1) % 3);
                server.signal("-STOP");
                sleep(STOPPED).await;
                server.signal("-CONT");
            }
            Fault::Move => self.move_some(round).await,
            Fault::Split => {
                // A region that was split or merged is not so again before it was compacted: each is taken once.
                for table in self.of_items() {
                    let bucket = round as u8;
                    let region = self.region(&table, &[bucket, 1]).await;
                    self.client.admin().split(&region, [bucket, 8]).await.unwrap();
                }
            }
            Fault::Merge => {
                for table in self.of_items() {
                    let bucket = 5 + 2 * round as u8;
                    let both = [self.region(&table, &[bucket]).await, self.region(&table, &[bucket + 1]).await];
                    self.client.admin().merge(&both).await.unwrap();
                }
            }
            Fault::Late => {
                // The shorter ones are cut inside of the preamble or of the first frames.
                self.tell("cut 300");
                sleep(BAD / 2).await;
                self.tell("late 20000");
                sleep(2 * BAD).await;
                self.tell("well");
            }
            Fault::SlowMeta => {
                let meta = server_of_meta(&self.client).await;
                self.tell(&format!("slow {}", meta.port()));
                self.move_some(round + 1).await;
                sleep(BAD).await;
                self.tell("well");
            }
            Fault::Compaction => {
                for table in self.tables().await {
                    self.client.admin().flush(table.name().clone()).await.unwrap();
                    self.client.admin().major_compact(table.name().clone()).await.unwrap();
                }
            }
        }
        self.settle().await;
        sleep(CALM).await;
        println!("{fault:?} {round} took {:?}", began.elapsed());
    }

    async fn servers(&self) -> Vec<ServerName> {
        self.client.admin().servers().await.unwrap()
    }

    async fn tables(&self) -> Vec<Table> {
        let names = self.client.admin().tables_of(&*self.namespace).await.unwrap();
        names.into_iter().map(|name| self.client.table(name)).collect()
    }

    /// The tables that have a region of each bucket.
    fn of_items(&self) -> [Table; 2] {
        [Wide::NAME, Plain::NAME].map(|name| self.client.table(TableName::new(&*self.namespace, name)))
    }

    async fn region(&self, table: &Table, key: &[u8]) -> Region {
        let regions = table.regions().await.unwrap().into_iter();
        regions.map(|(region, _)| region).find(|region| region.contains(key)).unwrap()
    }

    /// Moves each third region to another server, all at once.
    async fn move_some(&self, turn: usize) {
        let (servers, admin) = (&self.servers().await, &self.client.admin());
        let mut moves = Vec::new();
        for table in self.tables().await {
            for (at, (region, server)) in table.regions().await.unwrap().into_iter().enumerate() {
                if at % 3 == turn % 3 {
                    moves.push(async move {
                        let to = servers.iter().filter(|name| Some(*name) != server.as_ref()).nth(turn % 2);
                        admin.move_region(&region, to).await.unwrap();
                    });
                }
            }
        }
        join_all(moves).await;
    }

    /// Waits until all servers are there, and each region is on one of them.
    pub(super) async fn settle(&self) {
        loop {
            // A busy machine may keep one from its signs of life.
            self.cluster.start_missing().await;
            let servers = self.servers().await;
            let mut are_open = servers.len() >= 3;
            for table in self.tables().await {
                let regions = table.regions().await.unwrap();
                are_open &= regions.iter().all(|(_, at)| at.as_ref().is_some_and(|at| servers.contains(at)));
            }
            if are_open {
                return;
            }
            sleep(LOOK).await;
        }
    }
}
