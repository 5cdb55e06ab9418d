//! Faults under a load. Whatever happens to the servers and to the connections: no acknowledged row is lost, no
//! increment is counted twice, each scan gives each row once and in order, and nothing outlasts its deadline.

mod load;
mod network;
mod overload;
mod regions;
mod servers;

use hbase_client::{Client, Table};

/// The number of times that each fault is made.
fn rounds() -> usize {
    std::env::var("HBASE_CLIENT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// Spreads the regions of a table over all servers.
async fn spread(client: &Client, table: &Table, turn: usize) {
    let servers = client.admin().servers().await.unwrap();
    for (at, (region, _)) in table.regions().await.unwrap().into_iter().enumerate() {
        // A server may have died meanwhile.
        let _ = client.admin().move_region(&region, Some(&servers[(at + turn) % servers.len()])).await;
    }
}
