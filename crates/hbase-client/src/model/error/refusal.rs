//! TLS alerts by which a server refuses a client.

use std::io;

use tokio_rustls::rustls::{AlertDescription, Error};

/// The refusal that an error of an established stream carries, if any. In TLS 1.3 a server checks the client's
/// certificate after the client's handshake is over, but before it reads anything else.
pub(super) fn refusal(error: &io::Error) -> Option<String> {
    use AlertDescription as Alert;
    match error.get_ref()?.downcast_ref()? {
        Error::AlertReceived(
            alert @ (Alert::CertificateRequired
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
            | Alert::DecryptError
            | Alert::HandshakeFailure),
        ) => Some(refused(*alert)),
        _ => None,
    }
}

pub(crate) fn refused(alert: AlertDescription) -> String {
    format!("the server refuses TLS with this client, or its certificate: {alert:?}")
}
