//! The servers of a cluster: their numbers, and when they began again or were silent.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_simulate::run::{Restart, Silence};

use crate::reading::{Reading, ServerRun};

/// Servers by number, which is that of their address: it stays when they begin again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers {
    pub(crate) names: Vec<String>,
    start_codes: Vec<u64>,
    pub(crate) restarts: Vec<Restart>,
    pub(crate) silences: Vec<Silence>,
    /// Those who told nothing at the last reading, with the place of their silence. The master has no number.
    silent: BTreeMap<Option<u32>, usize>,
    /// Those who told something at the last reading.
    heard: BTreeSet<Option<u32>>,
}

impl Servers {
    /// The number of a server; a new one if it was not seen before.
    pub(crate) fn number(&mut self, t_ms: u64, run: &ServerRun) -> u32 {
        let number = self.names.iter().position(|known| *known == run.address).unwrap_or_else(|| {
            self.names.push(run.address.clone());
            self.start_codes.push(run.start_code);
            self.names.len() - 1
        });
        let server = u32::try_from(number).unwrap_or(u32::MAX);
        // A server that was told of late may be one that has ended.
        if self.start_codes[number] < run.start_code {
            self.start_codes[number] = run.start_code;
            self.restarts.push(Restart { t_ms, server });
        }
        server
    }

    /// Looks at who has answered since the reading before, which came at a time. A silence lasts until it is broken. It
    /// is one too if the master tells of a server no more.
    pub(crate) fn look(&mut self, reading: &Reading, from_ms: u64, t_ms: u64) {
        let mut heard = BTreeSet::new();
        let mut silent: BTreeSet<Option<u32>> = self.silent.keys().chain(&self.heard).copied().collect();
        for server in &reading.servers {
            let number = Some(self.number(t_ms, &server.run));
            _ = if server.is_silent { silent.insert(number) } else { heard.insert(number) };
        }
        _ = if reading.is_master_silent { silent.insert(None) } else { heard.insert(None) };
        for at in self.silent.values() {
            self.silences[*at].until_ms = t_ms;
        }
        self.silent.retain(|server, _| !heard.contains(server));
        for server in silent.difference(&heard) {
            self.silent.entry(*server).or_insert_with(|| {
                self.silences.push(Silence { t_ms: from_ms, until_ms: t_ms, server: *server });
                self.silences.len() - 1
            });
        }
        self.heard = heard;
    }
}
