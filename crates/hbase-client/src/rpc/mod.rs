//! Calls to servers: frames, connections, and one connection for many calls.

mod calls;
mod connection;
mod dial;
mod frame;
mod limit;
mod pool;
mod preamble;

pub(crate) use self::connection::{Connection, Limits};
pub(crate) use self::dial::Dialing;
pub(crate) use self::frame::{Answer, Payload};
pub(crate) use self::pool::Pool;
