//! The servers of a cluster: their numbers, and when they began again or were silent.

use std::collections::BTreeMap;

use rowkey_simulate::run::{Restart, Silence};

use crate::reading::{Reading, ServerRun};

/// Servers by number, which is that of their address: it stays when they begin again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Servers {
    pub(crate) names: Vec<String>,
    start_codes: Vec<u64>,
    pub(crate) restarts: Vec<Restart>,
    pub(crate) silences: Vec<Silence>,
    /// Those who told nothing at the last reading, with the place of their silence.
    silent: BTreeMap<Option<u32>, usize>,
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

    /// Looks at who has answered since the reading before, which came at a time.
    pub(crate) fn look(&mut self, reading: &Reading, from_ms: u64, t_ms: u64) {
        let before = std::mem::take(&mut self.silent);
        let mut heard = vec![None];
        for server in &reading.servers {
            let number = Some(self.number(t_ms, &server.run));
            heard.push(number);
            if server.is_silent {
                self.silent(&before, from_ms, t_ms, number);
            }
        }
        if reading.is_master_silent {
            self.silent(&before, from_ms, t_ms, None);
        }
        for (server, at) in before {
            let silence = &mut self.silences[at];
            // A server that the master tells of no more still tells nothing.
            let is_gone = !heard.contains(&server);
            // Counts begin at the first answer.
            if is_gone || silence.t_ms == silence.until_ms && !self.silent.contains_key(&server) {
                silence.until_ms = t_ms;
            }
            if is_gone {
                self.silent.insert(server, at);
            }
        }
    }

    fn silent(&mut self, before: &BTreeMap<Option<u32>, usize>, from_ms: u64, until_ms: u64, server: Option<u32>) {
        let at = before.get(&server).copied().unwrap_or_else(|| {
            self.silences.push(Silence { t_ms: from_ms, until_ms, server });
            self.silences.len() - 1
        });
        self.silences[at].until_ms = until_ms;
        self.silent.insert(server, at);
    }
}
