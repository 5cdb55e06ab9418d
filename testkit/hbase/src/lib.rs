//! A server for tests of `hbase-client`, and of what stands on it.
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

#![forbid(unsafe_code)]

mod meta;
mod reply;
mod server;

pub use self::meta::TABLE;
pub use self::reply::{Call, Reply};
pub use self::server::Fake;
