//! Kerberos: principals, credentials, and how much of a connection is protected.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::model::server::{Address, Service};

/// Kerberos: who the servers are, and who the client is.
///
/// Tickets are those of the system's cache, as `kinit` leaves them there, or as the environment variable `KRB5CCNAME`
/// says. New connections take new tickets.
///
/// ```
/// use hbase_client::{Kerberos, Options, Protection};
///
/// let kerberos = Kerberos::new("hbase/_HOST@EXAMPLE.COM").protections([Protection::Privacy]);
/// let options = Options::new().kerberos(kerberos);
/// ```
#[derive(Debug, Clone)]
pub struct Kerberos {
    servers: String,
    masters: Option<String>,
    pub(super) principal: Option<String>,
    keytab: Option<PathBuf>,
    pub(super) protections: Vec<Protection>,
    pub(super) allow_simple: bool,
}

/// The protection of a connection's bytes by Kerberos (SASL's QOP): `hbase.rpc.protection`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Nothing, once both ends know who the other one is.
    Authentication,
    /// Nobody can change them.
    Integrity,
    /// Nobody can change or read them.
    Privacy,
}

impl Kerberos {
    /// Kerberos with servers of this principal. `_HOST` in it stands for a server's name, in lower case, as it is in
    /// the options and in `hbase:meta`.
    pub fn new(servers: impl Into<String>) -> Self {
        Self {
            servers: servers.into(),
            masters: None,
            principal: None,
            keytab: None,
            protections: vec![Protection::Authentication],
            allow_simple: false,
        }
    }

    /// The principal of masters. Default: that of all servers.
    #[must_use]
    pub fn masters(mut self, principal: impl Into<String>) -> Self {
        self.masters = Some(principal.into());
        self
    }

    /// The principal of the client. Default: that of the tickets in the cache, or the first one of the keytab.
    #[must_use]
    pub fn principal(mut self, principal: impl Into<String>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// Gets tickets by the keys in this file, and new ones before they expire. The system's Kerberos finds the file by
    /// the environment variable `KRB5_CLIENT_KTNAME`, which has to name the same file when the program starts; if it
    /// does not, [`Client::new`](crate::Client::new) says so. Tickets are put in the cache that `KRB5CCNAME` names:
    /// `MEMORY:` keeps them in this process.
    #[must_use]
    pub fn keytab(mut self, file: impl Into<PathBuf>) -> Self {
        self.keytab = Some(file.into());
        self
    }

    /// The protections that will do, the best one first. A server that offers none of them is refused. Default:
    /// authentication alone.
    #[must_use]
    pub fn protections(mut self, protections: impl IntoIterator<Item = Protection>) -> Self {
        self.protections = protections.into_iter().collect();
        self
    }

    /// Sets whether the client talks without Kerberos to a server that has none. Default: false, because anybody can
    /// pretend to be such a server.
    #[must_use]
    pub fn allow_simple(mut self, allow: bool) -> Self {
        self.allow_simple = allow;
        self
    }

    pub(super) fn ready(&self) -> Result<Login, String> {
        if let Some(keytab) = &self.keytab {
            let name = keytab.display();
            std::fs::File::open(keytab).map_err(|error| format!("the keytab {name}: {error}"))?;
            let known = std::env::var_os("KRB5_CLIENT_KTNAME").unwrap_or_default();
            if !names(&known, keytab) {
                return Err(format!(
                    "the keytab {name} is not the one of the environment: start the program with KRB5_CLIENT_KTNAME={name}"
                ));
            }
        }
        Ok(Login { asked: Arc::new(self.clone()), gate: Arc::new(Semaphore::new(AT_A_TIME)) })
    }
}

/// Returns whether a value of `KRB5_CLIENT_KTNAME` names this file.
fn names(value: &std::ffi::OsStr, keytab: &Path) -> bool {
    let value = Path::new(value);
    let file = value.to_str().and_then(|text| text.strip_prefix("FILE:")).map_or(value, Path::new);
    file == keytab
}

/// The number of threads that may wait for Kerberos servers at a time.
const AT_A_TIME: usize = 8;

/// Kerberos with its options looked at.
#[derive(Clone)]
pub(crate) struct Login {
    pub(super) asked: Arc<Kerberos>,
    pub(super) gate: Arc<Semaphore>,
}

impl Login {
    /// The principal of a server.
    pub(crate) fn server(&self, address: &Address, service: Service) -> String {
        let Kerberos { servers, masters, .. } = &*self.asked;
        let principal = match service {
            Service::Client | Service::Admin => servers,
            Service::ClientMeta | Service::Master | Service::Lock => masters.as_ref().unwrap_or(servers),
        };
        principal.replace("_HOST", &address.host().to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_its_principal() {
        let login = Kerberos::new("hbase/_HOST@R").masters("master/_HOST@R").ready().unwrap();
        let address = Address::new("Node.Example", 1);
        assert_eq!(login.server(&address, Service::Client), "hbase/node.example@R");
        assert_eq!(login.server(&address, Service::Master), "master/node.example@R");
        let login = Kerberos::new("hbase/one@R").ready().unwrap();
        assert_eq!(login.server(&address, Service::ClientMeta), "hbase/one@R");
    }

    #[test]
    fn a_keytab_has_to_be_the_one_of_the_environment() {
        assert!(names("FILE:/a.keytab".as_ref(), Path::new("/a.keytab")));
        assert!(names("/a.keytab".as_ref(), Path::new("/a.keytab")));
        assert!(!names("/b.keytab".as_ref(), Path::new("/a.keytab")));
        assert!(!names("".as_ref(), Path::new("/a.keytab")));
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Kerberos::new("h").keytab(file.path()).ready().err().unwrap();
        assert!(error.contains("KRB5_CLIENT_KTNAME"), "{error}");
        let error = Kerberos::new("h").keytab("/nowhere.keytab").ready().err().unwrap();
        assert!(error.contains("/nowhere.keytab"), "{error}");
    }
}
