//! The cluster's processes, for tests that stop and start them.

use std::path::Path;
use std::process::Command;

use hbase_client::{Address, Client};

use crate::folder;

/// One of the cluster's processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    kind: &'static str,
    number: usize,
}

impl Process {
    pub(crate) fn region_server(number: usize) -> Self {
        Self { kind: "regionserver", number }
    }

    pub(crate) fn zookeeper() -> Self {
        Self { kind: "zookeeper", number: 1 }
    }

    pub(crate) fn masters() -> [Self; 2] {
        [1, 2].map(|number| Self { kind: "master", number })
    }

    /// The master that the client has talked to last, which is the active one.
    pub(crate) fn active_master(client: &Client) -> Self {
        let dump = client.dump();
        let talked = |master: &Self| {
            dump.lines().any(|line| line.contains("MasterService") && line.contains(&format!("{},", master.address())))
        };
        Self::masters().into_iter().find(talked).unwrap_or_else(|| panic!("no master in {dump}"))
    }

    /// Starts the servers that a fault has ended.
    pub(crate) async fn start_missing() {
        let servers = (1..=3).map(Self::region_server);
        for process in servers.chain(Self::masters()) {
            if !process.runs() {
                process.start(&[]).await;
            }
        }
    }

    fn file(&self, path: &str) -> String {
        std::fs::read_to_string(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).trim().into()
    }

    pub(crate) fn address(&self) -> Address {
        let file = format!("conf/{}-{}/port", self.kind, self.number);
        match folder().join(&file).exists() {
            true => Address::new("127.0.0.1", self.file(&file).parse().expect("a port")),
            false => Address::new("127.0.0.1", 0),
        }
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.file(&format!("{}-{}.pid", self.kind, self.number));
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success(), "kill {signal} {self:?}");
    }

    fn runs(&self) -> bool {
        let id = self.file(&format!("{}-{}.pid", self.kind, self.number));
        let line = std::fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.contains(&*folder().to_string_lossy())
    }

    /// Waits until the process has ended.
    pub(crate) async fn ends(&self) {
        while self.runs() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    /// Starts the process, and waits until it listens.
    pub(crate) async fn start(self, settings: &'static [&'static str]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/hbase/process");
        let mut command = Command::new(script);
        command.arg(folder()).args([self.kind, &self.number.to_string()]).args(settings);
        command.stdout(std::process::Stdio::null());
        let started = tokio::task::spawn_blocking(move || command.status()).await.unwrap();
        assert!(started.unwrap().success(), "{self:?}");
    }
}
