//! Certificates that are trusted, and failures of TLS that no other attempt mends.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use rowkey::{Error, ErrorKind};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{AlertDescription, ClientConfig, InvalidMessage, RootCertStore};
use tonic::transport::{Certificate, ClientTlsConfig};

/// The public authorities, and those of the options.
#[derive(Clone, Debug)]
pub(crate) struct Trust {
    /// PEM, each checked.
    own: Vec<Arc<str>>,
    tls: ClientConfig,
}

impl Trust {
    /// The public authorities, which are compiled in, and certificates in PEM.
    pub(crate) fn new(own: &[Arc<str>]) -> Result<Self, Error> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for pem in own {
            let invalid = |why: &dyn std::fmt::Display| {
                Error::engine_of(
                    ErrorKind::InvalidInput,
                    format!("`ca_certificate` is not a certificate in PEM: {why}"),
                )
            };
            let mut count = 0;
            for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
                roots.add(certificate.map_err(|error| invalid(&error))?).map_err(|error| invalid(&error))?;
                count += 1;
            }
            if count == 0 {
                return Err(invalid(&"there is none in the text"));
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(Error::engine)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { own: own.to_vec(), tls })
    }

    /// For requests over HTTP/1.
    pub(crate) fn http(&self) -> ClientConfig {
        self.tls.clone()
    }

    /// For gRPC.
    pub(crate) fn grpc(&self) -> ClientTlsConfig {
        let own = self.own.iter().map(|pem| Certificate::from_pem(pem.as_bytes()));
        ClientTlsConfig::new().with_webpki_roots().ca_certificates(own)
    }
}

/// Returns whether the two sides did not agree on TLS: they won't at the next attempt.
pub(crate) fn is_distrusted(error: &(dyn StdError + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // An `io::Error` has what it wraps as its inner error, and only the source of that as its own.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let tls = error.downcast_ref().or_else(|| inner.and_then(|inner| inner.downcast_ref()));
        if tls.is_some_and(is_lasting) {
            return true;
        }
        cause = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

fn is_lasting(error: &rustls::Error) -> bool {
    match error {
        rustls::Error::InvalidCertificate(_)
        | rustls::Error::NoCertificatesPresented
        | rustls::Error::PeerIncompatible(_)
        | rustls::Error::UnsupportedNameType
        // The server does not speak TLS.
        | rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => true,
        rustls::Error::AlertReceived(alert) => !matches!(
            alert,
            AlertDescription::CloseNotify | AlertDescription::InternalError | AlertDescription::UserCanceled
                | AlertDescription::BadRecordMac | AlertDescription::DecryptError
        ),
        _ => false,
    }
}
