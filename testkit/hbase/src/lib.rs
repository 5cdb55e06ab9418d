//! Servers for tests of `hbase-client`, and of what stands on it: one that answers as a test says, and processes that a
//! test kills.
//!
//! [`Fake`] is a cluster of one server in this process: the master, the server of `hbase:meta`, and that of the one
//! region of the [table `t`](TABLE). Its own responses tell the addresses of the active master, `hbase:meta`
//! and the region. The response to any other request, a [`Call`], is a [`Reply`] of the test's script: a message, an
//! exception, a recorded frame, silence, or the end of the connection. A test makes faults that a real server shows too
//! rarely.
//!
//! ```ignore
//! let fake = Fake::start(|call| match call.nth {
//!     0 => Reply::Close,
//!     _ => Reply::message(&protocol::GetResponse::default()),
//! });
//! assert!(fake.table().get("r").await?.is_empty());
//! assert_eq!((fake.calls("Get"), fake.lookups()), (2, 1));
//! ```
//!
//! [`Cluster`] is a real one, whose processes can be killed, stopped and started. A [`Proxy`] stands between a client
//! and such a cluster, and cuts connections or delays what passes.

#![forbid(unsafe_code)]

mod cluster;
mod meta;
mod patience;
mod proxy;
mod reply;
mod server;

pub use self::cluster::{Cluster, Process, server_of_meta, spread};
pub use self::meta::TABLE;
pub use self::patience::{eventually, with_longer_timeouts};
pub use self::proxy::{Fault, Proxy};
pub use self::reply::{Call, Reply};
pub use self::server::Fake;
