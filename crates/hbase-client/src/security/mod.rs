//! Authentication and encryption of connections: TLS, and Kerberos through SASL/GSSAPI.

#[cfg(feature = "kerberos")]
mod gssapi;
#[cfg(feature = "kerberos")]
mod kerberos;
#[cfg(feature = "tls")]
mod pem;
#[cfg(feature = "kerberos")]
pub(crate) mod sasl;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "kerberos")]
pub(crate) mod wrapped;

#[cfg(any(feature = "tls", feature = "kerberos"))]
use crate::model::error::Error;

#[cfg(feature = "kerberos")]
pub(crate) use self::kerberos::Login;
#[cfg(feature = "kerberos")]
pub use self::kerberos::{Kerberos, Protection};
#[cfg(feature = "tls")]
pub use self::tls::{Tls, TlsVersion};

/// The TLS and Kerberos that are asked for. By default, neither is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Security {
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<Tls>,
    #[cfg(feature = "kerberos")]
    pub(crate) kerberos: Option<Kerberos>,
}

/// The TLS and Kerberos that are asked for, with their files read.
#[cfg(any(feature = "tls", feature = "kerberos"))]
#[derive(Clone)]
pub(crate) struct Ready {
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<tls::Handshake>,
    #[cfg(feature = "kerberos")]
    pub(crate) kerberos: Option<Login>,
}

#[cfg(any(feature = "tls", feature = "kerberos"))]
impl Security {
    pub(crate) fn ready(&self) -> Result<Ready, Error> {
        Ok(Ready {
            #[cfg(feature = "tls")]
            tls: self.tls.as_ref().map(Tls::ready).transpose().map_err(Error::invalid)?,
            #[cfg(feature = "kerberos")]
            kerberos: self.kerberos.as_ref().map(Kerberos::ready).transpose().map_err(Error::invalid)?,
        })
    }
}
