//! An authority of certificates that nobody knows but a test.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// Issues certificates of servers.
pub struct Authority {
    pem: String,
    names: Vec<String>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// A new one, for servers of this machine.
    ///
    /// # Panics
    ///
    /// If the system has no random numbers.
    #[expect(clippy::new_without_default, reason = "no two are equal")]
    pub fn new() -> Self {
        Self::of(&["127.0.0.1", "localhost"])
    }

    /// A new one, for servers with these names.
    ///
    /// # Panics
    ///
    /// As `new`, and at what is no name.
    pub fn of(names: &[&str]) -> Self {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Self { pem, names, issuer: Issuer::new(params, key) }
    }

    /// Its own certificate.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// A certificate of a server, and its key, in PEM.
    pub(crate) fn issue(&self) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(self.names.clone()).expect("names");
        (params.signed_by(&key, &self.issuer).expect("a certificate").pem(), key.serialize_pem())
    }
}
