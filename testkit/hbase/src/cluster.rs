//! Processes of a cluster that `servers/hbase/cluster` started, and moves of its regions, for tests that make faults.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use hbase_client::{Address, Client, Table};

/// A cluster in a folder.
#[derive(Debug, Clone)]
pub struct Cluster {
    folder: Arc<Path>,
}

/// One of the cluster's processes.
#[derive(Debug, Clone)]
pub struct Process {
    folder: Arc<Path>,
    kind: &'static str,
    number: usize,
}

impl Cluster {
    /// The cluster that was started in `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().into() }
    }

    fn process(&self, kind: &'static str, number: usize) -> Process {
        Process { folder: Arc::clone(&self.folder), kind, number }
    }

    /// A region server, from 1 on. Three are there from the beginning.
    pub fn region_server(&self, number: usize) -> Process {
        self.process("regionserver", number)
    }

    /// The only server of ZooKeeper.
    pub fn zookeeper(&self) -> Process {
        self.process("zookeeper", 1)
    }

    /// Both masters, of which one is active.
    pub fn masters(&self) -> [Process; 2] {
        [1, 2].map(|number| self.process("master", number))
    }

    /// The master that the client has talked to last, which is the active one.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn active_master(&self, client: &Client) -> Process {
        let dump = client.dump();
        let talked = |master: &Process| {
            dump.lines().any(|line| line.contains("MasterService") && line.contains(&format!("{},", master.address())))
        };
        self.masters().into_iter().find(talked).unwrap_or_else(|| panic!("no master in {dump}"))
    }

    /// Starts the servers that a fault has ended.
    pub async fn start_missing(&self) {
        let servers = (1..=3).map(|number| self.region_server(number));
        for process in servers.chain(self.masters()) {
            if !process.runs() {
                process.start(&[]).await;
            }
        }
    }
}

impl Process {
    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).trim().into()
    }

    /// Its address; port 0 before it was started for the first time.
    ///
    /// # Panics
    ///
    /// If its file has no port.
    pub fn address(&self) -> Address {
        let file = format!("conf/{}-{}/port", self.kind, self.number);
        match self.folder.join(&file).exists() {
            true => Address::new("127.0.0.1", self.file(&file).parse().expect("a port")),
            false => Address::new("127.0.0.1", 0),
        }
    }

    /// Sends a signal, such as `-KILL`.
    ///
    /// # Panics
    ///
    /// If the process is not there.
    pub fn signal(&self, signal: &str) {
        let id = self.file(&format!("{}-{}.pid", self.kind, self.number));
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success(), "kill {signal} {self:?}");
    }

    fn runs(&self) -> bool {
        let id = self.file(&format!("{}-{}.pid", self.kind, self.number));
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.contains(&*self.folder.to_string_lossy())
    }

    /// Waits until the process has ended.
    pub async fn ends(&self) {
        while self.runs() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Starts the process, and waits until it listens.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub async fn start(&self, settings: &'static [&'static str]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/hbase/process");
        let mut command = Command::new(script);
        command.arg(&*self.folder).args([self.kind, &self.number.to_string()]).args(settings);
        command.stdout(Stdio::null());
        let started = tokio::task::spawn_blocking(move || command.status()).await.unwrap();
        assert!(started.unwrap().success(), "{self:?}");
    }
}

/// Spreads the regions of a table over all servers, each `turn` in another way.
///
/// # Panics
///
/// If the servers or the regions can't be read.
pub async fn spread(client: &Client, table: &Table, turn: usize) {
    let servers = client.admin().servers().await.unwrap();
    for (at, (region, _)) in table.regions().await.unwrap().into_iter().enumerate() {
        // A server may have died meanwhile.
        let _ = client.admin().move_region(&region, Some(&servers[(at + turn) % servers.len()])).await;
    }
}

/// The address of the server of `hbase:meta`, which the client knows.
///
/// # Panics
///
/// If it does not.
pub async fn server_of_meta(client: &Client) -> Address {
    let dump = client.dump();
    let line = dump.lines().find(|line| line.starts_with("region hbase:meta,")).expect("meta is known");
    let mut servers = client.admin().servers().await.unwrap().into_iter();
    servers.find(|server| line.contains(&server.to_string())).expect("the server of meta").address().clone()
}
