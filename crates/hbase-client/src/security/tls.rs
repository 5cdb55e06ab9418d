//! TLS: trusted certificates, the client's own, and the handshake.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::verify_server_cert_signed_by_trust_anchor;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    AlertDescription, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme, SupportedCipherSuite,
    SupportedProtocolVersion, version,
};

use super::pem;
use crate::model::error::Cause;
use crate::model::error::refusal::refused;
use crate::model::server::Address;
use crate::time::bounded;

/// TLS: whose certificates are trusted, and which one the client shows. Files are PEM; they are read by
/// [`Client::new`](crate::Client::new).
///
/// A server's certificate has to be signed by a trusted one, be of today, and have the server's name or IP address as a
/// `subjectAltName`.
///
/// ```
/// use hbase_client::{Options, Tls};
///
/// let tls = Tls::new("/etc/hbase/ca.pem").certificate("/etc/hbase/client.pem", "/etc/hbase/client.key");
/// let options = Options::new().tls(tls);
/// ```
#[derive(Debug, Clone)]
pub struct Tls {
    trusted: PathBuf,
    /// The certificate that the client shows, and its key.
    certificate: Option<(PathBuf, PathBuf)>,
    verify_names: bool,
    versions: Vec<TlsVersion>,
    /// As the standard names them. Empty: all that are good.
    pub(super) cipher_suites: Vec<String>,
    timeout: Duration,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsVersion {
    /// TLS 1.2.
    V1_2,
    /// TLS 1.3.
    V1_3,
}

impl TlsVersion {
    fn of_rustls(self) -> &'static SupportedProtocolVersion {
        match self {
            Self::V1_2 => &version::TLS12,
            Self::V1_3 => &version::TLS13,
        }
    }
}

impl Tls {
    /// TLS with servers whose certificates are signed by one of those in this file.
    pub fn new(trusted: impl Into<PathBuf>) -> Self {
        Self {
            trusted: trusted.into(),
            certificate: None,
            verify_names: true,
            versions: vec![TlsVersion::V1_3, TlsVersion::V1_2],
            cipher_suites: Vec::new(),
            timeout: Duration::from_secs(5),
        }
    }

    /// The certificate that the client shows to servers that want one, with those between it and the servers' trusted
    /// one; and its private key, which must not be encrypted. Both may stand in one file.
    #[must_use]
    pub fn certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.certificate = Some((certificate.into(), key.into()));
        self
    }

    /// Sets whether the name of a server has to be in its certificate. Default: true. Without the check, every server
    /// with a trusted certificate can pretend to be any other.
    #[must_use]
    pub fn verify_names(mut self, verify: bool) -> Self {
        self.verify_names = verify;
        self
    }

    /// The versions that are spoken. Default: 1.2 and 1.3.
    #[must_use]
    pub fn versions(mut self, versions: impl IntoIterator<Item = TlsVersion>) -> Self {
        self.versions = versions.into_iter().collect();
        self
    }

    /// The cipher suites that are spoken, by their standard names, for example `TLS_AES_128_GCM_SHA256`. Those that
    /// this client does not have are passed over. Default: all that it has.
    #[must_use]
    pub fn cipher_suites(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.cipher_suites = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the timeout of a handshake. Default: 5 s.
    #[must_use]
    pub fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = bounded(timeout);
        self
    }

    /// Reads the files.
    pub(super) fn ready(&self) -> Result<Handshake, String> {
        let mut trusted = RootCertStore::empty();
        for certificate in pem::certificates(&self.trusted)? {
            let added = trusted.add(certificate);
            added.map_err(|error| format!("a certificate in {}: {error}", self.trusted.display()))?;
        }
        let mut provider = ring::default_provider();
        if !self.cipher_suites.is_empty() {
            provider.cipher_suites.retain(|suite| self.cipher_suites.iter().any(|name| *name == standard_name(suite)));
        }
        let provider = Arc::new(provider);
        let versions: Vec<_> = self.versions.iter().map(|version| version.of_rustls()).collect();
        let config = ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(&versions);
        let config = config.map_err(|_| {
            let all: Vec<_> = ring::ALL_CIPHER_SUITES.iter().map(standard_name).collect();
            format!("none of the cipher suites can be spoken. This client has {} in TLS 1.2 and 1.3", all.join(", "))
        })?;
        let config = match self.verify_names {
            true => config.with_root_certificates(trusted),
            false => {
                let any_name = AnyName { trusted, provider };
                config.dangerous().with_custom_certificate_verifier(Arc::new(any_name))
            }
        };
        let config = match &self.certificate {
            None => config.with_no_client_auth(),
            Some((certificate, key)) => {
                let (chain, key) = (pem::certificates(certificate)?, pem::key(key)?);
                let config = config.with_client_auth_cert(chain, key);
                config.map_err(|error| format!("the client's certificate {}: {error}", certificate.display()))?
            }
        };
        Ok(Handshake { connector: TlsConnector::from(Arc::new(config)), timeout: self.timeout })
    }
}

/// rustls tells the suites of TLS 1.3 apart by `TLS13_`.
fn standard_name(suite: &SupportedCipherSuite) -> String {
    format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1)
}

/// TLS with its files read.
#[derive(Clone)]
pub(crate) struct Handshake {
    connector: TlsConnector,
    timeout: Duration,
}

impl Handshake {
    pub(crate) async fn with(&self, address: &Address, stream: TcpStream) -> Result<TlsStream<TcpStream>, Cause> {
        let name = ServerName::try_from(address.host().to_owned());
        let name = name.map_err(|_| Cause::security("the server's name is not one that a certificate can have"))?;
        let stream = timeout(self.timeout, self.connector.connect(name, stream)).await;
        let stream = stream.map_err(|_| Cause::said("no answer in the TLS handshake in time"))?;
        stream.map_err(of_handshake)
    }
}

/// The cause of a failed handshake.
fn of_handshake(error: io::Error) -> Cause {
    let distrust = match error.get_ref().and_then(|error| error.downcast_ref()) {
        None | Some(Error::AlertReceived(AlertDescription::InternalError | AlertDescription::UserCanceled)) => None,
        Some(Error::AlertReceived(alert)) => Some(refused(*alert)),
        Some(error @ Error::InvalidCertificate(_)) => {
            Some(format!("the server's certificate is not accepted: {error}"))
        }
        Some(error @ Error::InvalidMessage(_)) => Some(format!("the server does not speak TLS: {error}")),
        Some(error) => Some(format!("no TLS with the server: {error}")),
    };
    match distrust {
        Some(why) => Cause::security(why),
        None => Cause::io("the TLS handshake broke off (does the server speak TLS?)", error),
    }
}

/// Trusts each server with a trusted certificate, whatever its name.
struct AnyName {
    trusted: RootCertStore,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let certificate = ParsedCertificate::try_from(certificate)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(&certificate, &self.trusted, between, now, algorithms)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl fmt::Debug for AnyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyName").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
