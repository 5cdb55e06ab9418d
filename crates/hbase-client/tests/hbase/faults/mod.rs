//! Faults under a load. Whatever happens to the servers and to the connections: no acknowledged row is lost, no
//! increment is counted twice, each scan gives each row once and in order, and nothing outlasts its deadline.

mod load;
mod network;
mod overload;
mod regions;
mod servers;

/// The number of times that each fault is made.
fn rounds() -> usize {
    std::env::var("HBASE_CLIENT_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}
