//! The balancer's runs.

use std::collections::BTreeMap;

use super::balancer::{moves, needs_balance};
use super::due::{What, next_tick};
use super::state::Cluster;

impl Cluster {
    /// Lets the balancer run at its next tick, as the number of regions has changed.
    pub(crate) fn balance_later(&mut self) {
        let Some(period_ms) = self.balancer_ms else { return };
        if !std::mem::replace(&mut self.balance_is_due, true) {
            let at_ms = next_tick(self.now_ms, period_ms, self.balancer_phase_ms);
            self.queue.push(at_ms, (0, 0), What::Balance);
        }
    }

    /// Evens the number of regions of the servers, if they are uneven enough. While regions are closed it waits for its
    /// next tick. The moves are spread over its period (`HMaster.balance`).
    pub(crate) fn balance(&mut self) {
        self.balance_is_due = false;
        if self.unsettled > 0 {
            return self.balance_later();
        }
        let counts: Vec<u64> = self.servers.iter().map(|server| server.regions).collect();
        if !needs_balance(&counts) {
            return;
        }
        let moves = moves(&counts);
        let mut on_servers: BTreeMap<usize, Vec<usize>> = moves.iter().map(|(from, _)| (*from, Vec::new())).collect();
        for (number, region) in self.regions.iter().enumerate() {
            on_servers.entry(region.server).and_modify(|regions| regions.push(number));
        }
        let pause_ms = self.balancer_ms.unwrap_or(0) / moves.len().max(1) as u64;
        let mut at_ms = self.now_ms;
        for (from, to) in moves {
            // A region is drawn of those that the server has had before the run.
            let Some(regions) = on_servers.get_mut(&from) else { continue };
            let drawn = self.draws.within(0..regions.len() as u64);
            let region = regions.swap_remove(usize::try_from(drawn).unwrap_or(0));
            self.queue.push(at_ms, self.epoch(region), What::Move(to));
            at_ms = at_ms.saturating_add(pause_ms);
        }
    }
}
