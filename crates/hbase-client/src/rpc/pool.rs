//! Pool of connections, by server and service.

use std::collections::HashMap;
use std::sync::Arc;

use rowkey_retry::SingleFlight;
use tokio::time::{Instant, timeout_at};

use super::Connection;
use super::dial::{Dialing, dial};
use crate::model::error::{CallFault, Cause};
use crate::model::server::{Address, Service};
use crate::sync::{Locked, spawn};

type Place = (Address, Service, usize);

/// The connections to all servers.
pub(crate) struct Pool {
    dialing: Arc<Dialing>,
    connections: Arc<Locked<HashMap<Place, Connection>>>,
    dials: SingleFlight<Place, Result<Connection, Cause>>,
}

impl Pool {
    pub(crate) fn new(dialing: Dialing) -> Self {
        Self { dialing: Arc::new(dialing), connections: Arc::default(), dials: SingleFlight::new(spawn) }
    }

    /// A connection to a server: one that is there, or a new one. All who need the same one wait for one dial.
    pub(crate) async fn connection(
        &self,
        address: &Address,
        service: Service,
        deadline: Instant,
    ) -> Result<Connection, CallFault> {
        let place = (address.clone(), service, fastrand::usize(..self.dialing.connections.max(1)));
        if let Some(connection) = self.connections.lock().get(&place).filter(|open| open.broken().is_none()) {
            return Ok(connection.clone());
        }
        let dial = || {
            let (dialing, connections, place) = (self.dialing.clone(), self.connections.clone(), place.clone());
            async move {
                let connection = dial(&dialing, &place.0, place.1).await?;
                let mut connections = connections.lock();
                // A server that came back at another address does not need those of before.
                connections.retain(|_, known| known.broken().is_none());
                connections.insert(place, connection.clone());
                Ok(connection)
            }
        };
        let dialed = timeout_at(deadline, self.dials.join(place.clone(), dial)).await;
        let dialed = dialed.map_err(|_| CallFault::NotSent(Cause::TimedOut))?;
        dialed.unwrap_or_else(|| Err(Cause::runtime_stopped())).map_err(CallFault::NotSent)
    }

    /// Forgets the connections to a server. Calls that are under way go on.
    pub(crate) fn leave(&self, address: &Address) {
        self.connections.lock().retain(|(known, ..), _| known != address);
    }

    /// The addresses and services of open connections, and the number of calls that wait on each.
    pub(crate) fn open(&self) -> Vec<(Address, Service, usize)> {
        let connections = self.connections.lock();
        let open = connections.iter().filter(|(_, connection)| connection.broken().is_none());
        open.map(|((address, service, _), connection)| (address.clone(), *service, connection.in_flight())).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;
    use std::time::Duration;

    use super::*;
    use crate::Options;
    use crate::rpc::Limits;

    #[tokio::test]
    async fn a_dial_that_panics_says_so_and_blocks_nobody() {
        let options = Options::new().resolve(|_| resume_unwind(Box::new("of the program")));
        let limits = Limits {
            frame: options.response_bytes,
            calls: options.calls,
            read_timeout: options.read_timeout,
            idle_timeout: options.idle_timeout,
        };
        let pool = Pool::new(Dialing {
            user: options.user.clone(),
            timeout: options.connect_timeout,
            connections: 1,
            resolve: options.resolve.clone(),
            limits,
            #[cfg(any(feature = "tls", feature = "kerberos"))]
            security: options.security.ready().unwrap(),
        });
        let (address, deadline) = (Address::new("h", 1), Instant::now() + Duration::from_secs(60));
        for _ in 0..2 {
            let failed = pool.connection(&address, Service::Client, deadline).await.err().unwrap();
            assert!(!failed.may_have_executed());
            assert!(failed.into_cause().to_string().contains("panicked"));
        }
    }
}
