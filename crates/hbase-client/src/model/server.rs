//! Servers: addresses, names, and the services that they have.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::pb;

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    host: Arc<str>,
    port: u16,
}

impl Address {
    /// The address of a port of a host, which is a name or an IP address.
    pub fn new(host: impl AsRef<str>, port: u16) -> Self {
        Self { host: host.as_ref().into(), port }
    }

    /// The host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Reads `host`, `host:port`, `[::1]` or `[::1]:port`.
    pub(crate) fn parse(text: &str, default_port: u16) -> Option<Self> {
        let text = text.trim();
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                (host, rest.strip_prefix(':').or_else(|| rest.is_empty().then_some(""))?)
            }
            None => text.split_once(':').unwrap_or((text, "")),
        };
        let port = if port.is_empty() { default_port } else { port.parse().ok()? };
        (!host.is_empty()).then(|| Self::new(host, port))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

/// The text is not a host and a port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not host:port")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        Self::parse(text, 0).filter(|address| address.port != 0).ok_or_else(|| AddressError(text.into()))
    }
}

/// One run of a server: the address on which it listens, and the time when it was started.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerName {
    address: Address,
    start_code: u64,
}

impl ServerName {
    pub(crate) fn new(address: Address, start_code: u64) -> Self {
        Self { address, start_code }
    }

    /// The address on which the server listens.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The time when the server was started, in Unix milliseconds. It is another one after a restart.
    pub fn start_code(&self) -> u64 {
        self.start_code
    }

    pub(crate) fn from_pb(name: &pb::ServerName) -> Option<Self> {
        let port = u16::try_from(name.port()).ok()?;
        (!name.host_name.is_empty()).then(|| Self::new(Address::new(&name.host_name, port), name.start_code()))
    }

    pub(crate) fn to_pb(&self) -> pb::ServerName {
        pb::ServerName {
            host_name: self.address.host().into(),
            port: Some(self.address.port.into()),
            start_code: Some(self.start_code),
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.address.host(), self.address.port, self.start_code)
    }
}

/// The service of a connection. A server takes calls of one service on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Service {
    Client,
    ClientMeta,
    Admin,
    Lock,
    Master,
}

impl Service {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Client => "ClientService",
            Self::ClientMeta => "ClientMetaService",
            Self::Admin => "AdminService",
            Self::Lock => "LockService",
            Self::Master => "MasterService",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |text| Address::parse(text, 16000).map(|address| address.to_string());
        assert_eq!(read(" a.example "), Some("a.example:16000".into()));
        assert_eq!(read("a:1"), Some("a:1".into()));
        assert_eq!(read("[::1]:2181"), Some("[::1]:2181".into()));
        assert_eq!(read("[::1]"), Some("[::1]:16000".into()));
        for wrong in ["", ":1", "a:x", "a:70000", "[::1", "[::1]2"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert!("a".parse::<Address>().is_err());
    }
}
